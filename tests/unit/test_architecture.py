"""The shape of the code: who imports whom, what `--help` loads, how long a module is, what no file says."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import pythagoras
from tests.unit.commands import COMMANDS
from tests.unit.processes import environment

PACKAGE = Path(pythagoras.__file__).parent
PROJECT = PACKAGE.parent

ROOT_MODULES = frozenset({"errors", "config", "runs", "lookup", "home"})
"""Modules beside the packages: everybody may import them, and they import no package."""

_BASE = frozenset({"lean", "llm", "engine"})
_DATA = _BASE | {"language", "corpus", "generate"}
_STAGES = _DATA | {"pipeline", "alf", "train", "evaluate", "prove"}
MAY_IMPORT: dict[str, frozenset[str]] = {
    **dict.fromkeys(_BASE, frozenset[str]()),
    "language": frozenset({"lean"}),
    "corpus": _BASE,
    "generate": frozenset({"lean", "llm", "corpus"}),
    **dict.fromkeys(("pipeline", "train", "evaluate"), _DATA),
    "prove": frozenset({"lean", "llm", "language", "corpus", "generate"}),
    "alf": _DATA | {"pipeline"},
    "stages": _STAGES,
    "web": _STAGES | {"stages"},
    "doctor": frozenset({"lean"}),
    "cli": _STAGES | {"stages", "web", "doctor"},
    "__main__": frozenset({"cli"}),
}
"""For each package (and the modules doctor.py and __main__.py), the others that it may import."""

HEAVY = ("torch", "transformers", "numpy")
LONGEST_MODULE = 500


# --- (a) imports ------------------------------------------------------------------------------


def modules(package: Path) -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Full names of our own modules that a file imports, wherever in it; a relative import is given as `.`."""
    for statement in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names if alias.name.split(".")[0] == "pythagoras")
        elif isinstance(statement, ast.ImportFrom):
            if statement.level:
                yield "."
            elif statement.module and statement.module.split(".")[0] == "pythagoras":
                for alias in statement.names:
                    inside = f"{statement.module}.{alias.name}"
                    yield inside if inside in known else statement.module


def complaints(package: Path) -> list[str]:
    """Every import that breaks a rule, as a line to read."""
    known = modules(package)
    wrong = []
    graph: dict[str, set[str]] = {}
    for name, path in known.items():
        part = _part(name)
        if part not in ROOT_MODULES and part not in MAY_IMPORT and part != "":
            wrong.append(f"{name}: {part} has no place in MAY_IMPORT")
        allowed = ROOT_MODULES | {"", part} | MAY_IMPORT.get(part, frozenset())
        graph[name] = set()
        for imported in imports(path, known):
            if imported == ".":
                wrong.append(f"{name}: has a relative import")
            elif _part(imported) not in allowed:
                wrong.append(f"{name}: imports {imported}")
            graph[name].add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        wrong.append(f"cycle: {' -> '.join(error.args[1])}")
    return wrong


def _part(module: str) -> str:
    """The package or root module that a module belongs to; empty for `pythagoras` itself."""
    return module.partition(".")[2].partition(".")[0]


def test_imports_are_absolute_and_point_downward() -> None:
    assert len(modules(PACKAGE)) > 10
    assert complaints(PACKAGE) == []


@pytest.mark.parametrize(
    ("module", "text", "complaint"),
    [
        ("lean/x.py", "from pythagoras.llm import chat", "pythagoras.lean.x: imports pythagoras.llm"),
        ("lean/x.py", "import pythagoras.cli.main", "pythagoras.lean.x: imports pythagoras.cli.main"),
        ("lean/x.py", "def f():\n    from pythagoras import doctor", "pythagoras.lean.x: imports pythagoras.doctor"),
        ("lean/x.py", "from . import y", "pythagoras.lean.x: has a relative import"),
        ("errors.py", "from pythagoras.lean import y", "pythagoras.errors: imports pythagoras.lean.y"),
        ("generate/x.py", "import pythagoras.engine", "pythagoras.generate.x: imports pythagoras.engine"),
        ("train/x.py", "import pythagoras.alf", "pythagoras.train.x: imports pythagoras.alf"),
        ("doctor.py", "import pythagoras.corpus", "pythagoras.doctor: imports pythagoras.corpus"),
        ("utils/x.py", "", "pythagoras.utils.x: utils has no place in MAY_IMPORT"),
        ("lean/y.py", "import pythagoras.lean.z", "cycle: "),
    ],
)
def test_a_broken_rule_is_noticed(tmp_path: Path, module: str, text: str, complaint: str) -> None:
    package = tmp_path / "pythagoras"
    files = {"__init__.py": "", "doctor.py": "", "lean/y.py": "", "lean/z.py": "import pythagoras.lean.y", module: text}
    for name, content in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(content)
    assert [line for line in complaints(package) if line.startswith(complaint)]
    assert len(complaints(package)) == 1


