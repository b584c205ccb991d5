"""The report: whole, literal whatever the texts, and the same bytes every time."""

import html.parser
import re
from pathlib import Path

import pytest

from reviewer.core.page_templates import html_text, latex_text, markdown_code, markdown_text
from reviewer.core.table import Table
from reviewer.report.document import Document, Facts, Numbers, Paragraph, words
from reviewer.report.report_choices import Look
from reviewer.report.report_pages import html_page, latex_page, latex_table, markdown_page, markdown_table
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import report_files, study_document
from reviewer.report.undefined_reasons import MEANINGS, meaning
from reviewer.results.labels.agreement_results import Method
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.study_bundle import load_study
from store.database import Database
from store.ledger import Ledger
from tests.judged import judged_study
from tests.studies import BIASES, a_case, fill, open_store

HOSTILE = (
    "<script>alert(1)</script> </p> &amp; \" ' | `code` *b* _i_ [l](javascript:x) ![i](http://x) # h "
    "\\input{/etc/passwd} $x^2$ 50% {~} \x1b[31mred \u202egnitrats 模型 https://evil.example ]]> --"
)
METHOD = Method(interval="bootstrap", resamples=200)


def files_of(database: Database, name: str = "pilot") -> dict[str, str | bytes]:
    found = compute_statistics(load_study(database, name), Ledger(database).events(name), METHOD)
    return report_files(found, with_figures=False)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    store = open_store(tmp_path_factory.mktemp("report"))
    judged_study(store, per_generator=8, comment=HOSTILE)
    return store


@pytest.fixture(scope="module")
def pages(database: Database) -> dict[str, str]:
    return {name: str(content) for name, content in files_of(database).items()}


