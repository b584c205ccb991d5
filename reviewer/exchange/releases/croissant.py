"""Metadata of a release in the vocabulary of Croissant, as JSON-LD, with its responsible-AI properties.

These and the provenance are filled with facts from the store and with texts of the authors. A property about
which nobody knows or says anything is left out, and the card lists it as missing.

Croissant RAI 1.0: http://mlcommons.org/croissant/RAI/1.0. Provenance: https://www.w3.org/TR/prov-o/.
"""

from collections.abc import Iterator, Mapping

from reviewer.core.answer_kinds import FREE_TEXT
from reviewer.core.number_text import value_or_reason
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.exchange.releases.dataset_description import DATASET_TOPICS, PROPERTIES
from reviewer.exchange.releases.kind_agreement import has_own, own_agreement
from reviewer.exchange.releases.release_content import (
    SPDX_LICENCES,
    QuestionFacts,
    ReleaseContent,
    StudyFacts,
)
from reviewer.exchange.releases.release_folder import ReleaseFile, sha256
from reviewer.exchange.releases.release_limits import looked_for
from reviewer.protocols.intake import ORIGINS
from store.records import DatasetTopic, GivenBy, JsonValue

_TEXTS = {
    "protocol": "The benchmark whose rules the case follows",
    "group": "The group of the case",
    "key": "The place of the case in the dataset; unique",
    "generator": "The model or corpus that wrote the case",
    "origin": "Who wrote the case: a model (generated), people (seed), or nobody says (imported)",
}
"""The fields of each row that are text, with their meanings."""


_ENCODINGS: Mapping[str, str] = {
    ReleaseFile.PARQUET: "application/x-parquet",
    ReleaseFile.ROWS: "application/jsonlines",
    ReleaseFile.OWN: "application/json",
    ReleaseFile.DECLARATION: "application/toml",
    ReleaseFile.STUDIES: "application/json",
    ReleaseFile.LABELS: "application/jsonlines",
    ReleaseFile.SCRIPT: "text/x-python",
}
"""The media type of each file of data. Rows are described from the first that is there."""


def croissant_of(content: ReleaseContent, data: Mapping[str, bytes]) -> JsonValue:
    """Metadata in the vocabulary of Croissant. Its context is written out, so nothing is fetched.

    ``data`` are the files to describe, by their paths; one of them has the rows.
    """
    parquet = ReleaseFile.PARQUET in data
    main = ReleaseFile.PARQUET if parquet else ReleaseFile.ROWS
    others = [_file(path, path, data[path]) for path in _ENCODINGS if path in data and path != main]
    fields = [_field(name, meaning, {"extract": {"column": name}}) for name, meaning in _TEXTS.items()]
    fields += [_payload_field(name, parquet) for name in content.texts]
    known = SPDX_LICENCES.get(content.citation.licence.lower())
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": content.dataset,
        "description": description(content),
        "conformsTo": list(CONFORMS_TO),
        "citeAs": f"{'; '.join(content.citation.authors)}: {content.dataset}, version {content.version}, "
        f"{content.date[:4]}.",
        "license": f"https://spdx.org/licenses/{known}.html" if known else content.citation.licence,
        "creator": [{"@type": "sc:Person", "name": author} for author in content.citation.authors],
        "datePublished": content.date,
        "version": content.version,
        "identifier": f"sha256:{content.seal}",
        **responsible_ai(content),
        "distribution": [_file("cases", main, data[main]), *others],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "rows",
                "name": "rows",
                "description": "One case a row",
                "field": fields,
            }
        ],
    }


def _file(name: str, path: str, content: bytes) -> dict[str, JsonValue]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": path,
        "contentSize": f"{len(content)} B",
        "encodingFormat": _ENCODINGS[path],
        "sha256": sha256(content),
    }


def description(content: ReleaseContent) -> str:
    """The content of the release, in one line."""
    cases, groups = counted(len(content.cases), "case"), counted(len(content.groups), "group")
    return f"{cases} of {content.protocol_title} in {groups}, sealed as version {content.version}"


