"""Small WebAssembly modules, assembled by hand in the form of the Lean build that `slim.py` knows.

Written from the WebAssembly specification and the tool conventions for dynamic linking, not from `slim.py`: what both
agree on is no accident. Nothing here is a general assembler.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.unit.processes import run_node

CUSTOM, TYPE, IMPORT, FUNCTION, TABLE, GLOBAL, EXPORT, ELEMENT, CODE, DATA = 0, 1, 2, 3, 4, 6, 7, 9, 10, 11
FUNCTION_KIND, TABLE_KIND, MEMORY_KIND, GLOBAL_KIND = 0, 1, 2, 3
I32, I64, FUNCREF = 0x7F, 0x7E, 0x70
END = b"\x0b"

IMPORTED_GLOBALS = 269
"""As in the build that `slim.py` knows: entries of the global offset table, all imported."""
FIRST_FUNCTION = 1
"""One function is imported and comes before those that the module defines."""
PAGES = 300
VARIABLE_BYTES = b"forty-two"
"""What stands at address 1024."""


def leb(value: int) -> bytes:
    """Unsigned LEB128."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + leb(rest) if rest else bytes([low])


def signed_leb(value: int) -> bytes:
    """Signed LEB128 of any number."""
    low, rest = value & 0x7F, value >> 7
    last = (rest == 0 and not low & 0x40) or (rest == -1 and low & 0x40)
    return bytes([low]) if last else bytes([low | 0x80]) + signed_leb(rest)


