"""Length-prefixed messages over a pipe: four bytes, big endian, then that many bytes."""

import os
import struct

HEADER = struct.Struct(">I")


def frame(payload: bytes) -> bytes:
    """The payload with its length in front."""
    return HEADER.pack(len(payload)) + payload


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, however small the pipe."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def read_exactly(descriptor: int, size: int) -> bytes:
    """The given number of bytes, or fewer if the other side has closed."""
    parts: list[bytes] = []
    while size > 0:
        part = os.read(descriptor, min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read_frame(descriptor: int) -> bytes | None:
    """One message, or None when the other side has closed."""
    header = read_exactly(descriptor, HEADER.size)
    if len(header) < HEADER.size:
        return None
    (size,) = HEADER.unpack(header)
    payload = read_exactly(descriptor, size)
    return payload if len(payload) == size else None


def split(data: bytes) -> list[bytes]:
    """The whole messages in a piece of data; what follows the last whole one is left out."""
    messages: list[bytes] = []
    at = 0
    while at + HEADER.size <= len(data):
        (size,) = HEADER.unpack_from(data, at)
        at += HEADER.size
        if at + size > len(data):
            break
        messages.append(data[at : at + size])
        at += size
    return messages