def _payload_field(name: str, parquet: bool) -> JsonValue:
    """A text of the case: a column of its own in parquet, else a part of ``payload``."""
    column = f"payload.{name}"
    if parquet:
        return _field(column, f"The text {name} of the case", {"extract": {"column": column}})
    inside = {"extract": {"column": "payload"}, "transform": {"jsonPath": f"$['{name}']"}}
    return _field(column, f"The text {name} of the case", inside)


def _field(name: str, meaning: str, where: dict[str, JsonValue]) -> JsonValue:
    return {
        "@type": "cr:Field",
        "@id": f"rows/{name}",
        "name": name,
        "description": meaning,
        "dataType": "sc:Text",
        "source": {"fileObject": {"@id": "cases"}, **where},
    }


_OWN_TERMS = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet"),
    *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
    *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
    "transform",
)
"""The terms that Croissant defines, and that have a plain value or object."""
_CONTEXT: dict[str, JsonValue] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _OWN_TERMS},
}


CONFORMS_TO = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
PROGRAM = "dilemma-reviewer"
_PLATFORMS: dict[GivenBy, str] = {
    "app": "terminal app",
    "plain": "plain mode, line by line",
    "browser": "the app in a browser",
    "pack": "the app with a pack, offline",
    "spreadsheet": "spreadsheets",
    "import": "another tool, imported",
}


def missing_topics(content: ReleaseContent) -> tuple[DatasetTopic, ...]:
    """The topics on which the authors said nothing, and nothing else is known."""
    known: set[DatasetTopic] = {"source"} if content.source_release else set()
    return tuple(topic for topic in DATASET_TOPICS if topic not in content.described and topic not in known)


def responsible_ai(content: ReleaseContent) -> dict[str, JsonValue]:
    """The properties by name; texts where one is expected, lists where several are."""
    said = content.described
    properties: dict[str, JsonValue] = {
        PROPERTIES["collection"]: " ".join(filter(None, (_collection(content), said.get("collection")))),
        PROPERTIES["limitations"]: [
            *filter(None, [said.get("limitations")]),
            *(sentence for limit in looked_for(content) for sentence in limit.found),
        ],
        "rai:dataAnnotationProtocol": [*map(_protocol, content.studies)],
        "rai:dataAnnotationPlatform": [*_platforms(content)],
        "rai:dataAnnotationAnalysis": [*_analysis(content)],
        "rai:annotationsPerItem": "; ".join(map(_per_item, content.studies)),
        "rai:annotatorDemographics": [*_demographics(content)],
        "rai:machineAnnotationTools": _tools(content),
        "rai:hasSyntheticData": _synthetic(content),
    }
    only_said: tuple[DatasetTopic, ...] = ("biases", "sensitive", "uses", "impact", "maintenance")
    properties |= {PROPERTIES[topic]: said.get(topic, "") for topic in only_said}
    properties |= provenance(content)
    return {name: value for name, value in properties.items() if value not in ("", [], None)}


def provenance(content: ReleaseContent) -> dict[str, JsonValue]:
    """The sources of the release, and the activities that made it."""
    derived: list[JsonValue] = []
    if source := content.source_release:
        derived.append(_entity(f"{source.name} {source.version}", f"sha256:{source.seal}"))
    if said := content.described.get("source"):
        derived.append(_entity(said))
    return {"prov:wasDerivedFrom": derived, "prov:wasGeneratedBy": [*_activities(content)]}


def _entity(name: str, identifier: str = "") -> JsonValue:
    entity: dict[str, JsonValue] = {"@type": "prov:Entity", "name": name}
    return entity | ({"identifier": identifier} if identifier else {})