def read_leb(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned number and the place behind it."""
    end = next(i for i in range(at, len(data)) if data[i] < 0x80) + 1
    return sum((byte & 0x7F) << (7 * i) for i, byte in enumerate(data[at:end])), end


def name(text: str) -> bytes:
    encoded = text.encode()
    return leb(len(encoded)) + encoded


def vector(items: Iterable[bytes]) -> bytes:
    listed = list(items)
    return leb(len(listed)) + b"".join(listed)


def section(kind: int, payload: bytes) -> bytes:
    return bytes([kind]) + leb(len(payload)) + payload


def sections(wasm: bytes) -> list[tuple[int, bytes]]:
    """Kind and content of each section, in order."""
    found, at = [], 8
    while at < len(wasm):
        size, start = read_leb(wasm, at + 1)
        found.append((wasm[at], wasm[start : start + size]))
        at = start + size
    return found


@dataclass(frozen=True)
class Export:
    """A name that a module gives to one of its functions, variables, memories or tables."""

    name: str
    kind: int
    index: int

    def encoded(self) -> bytes:
        return name(self.name) + bytes([self.kind]) + leb(self.index)


@dataclass(frozen=True)
class Module:
    """A module in parts; each part can be replaced to make one that is different."""

    functions: int
    """How many it defines. Function number i returns 1000 + i."""
    in_table: tuple[int, ...]
    """Numbers of functions that the table holds from the start, from slot 1 on."""
    globals: tuple[bytes, ...]
    exports: tuple[Export, ...]
    thread_locals: tuple[str, ...] = ()
    table: bytes | None = None
    elements: bytes | None = None
    more_imports: tuple[bytes, ...] = ()
    without: frozenset[int] = frozenset()
    """Sections to leave out."""

    def replace(self, **changes: Any) -> Module:
        return dataclasses.replace(self, **changes)

    def assembled(self) -> bytes:
        parts: list[tuple[int, Callable[[], bytes]]] = [
            (CUSTOM, self._dylink),
            (TYPE, lambda: vector([b"\x60" + vector([]) + vector([bytes([I32])])])),
            (IMPORT, self._imports),
            (FUNCTION, lambda: vector([leb(0)] * self.functions)),
            (TABLE, self._table),
            (GLOBAL, lambda: vector(self.globals)),
            (EXPORT, lambda: vector(export.encoded() for export in self.exports)),
            (ELEMENT, self._elements),
            (CODE, self._code),
            (DATA, lambda: vector([b"\x00" + constant(1024) + vector(bytes([b]) for b in VARIABLE_BYTES)])),
            (CUSTOM, lambda: name("producers") + vector([])),
        ]
        kept = (section(kind, payload()) for kind, payload in parts if kind not in self.without)
        return b"\0asm\1\0\0\0" + b"".join(kept)

    def _dylink(self) -> bytes:
        memory = leb(4096) + leb(4) + leb(0) + leb(0)
        infos = vector(name(local) + leb(0x100) for local in self.thread_locals)
        return name("dylink.0") + section(1, memory) + section(3, infos)

    def _imports(self) -> bytes:
        memory = name("env") + name("memory") + bytes([MEMORY_KIND, 3]) + leb(PAGES) + leb(PAGES)
        function = name("env") + name("abort") + bytes([FUNCTION_KIND]) + leb(0)
        offsets = (name("GOT.func") + name(f"got_{i}") + bytes([GLOBAL_KIND, I32, 1]) for i in range(IMPORTED_GLOBALS))
        return vector([memory, function, *offsets, *self.more_imports])

    def _table(self) -> bytes:
        return self.table or vector([bytes([FUNCREF, 0]) + leb(1 + len(self.in_table))])

    def _elements(self) -> bytes:
        return self.elements or vector([b"\x00" + constant(1) + vector(map(leb, self.in_table))])

    def _code(self) -> bytes:
        bodies = (b"\x00" + constant(1000 + FIRST_FUNCTION + i) for i in range(self.functions))
        return vector(leb(len(body)) + body for body in bodies)


def constant(value: int) -> bytes:
    """The expression that is an i32."""
    return b"\x41" + signed_leb(value) + END


def variable(value: int) -> bytes:
    """A global that holds an address."""
    return bytes([I32, 0]) + constant(value)


def read_index(data: bytes) -> dict[str, tuple[int, bool]]:
    """A symbol index, as documented: count, count + 1 starts, count values, names; bit 31 of a value marks data."""
    words = [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data) // 4 * 4, 4)]
    count = words[0]
    starts, values, names = words[1 : count + 2], words[count + 2 : 2 * count + 2], data[4 * (2 * count + 2) :]
    assert starts[0] == 0
    assert starts[-1] == len(names)
    found = [names[start:end] for start, end in itertools.pairwise(starts)]
    assert found == sorted(set(found))
    return {
        symbol.decode(): (value & 0x7FFFFFFF, bool(value >> 31)) for symbol, value in zip(found, values, strict=True)
    }


_RUN = """
const [, file, slots, addresses, length, pages] = process.argv;
const module = new WebAssembly.Module(require("fs").readFileSync(file));
const memory = new WebAssembly.Memory({ initial: Number(pages), maximum: Number(pages), shared: true });
const imports = {};
for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
  const made = {
    memory: () => memory,
    function: () => () => 7,
    global: () => new WebAssembly.Global({ value: "i32", mutable: true }, 0),
  }[kind]();
  (imports[from] ??= {})[name] = made;
}
const { exports } = new WebAssembly.Instance(module, imports);
const table = exports.table;
const bytes = new Uint8Array(memory.buffer);
console.log(JSON.stringify({
  exports: Object.keys(exports),
  tableSize: table.length,
  called: JSON.parse(slots).map((slot) => table.get(slot)()),
  read: JSON.parse(addresses).map((at) => Buffer.from(bytes.slice(at, at + Number(length))).toString()),
}));
"""


@dataclass(frozen=True)
class Ran:
    """What a real engine made of a module."""

    exports: list[str]
    table_size: int
    called: list[int]
    """Results of the functions in the slots that were asked for."""
    read: list[str]
    """What stands in memory at the addresses that were asked for."""


def run(wasm: bytes, folder: Path, slots: Iterable[int], addresses: Iterable[int]) -> Ran:
    """Compile and instantiate the module in Node, call table slots, read memory."""
    file = folder / "module.wasm"
    file.write_bytes(wasm)
    arguments = (json.dumps(list(slots)), json.dumps(list(addresses)), str(len(VARIABLE_BYTES)), str(PAGES))
    answer = json.loads(run_node(_RUN, str(file), *arguments))
    return Ran(answer["exports"], answer["tableSize"], answer["called"], answer["read"])
