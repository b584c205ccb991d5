"""The files of a release with the digests that its seal covers.

Some pages name the seal, so it cannot cover their last bytes. Pages are first written with the seal of the
content without any digest of a file. The digests are of these drafts; then the final seal takes its place.
"""

from collections.abc import Mapping

from reviewer.exchange.releases.pages import release_pages
from reviewer.exchange.releases.release_content import FORMAT, ReleaseContent, ReleaseManifest
from reviewer.exchange.releases.release_layout import CHECKSUMS, MANIFEST, DataFile, checksum_lines, sha256


def sealed_files(
    content: ReleaseContent, data: Mapping[str, bytes]
) -> tuple[ReleaseContent, dict[str, bytes]]:
    """The content with the digest of every file of data and every page, and all files of the release."""
    described = {path: DataFile.of(path, held) for path, held in data.items()}
    draft = content.without_files
    pages = {name: text.encode() for name, text in release_pages(draft, described).items()}
    unsealed = {**data, **pages}
    sealed = content.model_copy(update={"files": {path: sha256(held) for path, held in unsealed.items()}})
    before, after = draft.seal.encode(), sealed.seal.encode()
    files = {path: held.replace(before, after) for path, held in unsealed.items()}
    files[MANIFEST] = ReleaseManifest(format=FORMAT, seal=sealed.seal, content=sealed).written
    checksums = checksum_lines({path: sha256(held) for path, held in files.items()})
    return sealed, {**files, CHECKSUMS: checksums.encode()}


def sealed_as(content: ReleaseContent, files: Mapping[str, bytes]) -> dict[str, bool]:
    """Path → whether the file is as it was sealed. Checksums are left out: nothing seals them."""
    before, after = content.without_files.seal.encode(), content.seal.encode()
    states = {
        path: before not in held and content.files.get(path) == sha256(held.replace(after, before))
        for path, held in files.items()
        if path not in {CHECKSUMS, MANIFEST}
    }
    if MANIFEST in files:
        manifest = ReleaseManifest(format=FORMAT, seal=content.seal, content=content)
        states[MANIFEST] = files[MANIFEST] == manifest.written
    return states
