"""Metadata of a release in the vocabulary of Croissant, as JSON-LD."""

from collections.abc import Mapping

from reviewer.core.sanitize import counted
from reviewer.exchange.releases.release_content import SPDX_LICENCES, ReleaseContent
from reviewer.exchange.releases.release_layout import DECLARATION, OWN, PARQUET, ROWS, DataFile
from store.records import JsonValue

_TEXTS = {
    "protocol": "The benchmark whose rules the case follows",
    "group": "The group of the case",
    "key": "The place of the case in the dataset; unique",
    "generator": "The model or corpus that wrote the case",
    "origin": "Whether a model wrote the case (generated) or a person did (seed)",
}
"""The fields of each row that are text, with their meanings."""


_ENCODINGS = {
    PARQUET: "application/x-parquet",
    ROWS: "application/jsonlines",
    OWN: "application/json",
    DECLARATION: "application/toml",
}
"""The media type of each file of data. Rows are described from the first that is there."""


def croissant_of(content: ReleaseContent, data: Mapping[str, DataFile]) -> JsonValue:
    """Metadata in the vocabulary of Croissant. Its context is written out, so nothing is fetched.

    ``data`` are the files to describe, by their paths; one of them has the rows.
    """
    parquet = PARQUET in data
    main = PARQUET if parquet else ROWS
    others = [_file(path, data[path]) for path in _ENCODINGS if path in data and path != main]
    fields = [_field(name, meaning, {"extract": {"column": name}}) for name, meaning in _TEXTS.items()]
    fields += [_payload_field(name, parquet) for name in content.texts]
    known = SPDX_LICENCES.get(content.citation.licence.lower())
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "name": content.dataset,
        "description": _description(content),
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "citeAs": f"{'; '.join(content.citation.authors)}: {content.dataset}, version {content.version}, "
        f"{content.date[:4]}.",
        "license": f"https://spdx.org/licenses/{known}.html" if known else content.citation.licence,
        "creator": [{"@type": "sc:Person", "name": author} for author in content.citation.authors],
        "datePublished": content.date,
        "version": content.version,
        "identifier": f"sha256:{content.seal}",
        "distribution": [_file("cases", data[main]), *others],
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


def _file(name: str, file: DataFile) -> dict[str, JsonValue]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": _ENCODINGS[file.path],
        "sha256": file.sha256,
    }


def _description(content: ReleaseContent) -> str:
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


_CONTEXT: dict[str, JsonValue] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "equivalentProperty": "cr:equivalentProperty",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
