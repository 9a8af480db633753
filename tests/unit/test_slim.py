"""Slimming: on modules made by hand and run by a real engine, and on glue code that runs too."""

from __future__ import annotations

import importlib.resources
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pythagoras.errors import InstallError
from pythagoras.lean import slim
from pythagoras.lean import wasm as binary
from tests.unit import wasm_modules as wasm
from tests.unit.glue import GLUE, run_glue
from tests.unit.processes import run_node
from tests.unit.wasm_modules import Export, Module

SYMBOLS_JS = (importlib.resources.files("pythagoras.lean") / "host" / "symbols.js").read_text(encoding="utf-8")


# --- the binary --------------------------------------------------------------------------------


def module(in_table: int, outside: int) -> Module:
    """`in_table` functions that stand in the table and are exported, and `outside` that are only exported."""
    numbers = range(wasm.FIRST_FUNCTION, wasm.FIRST_FUNCTION + in_table + outside)
    first_global = wasm.IMPORTED_GLOBALS
    return Module(
        functions=len(numbers),
        in_table=tuple(numbers[:in_table]),
        globals=(
            bytes([wasm.I32, 1]) + wasm.constant(65536),  # the stack pointer: not exported
            wasm.variable(1024),
            wasm.variable(0x1234567),
            wasm.variable(1024),
        ),
        exports=(
            *(Export(f"lean_f{number}", wasm.FUNCTION_KIND, number) for number in numbers),
            Export("alias_of_last", wasm.FUNCTION_KIND, numbers[-1]),
            Export("used_by_glue", wasm.FUNCTION_KIND, numbers[0]),
            Export("got_3", wasm.FUNCTION_KIND, numbers[0]),
            Export("variable", wasm.GLOBAL_KIND, first_global + 1),
            Export("far_variable", wasm.GLOBAL_KIND, first_global + 2),
            Export("of_a_thread", wasm.GLOBAL_KIND, first_global + 3),
            Export("memory", wasm.MEMORY_KIND, 0),
            Export("table", wasm.TABLE_KIND, 0),
        ),
        thread_locals=("of_a_thread",),
    )


USES = 'x=wasmExports["used_by_glue"];y=wasmExports["not_there"]'
# Around the sizes at which numbers of the format get longer: 64 in signed encoding, 128 in both.
SIZES = [(0, 1), (1, 0), (3, 4), (62, 3), (63, 3), (64, 3), (126, 3), (127, 130), (20, 300)]


@pytest.mark.parametrize(("in_table", "outside"), SIZES)
def test_every_export_is_in_the_index_and_works_by_its_address(tmp_path: Path, in_table: int, outside: int) -> None:
    made = module(in_table, outside)
    slimmed = slim.slim_wasm(made.assembled(), USES)
    index = wasm.read_index(slimmed.symbols)

    functions = {export.name: export.index for export in made.exports if export.kind == wasm.FUNCTION_KIND}
    variables = {"variable": 1024, "far_variable": 0x1234567, "of_a_thread": 1024}
    assert slimmed.symbol_count == len(index) == len(functions) + len(variables)
    assert {name: address for name, (address, is_data) in index.items() if is_data} == variables
    slots = {name: slot for name, (slot, is_data) in index.items() if not is_data}
    assert set(slots) == set(functions)

    ran = wasm.run(slimmed.wasm, tmp_path, slots.values(), variables.values())
    assert dict(zip(slots, ran.called, strict=True)) == {name: 1000 + number for name, number in functions.items()}
    nothing = "\0" * len(wasm.VARIABLE_BYTES)
    assert ran.read == [wasm.VARIABLE_BYTES.decode(), nothing, wasm.VARIABLE_BYTES.decode()]
    assert ran.table_size == 1 + in_table + outside


def test_functions_of_the_table_keep_their_first_slot(tmp_path: Path) -> None:
    made = module(5, 2).replace(in_table=(4, 2, 2, 5, 1, 4, 3))
    index = wasm.read_index(slim.slim_wasm(made.assembled(), USES).symbols)
    found = [index[f"lean_f{number}"][0] for number in range(1, 8)]
    assert found == [5, 2, 7, 1, 4, 8, 9]


def test_only_exports_that_somebody_uses_stay(tmp_path: Path) -> None:
    slimmed = slim.slim_wasm(module(3, 4).assembled(), USES)
    ran = wasm.run(slimmed.wasm, tmp_path, [], [])
    # the glue's, a name that the binary itself imports, a thread-local variable, and memory and table
    assert ran.exports == ["used_by_glue", "got_3", "of_a_thread", "memory", "table"]
    assert slimmed.exports_kept == 5


