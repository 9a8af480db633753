"""Glue code in the form of emscripten's, with every place that `slim.py` edits: small, and able to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.unit.processes import run_node

GLUE = """\
var Module=typeof Module!="undefined"?Module:{};
var scriptDirectory=__dirname+"/";
var FS="FS",NODEFS="NODEFS",wasmMemory="memory",wasmTable={length:9},tableWalked=false;
var functionsInTableMap;
var updateTableMap=(from,count)=>{tableWalked=true};
var addressOf=func=>{if(!functionsInTableMap){functionsInTableMap=new WeakMap;updateTableMap(0,wasmTable.length)\
}return functionsInTableMap.get(func)||0};
var reportUndefinedSymbols=table=>{for(var symName in table){var entry=table[symName];var value=wasmImports[symName];\
if(!value&&!entry.required){entry.value=0;continue}entry.value=value}};
var __dlsym_js=(lib,symbol)=>{var newSymIndex=-1;newSymIndex=Object.keys(lib.exports).indexOf(symbol);\
return newSymIndex};
var pthreadPoolSize=4;
function initRuntime(){return used()+exported()}
var used,exported,unused,unusedToo,ready=0;function assignWasmExports(wasmExports){used=wasmExports["used"];\
exported=Module["_exported"]=wasmExports["exported"];unused=wasmExports["unused"];\
unusedToo=Module["_unusedToo"]=wasmExports["unusedToo"]}var wasmImports;function assignWasmImports(){\
wasmImports={lean_io:5,glClear:6}}
var stackRestore=sp=>{},_setThrew=()=>{};
function getWasmImports(){assignWasmImports();return wasmImports}
ready=1;
"""

_PROBE = """
assignWasmImports();
const linked = { lean_io: { required: true }, glClear: {}, missing: {} };
reportUndefinedSymbols(linked);
addressOf(() => {});
const lib = { exports: { first: 1, second: 2 } };
const asked = [];
assignWasmExports(new Proxy({}, { get: (_, name) => (asked.push(name), () => 0) }));
initRuntime();
const opened = globalThis.__leanGlue?.();
console.log(JSON.stringify({
  poolSize: pthreadPoolSize,
  dlsym: ["lean_f5", "variable", "second"].map((name) => __dlsym_js(lib, name)),
  linked: Object.fromEntries(Object.entries(linked).map(([name, entry]) => [name, entry.value])),
  tableWalked,
  opened: opened && Object.keys(opened).sort(),
  found: opened?.symbols.find("variable"),
  exports: asked,
}));
"""


def run_glue(glue: str, symbols: bytes, folder: Path) -> dict[str, Any]:
    """Run glue code in Node as the host does, and tell what it did."""
    (folder / "symbols.bin").write_bytes(symbols)
    (folder / "lean.js").write_text(glue + _PROBE, encoding="utf-8")
    load = "globalThis.__leanModule = { pthreadPoolSize: 2 }; require(process.argv[1])"
    probe: dict[str, Any] = json.loads(run_node(load, str(folder / "lean.js")))
    return probe
