"""Writes what the converter of Label Studio's SDK makes of tasks with spans, for the tests of labels.

``make harness-logs`` runs it with label-studio-sdk at a pinned version. The tasks are as ``reviewer export
--as label-studio`` writes them, with the number of a rater, which a server would add.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parents[1] / "exchange/data/bridges"
CONFIGURATION = """\
<View><Labels name="verdict" toName="text"><Label value="ORG"/><Label value="MISC"/><Label value="PERSON"/>
</Labels><Text name="text" value="$text"/></View>"""


def tasks() -> list[dict[str, object]]:
    """The texts and spans of doccano's example, one annotation each."""
    lines = (FOLDER / "doccano_sequence.jsonl").read_text(encoding="utf-8").splitlines()
    made: list[dict[str, object]] = []
    for number, record in enumerate(map(json.loads, lines), 1):
        text = record["text"]
        result = [
            {
                "id": f"span{place}",
                "from_name": "verdict",
                "to_name": "text",
                "type": "labels",
                "value": {"start": start, "end": end, "text": text[start:end], "labels": [label]},
            }
            for place, (start, end, label) in enumerate(record["label"])
        ]
        data = {"key": str(number), "text": text}
        annotation = {"id": number, "completed_by": 1, "result": result}
        made.append({"id": number, "data": data, "annotations": [annotation]})
    return made


def main() -> None:
    """Write JSON-MIN and CSV."""
    from label_studio_sdk.converter import Converter

    with TemporaryDirectory() as folder:
        source = Path(folder) / "tasks.json"
        source.write_text(json.dumps(tasks()), encoding="utf-8")
        converter = Converter(CONFIGURATION, folder)
        converter.convert_to_json_min(str(source), folder, is_dir=False)
        converter.convert_to_csv(str(source), folder, is_dir=False, sep=",", header=True)
        for ending in ("json", "csv"):
            written = (Path(folder) / f"result.{ending}").read_text(encoding="utf-8")
            (FOLDER / f"label_studio.{ending}").write_text(written, encoding="utf-8")


if __name__ == "__main__":
    main()