@pytest.mark.parametrize(("in_table", "outside"), SIZES)
def test_only_table_exports_and_elements_change(in_table: int, outside: int) -> None:
    before = module(in_table, outside).assembled()
    after = slim.slim_wasm(before, USES).wasm
    rest = [part for part in wasm.sections(before) if part[0] not in (wasm.TABLE, wasm.EXPORT, wasm.ELEMENT)]
    assert [part for part in wasm.sections(after) if part in rest] == rest
    assert [kind for kind, _ in wasm.sections(after)] == [kind for kind, _ in wasm.sections(before)]
    assert wasm.CODE in [kind for kind, _ in rest]


def test_the_module_before_slimming_is_valid_and_exports_all(tmp_path: Path) -> None:
    made = module(3, 4)
    ran = wasm.run(made.assembled(), tmp_path, [1, 2, 3], [1024])
    assert ran == wasm.Ran([export.name for export in made.exports], 4, [1001, 1002, 1003], ["forty-two"])


_SEGMENT = b"\x00" + wasm.constant(1) + wasm.vector([wasm.leb(1)])
_IMPORTED_TABLE = wasm.name("env") + wasm.name("t") + bytes([wasm.TABLE_KIND, wasm.FUNCREF, 0, 1])


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"", "not a WebAssembly module"),
        (b"\0asm\2\0\0\0", "not a WebAssembly module"),
        (module(2, 2).replace(without=frozenset({wasm.CUSTOM})).assembled(), "dylink section is missing"),
        (module(2, 2).replace(elements=wasm.vector([_SEGMENT, _SEGMENT])).assembled(), "filled in another way"),
        (module(2, 2).replace(elements=wasm.vector([b"\x02\x00" + _SEGMENT[1:]])).assembled(), "filled in another way"),
        (module(2, 2).replace(elements=wasm.vector([b"\x00\x23\x00\x0b\x00"])).assembled(), "filled in another way"),
        (module(2, 2).replace(table=wasm.vector([b"\x70\x01\x03\x09"])).assembled(), "other tables"),
        (module(2, 2).replace(table=wasm.vector([b"\x70\x00\x03"] * 2)).assembled(), "other tables"),
        (module(2, 2).replace(table=wasm.vector([b"\x6f\x00\x03"])).assembled(), "other tables"),
        (module(2, 2).replace(more_imports=(_IMPORTED_TABLE,)).assembled(), "an import of kind 1"),
    ],
)
def test_another_build_is_refused(data: bytes, complaint: str) -> None:
    with pytest.raises(InstallError, match=complaint) as caught:
        slim.slim_wasm(data, USES)
    assert "\n" not in str(caught.value)
    assert "`pythagoras lean install`" in str(caught.value)


@pytest.mark.parametrize("missing", [wasm.IMPORT, wasm.TABLE, wasm.GLOBAL, wasm.EXPORT, wasm.ELEMENT])
def test_a_module_without_a_section_is_refused(missing: int) -> None:
    with pytest.raises(InstallError):
        slim.slim_wasm(module(2, 2).replace(without=frozenset({missing})).assembled(), USES)


@pytest.mark.parametrize("value", [11, 11 << 7])
def test_a_global_that_is_no_address_is_passed_over_or_refused(value: int) -> None:
    """A constant may contain the byte that ends an expression."""
    made = module(2, 2)
    wide = bytes([wasm.I64, 0]) + b"\x42" + wasm.signed_leb(value) + wasm.END
    made = made.replace(globals=(made.globals[0], wide, *made.globals[2:]))
    try:
        index = wasm.read_index(slim.slim_wasm(made.assembled(), USES).symbols)
    except InstallError:
        return
    assert {name: found for name, found in index.items() if found[1]} == {
        "far_variable": (0x1234567, True),
        "of_a_thread": (1024, True),
    }


# --- its numbers -------------------------------------------------------------------------------

NUMBERS = st.integers(0, 2**40) | st.integers(0, 300)


@given(NUMBERS, st.binary(max_size=3))
@example(127, b"")
@example(128, b"")
def test_unsigned_numbers_round_trip(value: int, behind: bytes) -> None:
    encoded = binary.leb(value)
    assert encoded == wasm.leb(value)
    assert binary.read_leb(b"\xff" + encoded + behind, 1) == (value, 1 + len(encoded))


@given(NUMBERS, st.binary(max_size=3))
@example(63, b"")
@example(64, b"")
@example(8191, b"")
@example(8192, b"")
def test_signed_numbers_round_trip(value: int, behind: bytes) -> None:
    encoded = binary.signed_leb(value)
    assert encoded == wasm.signed_leb(value)
    assert binary.read_leb(encoded + behind, 0) == (value, len(encoded))


# --- the glue ----------------------------------------------------------------------------------


def test_unused_stubs_go_and_used_ones_stay() -> None:
    glue = slim.slim_glue(GLUE, "")
    assert 'used=wasmExports["used"]' in glue
    assert 'exported=Module["_exported"]=wasmExports["exported"]' in glue
    assert "var used,exported,ready=0;function assignWasmExports" in glue
    assert "unused" not in glue


