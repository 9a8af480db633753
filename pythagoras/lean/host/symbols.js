// The index of Lean's symbols that slim.py writes: sorted names, searched in place.
// slim.py puts this text in front of the glue, so that every thread of a host can resolve names.
class LeanSymbols {
  constructor(file) {
    const data = require("fs").readFileSync(file);
    this.count = data.readUInt32LE(0);
    const words = new Uint32Array(data.buffer, data.byteOffset, 2 + 2 * this.count);
    this.starts = words.subarray(1, this.count + 2);
    this.values = words.subarray(this.count + 2);
    this.names = data.subarray(4 * (2 + 2 * this.count));
  }

  // {address, isData} of a symbol: a slot of the function table, or a place in memory; undefined if there is none.
  find(name) {
    const wanted = Buffer.from(name);
    let low = 0;
    let high = this.count - 1;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order = wanted.compare(this.names, this.starts[middle], this.starts[middle + 1]);
      if (order === 0) {
        const value = this.values[middle];
        return { address: (value & 0x7fffffff) >>> 0, isData: value >>> 31 === 1 };
      }
      if (order < 0) high = middle - 1;
      else low = middle + 1;
    }
    return undefined;
  }
}