def _activities(content: ReleaseContent) -> Iterator[JsonValue]:
    for run in content.generation:
        yield _activity(
            f"Generation {run.name}",
            f"Cases were generated by {run.model} with random seed {run.seed}; the digest of the prompts is "
            f"{run.prompts_digest}.",
            run.model,
            run.started,
        )
    if content.audit.audited:
        engines = f", with {enumerated(content.audit.engines)}" if content.audit.engines else ""
        cases = f"{content.audit.audited:,} of {counted(content.audit.contents, 'case')}"
        words = f"{cases} {agreeing(content.audit.audited, 'was', 'were')} audited{engines}."
        yield _activity("Audit", words, _program(content))
    for study in content.studies:
        yield _activity(f"Study {study.name}", _labelled(study), "", study.drawn, study.closed)
    if content.changes:
        yield _activity(
            "Revision", f"{counted(len(content.changes), 'change')} of cases, listed in CHANGELOG.md."
        )
    yield _activity("Release", f"Version {content.version} was sealed.", _program(content), content.date)


def _activity(name: str, words: str, agent: str = "", started: str = "", ended: str = "") -> JsonValue:
    activity: dict[str, JsonValue] = {"@type": "prov:Activity", "name": name, "description": words}
    if agent:
        activity["prov:wasAssociatedWith"] = {"@type": "prov:Agent", "name": agent}
    times = {"prov:startedAtTime": started, "prov:endedAtTime": ended}
    return activity | {name: time for name, time in times.items() if time}


def _program(content: ReleaseContent) -> str:
    return f"{PROGRAM} {content.program}"


def _collection(content: ReleaseContent) -> str:
    """How many cases each generator wrote, and where they were imported from."""
    written = [
        f"{counted(each.cases, 'case')} {ORIGINS[each.written]}"
        + (f" by {each.generator}" if each.written == "generated" else "")
        for each in content.generators
    ]
    return f"{enumerated(written)}, imported from {content.source}."


def _synthetic(content: ReleaseContent) -> bool | None:
    """Whether models wrote cases; None if that is unknown."""
    origins = {each.written for each in content.generators}
    if "generated" in origins:
        return True
    return None if "imported" in origins else False


def _labelled(study: StudyFacts) -> str:
    """How many people labelled how many cases, also those that are held out."""
    whole = study.whole or study
    return f"{counted(whole.raters, 'rater')} labelled {counted(whole.cases, 'case')}."


def _protocol(study: StudyFacts) -> str:
    questions = " ".join(
        f"{question.title}: {question.prompt} "
        f"({'answers: ' + ', '.join(question.labels) if question.answer_kind.has_labels else FREE_TEXT})"
        for question in study.questions
    )
    sample = f" Sample: {study.sample}." if study.sample else ""
    decided = f"{study.adjudicators:,} {agreeing(study.adjudicators, 'person', 'people')}"
    return (
        f"Study {study.name}, {study.drawn} to {study.closed}: {_labelled(study)}{sample} {decided} "
        f"adjudicated disagreements. Questions: {questions}"
    )


def _platforms(content: ReleaseContent) -> Iterator[str]:
    ways = {way for study in content.studies for way in study.given}
    if named := [words for way, words in _PLATFORMS.items() if way in ways]:
        yield f"{_program(content)}: {'; '.join(named)}"


def _per_item(study: StudyFacts) -> str:
    return f"study {study.name}: {study.raters_of_a_case} a case"


def _analysis(content: ReleaseContent) -> Iterator[str]:
    for study in content.studies:
        for question in study.questions:
            yield f"Study {study.name}, {question.title}: {_agreement(question)}."


def _agreement(question: QuestionFacts) -> str:
    numbers = {"all raters agree": question.all_agree}
    if has_own(question):
        for (label, title), estimate in own_agreement(question).items():
            numbers[f"{title} on {label}" if label else title] = estimate
    else:
        numbers |= {
            "Fleiss' kappa": question.kappa,
            "Krippendorff's alpha": question.alpha,
            "Gwet's AC1": question.ac1,
        }
    return ", ".join(f"{name} {value_or_reason(number)}" for name, number in numbers.items())


def _demographics(content: ReleaseContent) -> Iterator[str]:
    for study in content.studies:
        for sentence in (f"{counted(study.raters, 'rater')}.", *study.people):
            yield f"Study {study.name}: {sentence}"


def _tools(content: ReleaseContent) -> list[JsonValue]:
    if not (content.audit.audited or content.audit.earlier):
        return []
    return [f"{_program(content)}: checks {', '.join(content.audit.checks)}", *content.audit.engines]