# --- (b) the command line is light -------------------------------------------------------------

_NOUNS = [(), *(command for command in COMMANDS if len(command) == 1)]

_GUARDED = f"""
import os, sys

class Guard:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY}:
            sys.stderr.write(f"imports {{name}}")
            sys.stderr.flush()
            os._exit(97)  # where an ImportError could be caught

sys.meta_path.insert(0, Guard())
sys.argv[0] = "pythagoras"
from pythagoras.cli.main import main
main()
"""


@pytest.mark.parametrize("noun", _NOUNS, ids=" ".join)
def test_help_needs_no_heavy_package(tmp_path: Path, noun: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _GUARDED, *noun, "--help"],
        capture_output=True,
        text=True,
        env=environment(tmp_path),
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: {' '.join(('pythagoras', *noun))} ")


def test_importing_the_command_line_loads_no_heavy_package(tmp_path: Path) -> None:
    for name in HEAVY:  # they may not be installed; here they can be imported
        (tmp_path / f"{name}.py").touch()
    script = f"""
import sys
sys.path.append({str(tmp_path)!r})
import pythagoras.cli.main
print(*(name for name in {HEAVY} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "\n"


# --- (c) what files look like ------------------------------------------------------------------

_UNWANTED = {
    "a package registry's host": re.compile(
        r"(?:registry|pypi|npmjs|npmmirror|pythonhosted|artifactory|jfrog|nexus|verdaccio|devpi)"
        r"[\w-]*(?:\.[\w-]+)*\.(?:org|com|net|io|dev|cn|local|internal|lan|corp)\b",
        re.IGNORECASE,
    ),
    "a path of somebody's machine": re.compile(r"(?<![\w.~>}-])/(?:work|root|home|Users)/"),
    "unfinished work": re.compile(r"\b(?:TODO|FIXME)\b"),
}


def _texts() -> dict[str, str]:
    """What people read: the package, the documents and the files that build and run it, without the tests."""
    places = [PROJECT / name for name in ("docs", "recipes", "examples", "benchmarks", ".ci")]
    files = [PROJECT / name for name in ("README.md", "Makefile", "pyproject.toml", "CONTRIBUTING.md", "CHANGELOG.md")]
    found = {}
    for path in [*files, *(path for place in [PACKAGE, *places] for path in sorted(place.rglob("*")))]:
        if path.is_file() and "__pycache__" not in path.parts:
            try:
                found[str(path.relative_to(PROJECT))] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue  # a picture, for instance
    return found


def _unwanted(text: str) -> list[str]:
    return [what for what, pattern in _UNWANTED.items() if pattern.search(text)]


def test_no_module_is_long() -> None:
    programs = [path for ending in ("py", "js") for path in PACKAGE.rglob(f"*.{ending}")]
    assert len(programs) > 20
    lengths = {str(path.relative_to(PROJECT)): len(path.read_text(encoding="utf-8").splitlines()) for path in programs}
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_files_name_no_registry_no_private_path_and_no_unfinished_work() -> None:
    texts = _texts()
    assert "pythagoras/lean/host/host.js" in texts
    assert {name: found for name, text in texts.items() if (found := _unwanted(text))} == {}


@pytest.mark.parametrize(
    ("text", "unwanted"),
    [
        ("npm config set registry https://registry.npmjs.org/", True),
        ("https://pypi.org/simple", True),
        ("https://nexus.lab.example.internal/repository", True),
        ("see /home/ada/lean", True),
        ('"/root/.cache"', True),
        ("`/work/main`", True),
        ("x = 1  # TODO: later", True),
        ("it knows the user's registry, proxy and certificates", False),
        ("https://example.org/home/page and <home>/lean and ~/work/x", False),
        ("mastodon, autofixme, todo", False),
    ],
)
def test_unwanted_text_is_noticed(text: str, unwanted: bool) -> None:
    assert bool(_unwanted(text)) is unwanted
