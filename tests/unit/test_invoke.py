"""Calls that may throw: a module made by hand, split, and run by a real engine with `host/invoke.js`."""

from __future__ import annotations

import importlib.resources
import json
from pathlib import Path

import pytest

from pythagoras.errors import InstallError
from pythagoras.lean import invoke
from tests.unit import wasm_modules as wasm
from tests.unit.processes import run_node

INVOKE_JS = importlib.resources.files("pythagoras.lean") / "host" / "invoke.js"
CURRENT, FAIL, SEVEN, ADD, NOTHING = 1, 2, 3, 4, 5
"""Slots of the module's table."""
SLOTS = {invoke.STACK_POINTER: CURRENT}

_I, _II, _III, _IIII, _V, _VI = range(6)
_TYPES = [b"\x60\x00\x01\x7f", b"\x60\x01\x7f\x01\x7f", b"\x60\x02\x7f\x7f\x01\x7f"]
_TYPES += [b"\x60\x03\x7f\x7f\x7f\x01\x7f", b"\x60\x00\x00", b"\x60\x01\x7f\x00"]


def made(table: bytes | None = None) -> bytes:
    """Functions: 0-3 are imported (`invoke_i`, `invoke_iii`, `invoke_v`, `fail`); the others are below."""

    def imported(text: str, kind: int) -> bytes:
        return wasm.name("env") + wasm.name(text) + b"\x00" + wasm.leb(kind)

    imports = [
        imported("invoke_i", _II),
        imported("invoke_iii", _IIII),
        imported("invoke_v", _VI),
        imported("fail", _I),
    ]
    bodies = [
        (_I, wasm.constant(4242)),  # 4: the stack pointer
        (_I, wasm.constant(7)),  # 5
        (_III, b"\x20\x00\x20\x01\x6a\x0b"),  # 6: adds
        (_V, b"\x0b"),  # 7
        (_II, b"\x20\x00\x10\x00\x0b"),  # 8: one(slot)
        (_IIII, b"\x20\x00\x20\x01\x20\x02\x10\x01\x0b"),  # 9: three(slot, a, b)
        (_VI, b"\x20\x00\x10\x02\x0b"),  # 10: nothing(slot)
    ]
    exports = [("one", 8), ("three", 9), ("nothing", 10)]
    parts = [
        (wasm.TYPE, wasm.vector(_TYPES)),
        (wasm.IMPORT, wasm.vector(imports)),
        (wasm.FUNCTION, wasm.vector(wasm.leb(kind) for kind, _ in bodies)),
        (wasm.TABLE, table or wasm.vector([b"\x70\x00" + wasm.leb(6)])),
        (wasm.EXPORT, wasm.vector(wasm.name(text) + b"\x00" + wasm.leb(index) for text, index in exports)),
        (wasm.ELEMENT, wasm.vector([b"\x00" + wasm.constant(1) + wasm.vector(map(wasm.leb, (4, 3, 5, 6, 7)))])),
        (wasm.CODE, wasm.vector(wasm.leb(1 + len(code)) + b"\x00" + code for _, code in bodies)),
    ]
    return b"\0asm\1\0\0\0" + b"".join(wasm.section(kind, payload) for kind, payload in parts)


_RUN = """
const fs = require("fs");
const folder = process.argv[1];
const load = new Function("require", `${fs.readFileSync(folder + "invoke.js", "utf8")};return leanInvokes`);
const leanInvokes = load(require);
let thrown;
const recovered = [];
const env = { fail: () => { throw thrown; } };
leanInvokes(folder, env, (stackPointer) => recovered.push(stackPointer));
const lean = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(folder + "lean.wasm")), { env }).exports;
const outcome = (action) => { try { return action() ?? "nothing"; } catch (error) { return `${error}`; } };
const results = [
  outcome(() => lean.one(3)),
  outcome(() => lean.three(4, 30, 12)),
  outcome(() => lean.nothing(5)),
  (thrown = 1234, outcome(() => lean.one(2))),
  (thrown = Infinity, outcome(() => lean.one(2))),
  (thrown = new RangeError("too deep"), outcome(() => lean.one(2))),
  outcome(() => lean.one(3)),
];
console.log(JSON.stringify({ results, recovered, table: env.__indirect_function_table.length }));
"""


def test_results_pass_and_only_numbers_are_caught(tmp_path: Path) -> None:
    split = invoke.split(made(), SLOTS)
    assert split.count == 3
    (tmp_path / "lean.wasm").write_bytes(split.wasm)
    (tmp_path / "invoke.wasm").write_bytes(split.invoke)
    (tmp_path / "invoke.js").write_text(INVOKE_JS.read_text())
    ran = json.loads(run_node(_RUN, f"{tmp_path}/"))
    assert ran["results"] == [7, 42, "nothing", 0, 0, "RangeError: too deep", 7]
    assert ran["recovered"] == [4242, 4242], "with the stack pointer from before the call"
    assert ran["table"] == 6


def test_code_is_not_touched() -> None:
    before, after = (dict(wasm.sections(module)) for module in (made(), invoke.split(made(), SLOTS).wasm))
    assert wasm.TABLE not in after
    for kind in (wasm.TYPE, wasm.FUNCTION, wasm.EXPORT, wasm.ELEMENT, wasm.CODE):
        assert after[kind] == before[kind]


@pytest.mark.parametrize("slots", [{}, {"lean_dec": 1}])
def test_a_build_without_the_stack_pointer_is_refused(slots: dict[str, int]) -> None:
    with pytest.raises(InstallError, match="not the build"):
        invoke.split(made(), slots)


def test_another_kind_of_table_is_refused() -> None:
    with pytest.raises(InstallError, match="not the build"):
        invoke.split(made(table=wasm.vector([b"\x70\x01" + wasm.leb(6) + wasm.leb(9)])), SLOTS)
