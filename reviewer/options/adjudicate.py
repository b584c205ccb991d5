"""Options of ``reviewer adjudicate``."""

from typing import ClassVar

from reviewer.options.option import argument, command_options, option
from reviewer.options.shared import InStore


@command_options
class AdjudicateOptions(InStore):
    """Decide the cases on which raters disagree. You see all verdicts and comments without names.

    For raters and leads of the study, adjudication opens once the study is closed or all raters have
    finished. Raters also need the lead's permission (--allow-rater). Anybody else can begin before that;
    `reviewer labels` says where votes changed after a decision. If you are not a rater and open it, you
    cannot become a rater of this study afterwards, because you have seen the verdicts. Decisions are kept
    apart from the raters' verdicts and do not count in agreement.
    """

    example: ClassVar[str] = "reviewer adjudicate pilot --as zoe"
    name: str = argument("STUDY")
    who: str = option("Your name. Decisions are saved under it.", "--as", required=True)
    lead: str | None = option(
        "If you are a rater of the study: the name of the lead (not your own) who allows you to "
        "adjudicate. It is recorded.",
        "--allow-rater",
        metavar="LEAD",
    )
