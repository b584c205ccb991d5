// Focus the terminal at the start, so that raters need not click into it first.
addEventListener("load", () => {
  const waiting = setInterval(() => {
    const keyboard = document.querySelector(".xterm-helper-textarea");
    if (keyboard) {
      keyboard.focus();
      clearInterval(waiting);
    }
  }, 50);
});
