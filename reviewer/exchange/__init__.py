"""Files that go out and come in: rows, sheets, labels of other tools, packs, exports, releases."""
