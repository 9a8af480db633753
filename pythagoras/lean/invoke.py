"""Let C++ code of the Lean build call what may throw without a detour through JavaScript.

Emscripten compiled it with exceptions done in JavaScript: each call that may throw goes out to a function `invoke_*` of
the glue and back in. `split` makes a small module that has these functions in WebAssembly (which can catch what
JavaScript throws) and the function table, and lets the Lean binary import both. `host/invoke.js` puts them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pythagoras.lean.wasm import (
    CODE,
    EXPORT,
    FUNCTION,
    FUNCTION_KIND,
    IMPORT,
    TABLE,
    TABLE_KIND,
    TAG_KIND,
    TYPE,
    assemble,
    imports,
    leb,
    name,
    read_leb,
    sections,
    signed_leb,
    table_size,
    unexpected_build,
    vector,
)

_I32, _EXTERNREF = b"\x7f", b"\x6f"
_ZERO = {0x7F: b"\x41\x00", 0x7E: b"\x42\x00", 0x7D: b"\x43" + bytes(4), 0x7C: b"\x44" + bytes(8)}
"""The constant zero of each number type."""
_TABLE_NAME = "__indirect_function_table"
STACK_POINTER = "emscripten_stack_get_current"
"""The function that tells the stack pointer, called before each call that may throw."""


@dataclass(frozen=True, slots=True)
class Split:
    """The Lean binary with its table imported, and the module that brings table and `invoke_*`."""

    wasm: bytes
    invoke: bytes
    count: int


@dataclass(frozen=True, slots=True)
class _Signature:
    parameters: bytes
    results: bytes

    def encoded(self) -> bytes:
        return b"\x60" + leb(len(self.parameters)) + self.parameters + leb(len(self.results)) + self.results


def split(wasm: bytes, slots: Mapping[str, int]) -> Split:
    """Take the table out of `wasm`; `slots` tells where in the table a function of the binary stands."""
    parts = list(sections(wasm))
    body = dict(parts)
    table = body[TABLE]
    table_size(table)  # refuses any other kind of table
    if STACK_POINTER not in slots:
        raise unexpected_build(f"{STACK_POINTER} is missing from lean.wasm")
    types = list(_signatures(body[TYPE]))
    invokes = [
        (imported, types[type_index])
        for imported, _, type_index in imports(body[IMPORT])
        if type_index is not None and imported.startswith("invoke_")
    ]
    imported_table = name("env") + name(_TABLE_NAME) + bytes([TABLE_KIND]) + table[1:]
    count, start = read_leb(body[IMPORT], 0)
    more_imports = leb(count + 1) + body[IMPORT][start:] + imported_table
    rest = assemble((kind, more_imports if kind == IMPORT else payload) for kind, payload in parts if kind != TABLE)
    return Split(rest, _invoke_module(invokes, table, slots[STACK_POINTER]), len(invokes))


def _invoke_module(invokes: list[tuple[str, _Signature]], table: bytes, stack_pointer_slot: int) -> bytes:
    types = [_Signature(b"", _I32), _Signature(_EXTERNREF, b""), _Signature(_EXTERNREF + _I32, b"")]
    stack_pointer_type, tag_type, caught_type = range(3)
    functions, exports, codes = [], [name(_TABLE_NAME) + bytes([TABLE_KIND, 0])], []
    for number, (exported, signature) in enumerate(invokes):
        types += [signature, _Signature(signature.parameters[1:], signature.results)]
        functions.append(leb(len(types) - 2))
        exports.append(name(exported) + bytes([FUNCTION_KIND]) + leb(1 + number))
        codes.append(_invoke_code(signature, len(types) - 1, stack_pointer_type, stack_pointer_slot))
    needs = [
        name("js") + name("tag") + bytes([TAG_KIND, 0]) + leb(tag_type),
        name("js") + name("caught") + bytes([FUNCTION_KIND]) + leb(caught_type),
    ]
    return assemble(
        (
            (TYPE, vector([signature.encoded() for signature in types])),
            (IMPORT, vector(needs)),
            (FUNCTION, vector(functions)),
            (TABLE, table),
            (EXPORT, vector(exports)),
            (CODE, vector([leb(len(code)) + code for code in codes])),
        )
    )


def _invoke_code(signature: _Signature, called_type: int, stack_pointer_type: int, stack_pointer_slot: int) -> bytes:
    """try { return table[first](others...) } catch (error) { caught(error, stack pointer before); return 0 }"""
    parameters = len(signature.parameters)
    block_type = signature.results if signature.results else b"\x40"
    code = [
        *(b"\x01\x01", _I32),  # one more local, an i32: the stack pointer
        *(b"\x41", signed_leb(stack_pointer_slot), b"\x11", leb(stack_pointer_type), b"\x00", b"\x21", leb(parameters)),
        *(b"\x06", block_type),  # try
        *(b"\x20" + leb(number) for number in range(1, parameters)),
        *(b"\x20\x00", b"\x11", leb(called_type), b"\x00"),  # the first parameter is the slot to call
        *(b"\x07\x00", b"\x20", leb(parameters), b"\x10\x00"),  # catch the tag, call `caught`
        *(_ZERO[kind] for kind in signature.results),
        b"\x0b\x0b",
    ]
    return b"".join(code)


def _signatures(section: bytes) -> Iterator[_Signature]:
    count, position = read_leb(section, 0)
    for _ in range(count):
        if section[position] != 0x60:
            raise unexpected_build("a type of lean.wasm that is no function's")
        size, position = read_leb(section, position + 1)
        parameters = section[position : position + size]
        results, position = read_leb(section, position + size)
        yield _Signature(parameters, section[position : position + results])
        position += results
