"""Metadata of a release in the vocabulary of Croissant, as JSON-LD."""

from collections.abc import Mapping

from reviewer.core.sanitize import counted
from reviewer.exchange.releases.release_content import SPDX_LICENCES, ReleaseContent
from reviewer.exchange.releases.release_folder import ReleaseFile, sha256
from reviewer.exchange.releases.responsible_ai import CONFORMS_TO, responsible_ai
from store.records import JsonValue

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
    """What the release holds, in one line."""
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
