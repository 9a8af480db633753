"use strict";
// What checked code can see of the machine: the library folder, to read.

const WRITE_FLAGS = 0o3 | 0o100 | 0o1000 | 0o2000; // write, read-write, create, truncate, append

// Mount `folder` at `place`; afterwards nothing anywhere can be created, changed or removed.
function mountReadOnly(FS, NODEFS, folder, place) {
  FS.mkdir(place);
  FS.mount(NODEFS, { root: folder }, place);
  const refuse = () => {
    throw new FS.ErrnoError(69); // EROFS: read-only file system
  };
  const open = FS.open;
  FS.open = (path, flags = 0, mode) => {
    const numeric = typeof flags === "string" ? FS_modes[flags] ?? 1 : flags;
    return (numeric & WRITE_FLAGS) !== 0 ? refuse() : open(path, flags, mode);
  };
  for (const change of ["mkdir", "mknod", "symlink", "rename", "rmdir", "unlink", "chmod", "chown", "truncate", "ftruncate", "utime", "create"]) {
    FS[change] = refuse;
  }
}

const FS_modes = { r: 0 };

module.exports = { mountReadOnly };
