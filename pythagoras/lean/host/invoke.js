// Calls that may throw, without JavaScript in between. slim.py puts this text in front of the glue.
//
// C++ code of this build reaches whatever may throw through imports `invoke_*`, which the glue writes in JavaScript: two
// changes of language for each call, and there are millions. invoke.wasm has the same functions in WebAssembly, and the
// function table that both sides use. Only a call that does throw comes out here.
function leanInvokes(folder, wasmImports, recover) {
  const caught = (error, stackPointer) => {
    if (error !== error + 0) throw error; // C++ exceptions are thrown as numbers, anything else is not for C++
    recover(stackPointer);
  };
  const module = new WebAssembly.Module(require("fs").readFileSync(`${folder}invoke.wasm`));
  const instance = new WebAssembly.Instance(module, { js: { tag: WebAssembly.JSTag, caught } });
  Object.assign(wasmImports, instance.exports);
}
