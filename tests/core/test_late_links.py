"""Links of a pane are looked for when somebody reads them, and not before."""

from reviewer.core.pane import LateLinks, PaneLink, Text

LINK = PaneLink(0, 3, "facts:1")


def test_links_are_looked_for_once_and_only_when_read() -> None:
    looked: list[str] = []

    def look() -> tuple[PaneLink, ...]:
        looked.append("looked")
        return (LINK,)

    text = Text("The pair", LateLinks(look))
    assert (hash(text), looked) == (hash(Text("The pair")), [])
    assert (list(text.links), len(text.links), LINK in text.links) == ([LINK], 1, True)
    assert looked == ["looked"]
    assert text == Text("The pair", (LINK,))
    assert text != Text("The pair", ())