def test_each_edit_is_made_once() -> None:
    glue = slim.slim_glue(GLUE, "// the index")
    assert glue.startswith("// the index\n")
    for _, new in slim._GLUE_EDITS:
        assert glue.count(new) == 1


@pytest.mark.parametrize("edit", range(len(slim._GLUE_EDITS)))
@pytest.mark.parametrize("times", [0, 2])
def test_an_edit_that_does_not_fit_is_refused(edit: int, times: int) -> None:
    old = slim._GLUE_EDITS[edit][0]
    assert GLUE.count(old) == 1
    with pytest.raises(InstallError, match=f"lean.js has {times} places") as caught:
        slim.slim_glue(GLUE.replace(old, "\n" + f"{old}\n" * times), "")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("missing", ["function assignWasmExports(wasmExports){", "}var wasmImports;function assign"])
def test_glue_without_stubs_is_refused(missing: str) -> None:
    assert GLUE.count(missing) == 1
    with pytest.raises(InstallError, match=r"export stubs is missing from lean\.js"):
        slim.slim_glue(GLUE.replace(missing, ""), "")


def test_the_slimmed_glue_runs_and_resolves_symbols_by_the_index(tmp_path: Path) -> None:
    symbols = slim.slim_wasm(module(3, 4).assembled(), USES).symbols
    probe = run_glue(slim.slim_glue(GLUE, SYMBOLS_JS), symbols, tmp_path)
    assert probe == {
        "poolSize": 2,  # the host's choice, not the four of the glue
        "dlsym": [wasm.read_index(symbols)["lean_f5"][0], 1024, 1],  # by the index, by it too, and by the old search
        "linked": {"lean_io": 5, "glClear": 0, "missing": 0},
        "tableWalked": False,
        "opened": ["FS", "NODEFS", "symbols", "wasmMemory", "wasmTable"],
        "found": {"address": 1024, "isData": True},
        "exports": ["used", "exported"],
    }


def test_the_glue_before_slimming_runs_too(tmp_path: Path) -> None:
    probe = run_glue(GLUE, b"", tmp_path)
    assert probe["poolSize"] == 4
    assert probe["dlsym"] == [-1, -1, 1]
    assert probe["linked"] == {"lean_io": 5, "glClear": 6, "missing": 0}
    assert probe["tableWalked"] is True
    assert probe["exports"] == ["used", "exported", "unused", "unusedToo"]


# --- the index ---------------------------------------------------------------------------------

_SEARCH = """
const [, folder] = process.argv;
const index = new LeanSymbols(`${folder}/symbols.bin`);
const names = JSON.parse(require("fs").readFileSync(`${folder}/names.json`, "utf8"));
console.log(JSON.stringify(names.map((name) => index.find(name) ?? null)));
"""
NAMES = st.text(st.characters(codec="utf-8"), max_size=12) | st.text("l_Nat", max_size=6)


@settings(max_examples=25)
@given(st.dictionaries(NAMES, st.tuples(st.integers(0, 2**31 - 1), st.booleans()), max_size=40), st.lists(NAMES))
@example({}, [""])
@example({"": (0, False), "\uffff": (1, True), "\U0001f600": (2**31 - 1, True)}, ["\0"])
def test_the_host_finds_each_symbol_and_nothing_else(symbols: dict[str, tuple[int, bool]], others: list[str]) -> None:
    index = slim._symbol_index([(name.encode(), value | is_data << 31) for name, (value, is_data) in symbols.items()])
    assert wasm.read_index(index) == symbols if symbols else index == b"\0" * 8
    near = [changed for name in symbols for changed in (name[:-1], name + "\0", name + "a", name.upper())]
    asked = [*symbols, *near, *others]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "symbols.bin").write_bytes(index)
        (Path(folder) / "names.json").write_text(json.dumps(asked), encoding="utf-8")
        found = json.loads(run_node(SYMBOLS_JS + _SEARCH, folder))
    expected = [symbols.get(name) for name in asked]
    assert found == [known and {"address": known[0], "isData": known[1]} for known in expected]


def test_an_allocating_function_gets_a_trap_and_the_others_stay() -> None:
    plain, locals_ = bytes([0, 0x0B]), bytes([1, 2, 0x7F, 0x01, 0x0B])  # no locals; two of them, then a nop
    section = bytes([2, len(plain)]) + plain + bytes([len(locals_)]) + locals_
    guard = slim._guard(0)
    assert slim._with_guards(section, {}) == section
    guarded = slim._with_guards(section, {1: 0})
    assert guarded == bytes([2, 2]) + plain + bytes([len(locals_) + len(guard)]) + locals_[:3] + guard + locals_[3:]
    assert guard[:2] == bytes([0x20, 0])
    assert guard[-4:] == bytes([0x04, 0x40, 0x00, 0x0B])
