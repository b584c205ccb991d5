"""Each format of files is parsed in one module, which bounds it; other parsers are named with their input."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.parsed import parsed

ROOT = Path(__file__).parents[1]
PARSERS = {
    *("json.load", "json.loads", "json.JSONDecoder", "csv.reader", "csv.DictReader", "csv.Sniffer"),
    *("zipfile.ZipFile", "zlib.decompress", "zlib.decompressobj", "gzip.open", "tarfile.open", "lzma.open"),
    *("bz2.open", "tomllib.load", "tomllib.loads", "tomlkit.parse", "configparser.ConfigParser", "yaml.load"),
    *("yaml.safe_load", "expat.ParserCreate", "ast.literal_eval", "pickle.load", "pickle.loads"),
    *("marshal.loads", "plistlib.load", "pyarrow.parquet.ParquetFile", "pyarrow.parquet.read_table"),
    *(
        "model_validate_json",
        "validate_json",
        "pandas.read_csv",
        "numpy.load",
        "numpy.loadtxt",
        "numpy.genfromtxt",
        "shutil.unpack_archive",
    ),
}
PARSING_IMPORTS = {"xml.etree", "xml.dom", "xml.sax", "lxml", "openpyxl", "yaml", "html.parser"}
_WORDS = {tuple(name.split(".")) for name in (*PARSERS, *PARSING_IMPORTS)}
"""The words of each name, which all stand in a file that uses it. Parsing all files would take seconds."""
OF_FILES = {
    "reviewer/core/strict_json.py": {"json.loads", "json.JSONDecoder"},
    "reviewer/core/source_text.py": {"tomllib.loads"},
    "reviewer/core/personal_settings.py": {"tomlkit.parse"},  # text parsed before, to keep its comments
    "reviewer/exchange/rows/separated_rows.py": {"csv.reader"},
    "reviewer/exchange/rows/source_file.py": {"gzip.open"},
    "reviewer/exchange/rows/parquet_rows.py": {"pyarrow.parquet.ParquetFile"},
    "reviewer/exchange/rows/workbook_rows.py": {"zipfile.ZipFile", "openpyxl"},  # bounds are checked first
    "reviewer/exchange/sheets/filled_sheets.py": {"zipfile.ZipFile"},
    "reviewer/exchange/evaluations/harness_logs.py": {"zipfile.ZipFile"},
    "reviewer/protocols/treatment_tests/published_xml.py": {"expat.ParserCreate"},
    "reviewer/exchange/releases/release_folder.py": {"model_validate_json"},  # of a manifest
    "reviewer/llm/recording.py": {"model_validate_json"},
}
"""The one reader of each format of files."""
OF_OTHER_INPUT = {
    "reviewer/exchange/sheets/sheet_writer.py": {"zipfile.ZipFile"},  # writes
    "reviewer/exchange/releases/harness_tasks.py": {"xml.sax"},  # writes
    # a reply of a model or server, of bounded length
    "reviewer/llm/chat_completion.py": {"json.loads"},
    "reviewer/llm/failure.py": {"json.loads"},
    "reviewer/protocols/answer_schema.py": {"json.loads"},
    "reviewer/protocols/reading/json_values.py": {"json.loads", "json.JSONDecoder"},
    # one cell, or one value of an event
    "reviewer/core/answer_kinds.py": {"json.loads"},
    "reviewer/core/csv_text.py": {"json.loads"},
    "reviewer/core/ranked_outputs.py": {"json.loads"},
    "reviewer/core/spans.py": {"json.loads"},
    "store/event_limits.py": {"json.loads"},
    "reviewer/study/adjudication/decisions.py": {"model_validate_json"},
    "store/untrusted_store.py": {"json.JSONDecoder"},
    # a message of a child process, a worker or a browser, of bounded length
    "reviewer/cluster/chunks.py": {"zlib.decompressobj", "model_validate_json"},
    "reviewer/cluster/job_kinds.py": {"json.loads", "model_validate_json", "validate_json"},
    "reviewer/cluster/worker_checks.py": {"model_validate_json"},
    "reviewer/oracle/decode.py": {"json.loads"},
    "reviewer/oracle/worker/host.py": {"json.loads"},
    "reviewer/oracle/workers.py": {"json.loads"},
    "reviewer/patterns/pattern_search.py": {"json.loads"},
    "reviewer/patterns/worker.py": {"json.loads"},
    "reviewer/similarity/encoder_process.py": {"json.loads"},
    "reviewer/web/review_server.py": {"json.loads"},
    # what this program wrote itself, or rows of the own store
    "reviewer/core/table.py": {"json.loads"},
    "reviewer/runs/repair/repair_session.py": {"model_validate_json"},
    "reviewer/results/labels/label_stream.py": {"json.loads"},
    "store/case_import.py": {"json.loads"},
    "store/deferred_database.py": {"json.loads"},
    "store/overview.py": {"json.loads"},
    "store/records.py": {"json.loads"},
}
"""Parsers of anything else than a file from outside."""


def _names(tree: ast.AST) -> Iterator[str]:
    """Whatever a module imports, and every attribute, by its whole name."""
    whole: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                whole |= {name.asname or name.name: name.name for name in names}
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), names=names):
                whole |= {name.asname or name.name: f"{module}.{name.name}" for name in names}
                yield from (f"{module}.{name.name}" for name in names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            value = ast.unparse(node.value)
            yield f"{whole.get(value, value)}.{node.attr}"


def _parsers(tree: ast.AST) -> set[str]:
    names = [f".{name}." for name in _names(tree)]
    called = {parser for parser in PARSERS if any(name.endswith(f".{parser}.") for name in names)}
    return called | {
        module for module in PARSING_IMPORTS if any(name.startswith(f".{module}.") for name in names)
    }


def _is_suspect(text: str) -> bool:
    return any(all(word in text for word in words) for words in _WORDS)


def test_each_format_is_parsed_in_one_module() -> None:
    found = {}
    for path in (path for top in ("reviewer", "store", "seeds") for path in (ROOT / top).rglob("*.py")):
        if _is_suspect(path.read_text(encoding="utf-8")) and (parsers := _parsers(parsed(path))):
            found[path.relative_to(ROOT).as_posix()] = parsers
    assert found == OF_FILES | OF_OTHER_INPUT
