"""One way to look at a case, on every screen that shows one."""
