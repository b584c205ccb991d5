"""Texts from outside in every block of every page: literal, and nothing besides."""

import html.parser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reviewer.core.page_templates import latex_text
from reviewer.core.table import Table
from reviewer.report import document as blocks
from reviewer.report.report_pages import html_page, latex_page, latex_table, markdown_page
from tests.rounds import mostly_slow

TEXTS = (
    "<script>alert(1)</script>",
    "\\input{x} \\write18{ls} 5% $x$ #1 a_b^c ~ & {}",
    "a | b || c",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }} {% raw %} << 7 * 7 >> <% if x %> {# c #} <# c #>",
    "\" onload='x' autofocus=",
    "&amp; &lt;b&gt; ]]> -->",
    "[l](javascript:x) ![i](http://x) `code` *b* _i_ # h",
)
SIGNS = "β≠Ω, μ → ∑ √2 x² a₁ ∞ ✓ «a» „b“ ‚c‘ ± † ‡ ° € ½"
SCRIPTS = "đ þ ą ő नमस्ते 日本語 Кириллица עברית 😀"


def page_of(text: str) -> blocks.Document:
    """Every kind of block, full of the text."""
    table = Table.of((text, "n"), [(text, -0.5), (text, None)])
    wide = Table.of((text, *(f"c{at}" for at in range(12))), [(text, *[".50 [.40, .60]"] * 12)])
    long = Table.of((text,), [(text,)] * 30)
    return blocks.Document(
        text,
        (
            blocks.Section(text),
            blocks.Section(text, 2),
            blocks.Paragraph(f"{text} `reviewer x`", ("reviewer x",)),
            blocks.Points((text,)),
            blocks.Facts(((text, (text, blocks.Command(text))),)),
            blocks.Quote(text, (("", text), (text, text))),
            *(blocks.Numbers("n", text, each, (text,)) for each in (table, wide, long)),
            blocks.Picture("pass-rates", text, text),
            blocks.Box(text, (text, text)),
            blocks.Appendices(),
            blocks.Section(text, appendix=True),
            blocks.Votes(text, ((text, text),), (blocks.VoteLine(text, ((text, text),)),)),
            blocks.Commands((text,)),
        ),
    )


class Seen(html.parser.HTMLParser):
    """The elements, attributes and texts that a browser sees."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def html_of(text: str) -> Seen:
    seen = Seen()
    seen.feed(html_page(page_of(text), {"pass-rates": b"<svg/>"}))
    return seen


@pytest.mark.parametrize("text", TEXTS)
def test_html_shows_the_text_and_gains_no_element(text: str) -> None:
    seen, plain = html_of(text), html_of("plain")
    assert (seen.elements, seen.attributes) == (plain.elements, plain.attributes)
    # Words of a command are elements of their own.
    assert "".join(seen.texts).count(text) == "".join(plain.texts).count("plain")


@pytest.mark.parametrize("text", TEXTS)
def test_latex_has_the_commands_of_a_plain_page_and_no_escapes_of_html(text: str) -> None:
    page, plain = (latex_page(page_of(each), frozenset({"pass-rates"})) for each in (text, "plain " * 20))
    ours = set(re.findall(r"\\[A-Za-z]+", plain))
    literal = r"\\(?:text[a-z]+|dots|dag|allowbreak)\b"
    assert {each for each in re.findall(r"\\[A-Za-z]+", page) if not re.fullmatch(literal, each)} <= ours
    body = page.partition("\\begin{document}")[2]
    assert "&amp;" not in body.replace("\\&amp;", "")
    assert "&lt;" not in body.replace("\\&lt;", "")
    assert not re.search(r"(?<!\\)[#%$]", body.replace("$-$", ""))
    tables = re.findall(r"(?s)\\toprule(.*?)\\(?:bottomrule|end)", body)
    assert len(tables) > 3
    for table in tables:
        assert len({line.count(" & ") for line in table.splitlines() if line.endswith(" \\\\")}) == 1
    bare = body.replace("\\{", "").replace("\\}", "")
    assert bare.count("{") == bare.count("}")


@pytest.mark.parametrize("text", TEXTS)
def test_markdown_has_no_markup_of_the_text(text: str) -> None:
    page = markdown_page(page_of(text), frozenset({"pass-rates"}))
    prose = re.sub(r"(`+).+?\1|^    .*$", "", page, flags=re.MULTILINE)  # code is literal by itself
    bare = re.sub(r"\\.", "", prose)
    for sign in ("<", "`", "~", "$", "&", "{"):
        assert sign not in bare, sign
    assert "](javascript" not in bare
    rows = [line for line in prose.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {2, 3, 14}


def test_a_text_of_another_template_is_not_run() -> None:
    text = "{{ 7 * 7 }} << 7 * 7 >>"
    pages = (
        html_page(page_of(text), {}),
        markdown_page(page_of(text), frozenset()),
        latex_page(page_of(text), frozenset()),
    )
    assert not any("49" in re.sub(r"\d\d+em", "", page) for page in pages)


def test_a_comment_is_told_from_the_labels() -> None:
    item = blocks.VoteLine("anna tie · ben first", (("anna commented", "hard one"),))
    votes = blocks.Votes("t", (("biased", "text"),), (item,))
    page = markdown_page(blocks.Document("page", (votes,)), frozenset())
    assert "  - biased: text\n  - anna tie · ben first\n    - anna commented: hard one\n" in page


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX is installed")
@mostly_slow(4)
@pytest.mark.parametrize("text", ["*", "[1] *", SIGNS, SCRIPTS, *TEXTS])
def test_latex_compiles(text: str, tmp_path: Path) -> None:
    (tmp_path / "page.tex").write_text(latex_page(page_of(text), frozenset()))
    command = ("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex")
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert told.returncode == 0, told.stdout[-2000:].decode(errors="replace")


def test_greek_letters_and_signs_of_mathematics_need_no_font_of_their_own() -> None:
    assert latex_text("β≠Ω x² a₁ →") == r"$\beta$$\neq$$\Omega$ x$^2$ a$_1$ $\rightarrow$"


def test_first_cell_with_a_star_is_no_star_of_the_row_before() -> None:
    table = latex_table(Table.of(("a",), [("*",), ("[2]",)]), "c", "l")
    assert "{}* \\\\\n" in table
    assert not re.search(r"\\\\\s*[*\[]", table)


def missing_in(folder: Path, engine: str, text: str) -> str:
    """The characters that an engine names as those that no font has."""
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    (folder / "page.tex").write_text(latex_page(page_of(text), frozenset()))
    command = (engine, "-interaction=nonstopmode", "-halt-on-error", "page.tex")
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    told = done.stdout.decode(errors="replace")
    assert done.returncode == 0, told[-2000:]
    return " ".join(re.findall(r"There is no . \(U\+\w+\)", told.replace("\n", "")))


@pytest.mark.parametrize("engine", ["lualatex", "xelatex"])
def test_engines_of_unicode_name_each_character_that_no_font_has(engine: str, tmp_path: Path) -> None:
    assert "U+E1234" in missing_in(tmp_path, engine, f"{SCRIPTS} \U000e1234")


def test_lualatex_takes_what_the_main_font_lacks_from_others(tmp_path: Path) -> None:
    fonts = subprocess.run(["fc-list"], capture_output=True, check=False) if shutil.which("fc-list") else None
    if fonts is None or b"DejaVuSans.ttf" not in fonts.stdout:
        pytest.skip("DejaVu Sans is not installed")
    assert missing_in(tmp_path, "lualatex", "עברית, Кириллица") == ""
