"""A native Lean: a lake project and the community's REPL in it, asked like the embedded one."""
