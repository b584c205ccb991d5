"""The files of a release against their checksums, the seal, and the pages that this program writes."""

from collections.abc import Iterator, Mapping

from reviewer import __version__
from reviewer.core.errors import InputError
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.releases.pages import release_pages
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import ReleaseContent, ReleaseManifest
from reviewer.exchange.releases.release_layout import CARD, CHECKSUMS, DECLARATION, MANIFEST, DataFile, sha256
from reviewer.exchange.releases.release_reading import checksums_of
from reviewer.exchange.releases.sealed_files import sealed_as


def file_checks(files: Mapping[str, bytes], manifest: ReleaseManifest | None) -> Iterator[ReleaseCheck]:
    """Each file against its checksum and the seal. The seal tells whether the file or its line was changed.

    Only checksums are compared if there is no manifest whose seal is that of its content.
    """
    if CHECKSUMS not in files:
        return
    try:
        sums = checksums_of(files[CHECKSUMS])
    except InputError as error:
        yield ReleaseCheck(error.where, "fails", error.wrong)
        return
    content = manifest.content if manifest and manifest.seal == manifest.content.seal else None
    sealed = sealed_as(content, files) if content else {}
    checks = [_file_check(path, held, sums.get(path), sealed.get(path)) for path, held in files.items()]
    yield from (check for check in checks if check)
    for path in sums.keys() - files.keys():
        yield ReleaseCheck(path, "fails", f"is missing, and {CHECKSUMS} has it")
    for path in (content.files.keys() if content else set()) - files.keys() - sums.keys():
        yield ReleaseCheck(shown(path), "fails", "is missing, and it was sealed")
    good = checks.count(None) - 1  # the checksums themselves have no line
    yield ReleaseCheck("files", "holds", f"{counted(good, 'file')} with the digests of {CHECKSUMS}")


def _file_check(path: str, held: bytes, listed: str | None, sealed: bool | None) -> ReleaseCheck | None:
    """What is wrong with a file, or with its line of checksums; ``sealed`` is None if nothing seals it."""
    if path == CHECKSUMS:
        return None
    fits = listed == sha256(held)
    if fits and sealed is not False:
        return None
    if listed is None or sealed:
        return ReleaseCheck(CHECKSUMS, "fails", f"has another digest of {path}, or none")
    if path == CARD:
        return ReleaseCheck(path, "edited", "is not as it was made; trust the other files")
    wrong = (
        "has other content than was sealed"
        if fits
        else f"was changed: it does not match its line in {CHECKSUMS}"
    )
    return ReleaseCheck(path, "fails", wrong)


def page_checks(files: Mapping[str, bytes], content: ReleaseContent) -> Iterator[ReleaseCheck]:
    """Card, changelog, citation and metadata against those that this program makes of the sealed content."""
    if content.program != __version__:
        wrote = f"version {shown(content.program)} of the program wrote them, and this is {__version__}"
        yield ReleaseCheck("pages", "not checked", f"{wrote}: only their digests were compared")
        return
    pages = _pages(files, content)
    differing = [path for path, page in pages.items() if path in files and files[path] != page]
    for path in differing:
        if path == CARD:
            why = "was edited, or an earlier state of this program wrote it: it is not what is written now"
            yield ReleaseCheck("card", "edited", why)
        else:
            yield ReleaseCheck(path, "fails", f"says something else than the sealed content of {MANIFEST}")
    if not pages:
        yield ReleaseCheck("pages", "fails", f"cannot be made of the sealed content of {MANIFEST}")
    elif not differing:
        yield ReleaseCheck("pages", "holds", "card, changelog, citation and metadata say what was sealed")


def _pages(files: Mapping[str, bytes], content: ReleaseContent) -> dict[str, bytes]:
    """The pages of the sealed content; {} if none can be made of what a stranger says."""
    data = {
        path: DataFile.of(path, held)
        for path, held in files.items()
        if path.startswith("data/") or path == DECLARATION
    }
    try:
        pages = release_pages(content, data)
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {name: text.encode(errors="backslashreplace") for name, text in pages.items()}