class Tags(html.parser.HTMLParser):
    """Which elements a browser would see, and with which attributes; and whether they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "img", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_holds_no_script(pages: dict[str, str]) -> None:
    tags = Tags()
    tags.feed(pages["report.html"])
    assert tags.open == []
    assert not tags.seen & {"script", "link", "iframe", "object"}
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "&lt;script&gt;alert(1)" in pages["report.html"]
    assert "http" not in re.sub(r"https?://(x|evil)|http-equiv", "", pages["report.html"])


@pytest.mark.parametrize("name", ["report.html", "report.md", "report.tex"])
def test_every_part_is_in_every_format(pages: dict[str, str], name: str) -> None:
    text = pages[name]
    for part in (
        *(
            "Study design",
            "Questions",
            "Agreement",
            "Pass rates",
            "Agreement expected by chance",
            "Raters and groups",
            "Single raters",
        ),
        *(
            "Pairs of raters",
            "Groups",
            "How sure, and what was not done",
            "Cases needed for narrower intervals",
            "Disagreements",
            "Undefined values",
        ),
        "How to compute this again",
    ):
        assert part in text
    assert "Do both versions pose the same task with the same logical structure?" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_the_same_ledger_gives_the_same_pages(database: Database, pages: dict[str, str]) -> None:
    assert files_of(database) == pages


def test_undefined_values_are_explained(pages: dict[str, str]) -> None:
    assert "one category: All labels" in pages["report.html"]
    assert "no case shown twice" not in pages["report.html"], "no column has a dash for it"
    assert all(sentence.endswith(".") for sentence in MEANINGS.values())
    assert "or outcomes" in meaning("one category", ["z at all"])
    assert "or outcomes" not in meaning("one category", ["Fleiss' κ, α at all"])
    assert meaning("something new") == "There is no value: something new."


def test_hostile_text_is_no_command_in_latex(pages: dict[str, str]) -> None:
    body = pages["report.tex"].split("\\begin{document}")[1]
    assert "\\input" not in body
    assert "\\textbackslash{}input\\{/etc/passwd\\}" in body
    assert body.count("\\begin{") == body.count("\\end{") - 1  # the document's own beginning is cut off
    assert not re.search(r"(?<!\\)[#%](?!\n)", body)


def test_hostile_text_is_literal() -> None:
    assert html_text("<b> & \"'") == "&lt;b&gt; &amp; &quot;&#39;"
    assert markdown_text("*a* <b> [c](d) | `e`") == r"\*a\* \<b\> \[c\](d) \| \`e\`"
    assert markdown_text("# no head\n- no list") == r"\# no head - no list"
    assert markdown_text("1. no list") == r"1\. no list"
    assert markdown_text("https://a www.b") == r"https\://a www\.b"
    assert latex_text("50% of $x_1$ & {y} \\z ~^#") == (
        r"50\% of \$x\_1\$ \& \{y\} \textbackslash{}z \textasciitilde{}\textasciicircum{}\#"
    )
    assert latex_text("a\n\n\nb\nc") == "a\n\nb\\newline\nc"


def test_a_digest_may_break_its_line_in_latex() -> None:
    digest = "0123456789abcdef" * 4
    assert latex_text(f"Digest: {digest}.").replace("\\allowbreak{}", "") == f"Digest: {digest}."
    assert latex_text(digest).count("\\allowbreak{}") == 7


def test_commands_are_code_and_backticks_from_outside_stay_literal() -> None:
    outside = "`rm` & run `reviewer report pilot`"
    text = f"{outside}: `reviewer report pilot`."
    page = Document("t", (Facts((("n", words(outside)),)), Paragraph(text, ("reviewer report pilot",))))
    markdown = markdown_page(page, frozenset())
    assert "- **n**: \\`rm\\` \\& run \\`reviewer report pilot\\`\n" in markdown
    assert "\\`rm\\` \\& run \\`reviewer report pilot\\`: `reviewer report pilot`.\n" in markdown
    html = html_page(page, {})
    assert "<dd>`rm` &amp; run `reviewer report pilot`</dd>" in html
    code = " ".join(f"<span class=ends>{word}</span>" for word in ("reviewer", "report", "pilot"))
    assert f"`reviewer report pilot`: <code>{code}</code>.</p>" in html
    latex = latex_page(page, frozenset())
    assert r"\textasciigrave{}: \texttt{reviewer report pilot}." in latex
    assert latex.count("texttt") == 1
    assert markdown_code("a `` b") == "``` a `` b ```"


def test_tables_stay_tables() -> None:
    table = Table.of(("a|b", "n"), [("x | y\nz", -0.5), ("<i>", None)])
    lines = markdown_table(table).splitlines()
    assert lines[0] == r"| a\|b | n |"
    assert lines[2] == r"| x \| y z | -0.500 |"
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in lines)
    html = html_page(Document("t", (Numbers("n", "c<", table, loud=(True,)),)), {})
    assert "<td>x | y" in html
    assert "<caption>c&lt;</caption>" in html
    assert '<tr class=summary><td>x | y\nz</td><td class="number">−0.500</td></tr>' in html
    latex = latex_table(table, "c_", "tab:x", ("note 5%",))
    assert "\\toprule" in latex
    assert "$-$0.500" in latex
    assert "note 5\\%" in latex
    long = latex_table(Table.of(("a",), [("x",)] * 60), "c", "l")
    assert "\\begin{longtable}" in long


def test_stale_verdicts_are_counted_in_the_report(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    judged_study(database, per_generator=2, generators=("g",))
    assert "Stale" not in str(files_of(database)["report.md"])
    fill(database, "pilot-0", [a_case(700, BIASES[0]), a_case(1, BIASES[1])], "g")
    assert "12 verdicts, given on content or wording that has changed" in str(files_of(database)["report.md"])


def test_final_labels_are_told_once_something_was_decided(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    judged_study(database, per_generator=8)
    assert "Final labels" not in str(files_of(database)["report.md"])
    deciding = AdjudicationSession(database, "pilot", "zoe")
    disputes = len(deciding.disputes)
    deciding.decide("False", "the options differ")
    told = str(files_of(database)["report.md"])
    assert (
        f"zoe adjudicated 1 of the {disputes} items on which raters disagree; the appendix has the reasons."
        in told
    )
    assert "zoe's reason: the options differ" in told
    study, events = load_study(database, "pilot"), Ledger(database).events("pilot")
    bare = repr(study_document(compute_statistics(study, events, METHOD, Look(comments=False))).blocks)
    assert "the appendix has the reasons" not in bare
    assert "zoe's reason" not in bare
    assert ". Final: False (adjudicated by zoe)" in told
    *cells, whole = [
        line
        for line in told[told.index("Where final labels") : told.index("## Undefined values")].splitlines()
        if line[:2] == "| "
    ][2:]
    assert whole.startswith("| all | all | 96 |")
    assert all("°" in line for line in cells)
    assert re.search(r"\[\.\d\d, \.\d\d\]", whole), "cases are resampled"
