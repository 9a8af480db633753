"use strict";
// What checked code can see of the machine: one folder, to read. Nothing can be created, changed or removed anywhere.

const nodeFs = require("fs");

const WRITE_FLAGS = 0o3 | 0o100 | 0o1000 | 0o2000; // write, read-write, create, truncate, append
const CHANGES = "mkdir mknod symlink rename rmdir unlink chmod chown truncate ftruncate utime create".split(" ");
const READ_ONLY = 69; // EROFS

class Files {
  constructor(FS, NODEFS, folder) {
    this.FS = FS;
    this.locked = false;
    FS.mkdir("/lean");
    FS.mkdir("/out");
    FS.mount(NODEFS, { root: folder }, "/lean");
    for (const change of CHANGES) this.guard(change, () => true);
    this.guard("open", (path, flags = 0) => typeof flags !== "number" || (flags & WRITE_FLAGS) !== 0);
    this.locked = true;
  }

  // Make one of the file system's functions refuse, while locked, what `writes` says would change something.
  guard(name, writes) {
    const original = this.FS[name];
    if (!original) return;
    this.FS[name] = (...args) => {
      if (this.locked && writes(...args)) throw new this.FS.ErrnoError(READ_ONLY);
      return original(...args);
    };
  }

  // Let `write` make one file, in memory, and copy it to `target` on the machine. For our own use, not for checked code.
  // Returns what the machine says against it, or "".
  capture(target, write) {
    this.locked = false;
    try {
      write("/out/file");
      const bytes = this.FS.readFile("/out/file");
      this.FS.unlink("/out/file");
      nodeFs.writeFileSync(target, bytes);
      return "";
    } catch (error) {
      if (error.syscall === undefined) throw error;
      return error.message;
    } finally {
      this.locked = true;
    }
  }
}

module.exports = { Files };
