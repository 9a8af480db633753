"""`pythagoras corpus` as a user meets it: the way from a source to a trainer's files, and what goes wrong on it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Formalisation, Instance, Rejected, Tier
from pythagoras.corpus.rows import to_line
from tests.unit.corpora import instance, problem
from tests.unit.processes import pythagoras

MINIF2F = {
    "name": "mine_1",
    "split": "valid",
    "informal_prefix": "/-- Show that a number that is at least seven is at least five. -/\n",
    "formal_statement": "theorem mine_1 (n : ℕ) (h₀ : 7 ≤ n) : 5 ≤ n := by\n",
    "goal": "n : ℕ\nh₀ : 7 ≤ n\n⊢ 5 ≤ n",
    "header": "import Mathlib\n\n",
}


class Shell:
    """Runs the command in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir()

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        placed = [str(self.folder / word.removeprefix("@")) if word.startswith("@") else word for word in arguments]
        return pythagoras("corpus", *placed, home=self.home, stdin=stdin.encode())

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def complaint(self, *arguments: str) -> str:
        done = self.run(*arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        return done.stderr.strip()

    def write(self, name: str, *lines: str) -> str:
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return f"@{name}"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def some_instances() -> list[Instance]:
    tiers = (Tier.EASY, Tier.MEDIUM, Tier.HARD)
    return [
        instance(
            f"theorem t{n} (a : ℕ) (h : a = {n}) : a + {n * n} = {n + n * n}",
            name=f"t{n}",
            proof="by omega",
            tier=tiers[n % 3],
            reasoning="Put the value in and add. " * (1 if n % 4 else 400),
            informal=f"If a is {n}, then a and the square of {n} add up to {n + n * n}.",
        )
        for n in range(1, 31)
    ]


# --- the whole way --------------------------------------------------------------------------------


def test_generated_problems_are_stored_in_words_and_in_lean(shell: Shell, tmp_path: Path) -> None:
    made = shell.json("generate", "-n", "60", "--seed", "5", "-o", "@g")
    assert made["kinds"] == {"formalisation": 60, "problem": 60}
    statements = [record for record in read_records(tmp_path / "g") if isinstance(record, Formalisation)]
    problems = list(read_records(tmp_path / "g", "problem"))
    assert [record.docstring for record in statements] == [
        record.text for record in problems if hasattr(record, "text")
    ]
    assert shell.json("generate", "-n", "60", "--seed", "5", "-o", "@g")["read"] == 120  # done already
    again = shell.json("stats", "@g")
    assert (again["rows"], again["source"]) == (60, {"generator": 60})
    assert set(again["tier"]) == {"easy", "medium", "hard"}


def test_from_rows_to_a_trainers_files(shell: Shell, tmp_path: Path) -> None:
    rows = some_instances()
    copies = [to_line(rows[0]), to_line(instance(rows[3].statement.replace("a ", "b "), tier=Tier.HARD, name="t4"))]
    shell.write("in.jsonl", *map(to_line, rows), *copies)
    shell.write(
        "bench.jsonl",
        json.dumps(MINIF2F),
        json.dumps({**MINIF2F, "name": "t6", "formal_statement": f"{rows[5].statement} := by\n"}),
    )

    alone = shell.json("dedup", "@in.jsonl", "-o", "@d", "--embedder", "none")
    assert alone["dropped"] == {"same text": 1, "same up to names": 1}
    clean = shell.json(
        "decontaminate", "@d", "-o", "@c", "--against", "@bench.jsonl", "--stages", "surface,structure", "--no-lean"
    )
    assert clean["dropped"] == {"surface hash": 1}
    fitted = shell.json("filter", "@c", "-o", "@f", "--tokenizer", "lean", "--budget", "600")
    assert fitted["counted"]["easy case proof only"] >= 1
    assert fitted["kept"] == clean["kept"]
    done = shell.json("export", "@f", "-o", "@x", "--to", "trl", "--prompt", "compact", "--stages", "easy,medium,hard")
    assert sum(done["rows"].values()) == fitted["kept"]
    assert all(Path(file).is_file() for file in done["files"])

    found = shell.json("stats", "@f")
    assert [step["stage"] for step in found["funnel"]] == ["dedup", "decontaminate", "filter"]
    table = shell.run("stats", "@f", "--picture", "@f.png").stdout
    assert "same text 1" in table
    assert (tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    [gone] = [record for record in read_records(tmp_path / "c", "rejected") if isinstance(record, Rejected)]
    assert (gone.stage, gone.reason, gone.other) == ("decontaminate", "surface hash", "bench/valid/t6")


def test_an_import_says_what_it_could_not_read_and_keeps_the_rest(shell: Shell, tmp_path: Path) -> None:
    good = json.dumps({"problem": "What is 1 + 1?", "answer": "2", "solution": "2"})
    shell.write("set.jsonl", good, "{", json.dumps({"problem": None, "answer": "3", "solution": "3"}), good)
    done = shell.run("import", "@set.jsonl", "--as", "deepscaler", "-o", "@i")
    assert done.returncode == 2
    assert done.stdout.splitlines()[0].endswith("i: 2 of 4 rows kept")
    lines = done.stderr.splitlines()
    assert [("row 2" in lines[0], "JSON" in lines[0]), ("row 3" in lines[1], "problem" in lines[1])] == [
        (True, True)
    ] * 2
    assert lines[2].startswith("2 places could not be read; what could be is in")
    assert len(list(read_records(tmp_path / "i"))) == 2
    assert shell.run("import", "@set.jsonl", "--as", "deepscaler", "-o", "@i").returncode == 2  # it is said again


def test_a_benchmark_that_is_ours_is_no_source(shell: Shell) -> None:
    rows = pythagoras("eval", "corebench", "--rows", "--split", "valid", home=shell.home)
    assert rows.returncode == 0
    shell.write("core.jsonl", *rows.stdout.splitlines()[:3])
    done = shell.run("import", "@core.jsonl", "-o", "@i")
    assert done.returncode == 2
    assert "benchmark material" in done.stderr
    assert "0 of" in done.stdout


def test_stats_read_standard_input(shell: Shell) -> None:
    done = shell.run("stats", "-", "--json", stdin="".join(f"{to_line(problem(str(n)))}\n" for n in range(3)))
    assert json.loads(done.stdout)["rows"] == 3


def test_what_sources_and_families_there_are(shell: Shell) -> None:
    assert {"dart-math-hard", "big-math-hard", "numinamath-lean"} <= {each["name"] for each in shell.json("sources")}
    families = shell.json("families")
    assert len(families) >= 8
    assert sum(map(len, families.values())) >= 30


# --- complaints -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("stats", "@nowhere"), "does not exist: name a corpus folder"),
        (("stats", "@in.jsonl", "--picture", "@x.bmp"), "end its name in one of .png, .svg, .pdf"),
        (("stats", "@in.jsonl", "--tokenizer", "byte"), "did you mean 'bytes'?"),
        (("stats", "@in.jsonl", "--kind", "instances"), "did you mean 'instance'?"),
        (("generate", "-o", "@g", "--family", "linear_tripel"), "did you mean 'linear_triple'?"),
        (("generate", "-o", "@g", "--family", "linear_triple", "--level", "0"), "Invalid value for '--level'"),
        (("import", "@nowhere.jsonl", "-o", "@i"), "nowhere.jsonl"),
        (("import", "@in.jsonl", "-o", "@i", "--as", "deepscalar"), "did you mean 'deepscaler'?"),
        (("import", "@in.jsonl", "-o", "@i", "--tier", "heard"), "did you mean 'hard'?"),
        (("import", "@in.jsonl", "-o", "@i", "--table", "math"), "write NAME=FILE"),
        (("dedup", "@in.jsonl", "-o", "@d", "--embedder", "minlm"), "did you mean 'minilm'?"),
        (("dedup", "@in.jsonl", "-o", "@d", "--method", "hole"), "did you mean 'whole'?"),
        (("dedup", "@in.jsonl", "-o", "@d", "--tau", "7"), "tau is 7.0"),
        (("dedup", "-", "-o", "@d", "--embedder", "none"), "standard input can't be: write it to a file first"),
        (("decontaminate", "@in.jsonl", "-o", "@d"), "Missing option '--against'"),
        (("decontaminate", "@in.jsonl", "-o", "@d", "--against", "corebench", "--stages", "ngrams"), "mean 'ngram'?"),
        (("filter", "@in.jsonl", "-o", "@d"), "Missing option '--tokenizer'"),
        (("filter", "@in.jsonl", "-o", "@d", "--tokenizer", "lean", "--mode", "trunc"), "did you mean 'truncate'?"),
        (("dedup", "@in.jsonl", "-o", "@d", "--embedder", "nun"), "choose one of gte-qwen2, minilm, none, static, or"),
        (("build", "@in.jsonl", "-o", "@d"), "tour, or name a .toml file"),
        (("build", "-o", "@d.toml"), "name the recipe before it"),
        (("build", "small", "-o", "@in.jsonl", "--set", "finish.against=[]"), "in.jsonl is a file: name a folder"),
        (("build", "paper", "-o", "@d"), "the source data/dart-math-hard is not there"),
        (
            ("build", "small", "-o", "@d", "--set", "finish.against=['data/minif2f.jsonl']"),
            "data/minif2f.jsonl does not exist: name a file",
        ),
        (("export", "@in.jsonl", "-o", "@d", "--to", "vrl"), "did you mean 'verl'?"),
        (("export", "@in.jsonl", "-o", "@d", "--to", "trl", "--stages", "easy,easier"), "did you mean 'easy'?"),
        (("export", "@in.jsonl", "-o", "@d", "--to", "trl", "--prompt", "goedl"), "did you mean 'goedel'?"),
    ],
)  # fmt: skip
def test_wrong_use_gets_one_line(shell: Shell, tmp_path: Path, arguments: tuple[str, ...], complaint: str) -> None:
    shell.write("in.jsonl", *map(to_line, some_instances()))
    assert complaint in shell.complaint(*arguments)
    assert not [path.name for path in tmp_path.iterdir() if path.name in ("g", "i", "d")]


def test_stores_in_a_folder_are_named(shell: Shell, tmp_path: Path) -> None:
    for name in ("run/corpus/train", "run/corpus/validation", "run/held_out"):
        shell.json("generate", "-n", "1", "-o", f"@{name}")
    corpus = f"{tmp_path}/run/corpus"
    said = f"run/corpus is no corpus, but has some in it: name {corpus}/train or {corpus}/validation"
    assert shell.complaint("stats", "@run/corpus").endswith(said)
    assert shell.complaint("stats", "@run").endswith(f"{corpus}/validation or {tmp_path}/run/held_out")
    (tmp_path / "empty").mkdir()
    assert "empty is no corpus: name a folder made by" in shell.complaint("stats", "@empty")


def test_a_picture_goes_where_it_is_told_to(shell: Shell, tmp_path: Path) -> None:
    shell.write("in.jsonl", *map(to_line, some_instances()))
    done = shell.run("stats", "@in.jsonl", "--picture", "@not/there/x.svg")
    assert (done.returncode, done.stderr) == (0, f"drawn: {tmp_path}/not/there/x.svg\n")
    assert (tmp_path / "not" / "there" / "x.svg").is_file()


def test_a_build_is_begun_anew_when_told_so(shell: Shell, tmp_path: Path) -> None:
    rows, recipe = tmp_path / "rows.jsonl", shell.write("mine.toml", 'name = "mine"', "[finish]", "against = []")
    rows.touch()
    nothing = ("--set", f"source.files=['{rows}']", "--set", "finish.embedder=none")  # so that no Lean is asked
    arguments = ("build", recipe, "-o", "@run", *nothing, "--workers", "1")
    assert shell.json(*arguments)["recipe"]["seed"] == 0
    (tmp_path / "run" / "stages" / "01-source" / "done").mkdir(exist_ok=True)
    (tmp_path / "run" / "stages" / "01-source" / "done" / "00000.json").touch()
    refused = shell.complaint(*arguments, "--set", "seed=3")
    assert refused.endswith("(seed: 0 there, 3 now): choose another folder, or pass --overwrite")
    assert shell.json(*arguments, "--set", "seed=3", "--overwrite")["recipe"]["seed"] == 3
    done = shell.run("funnel", "@run", "--picture", "@not/there/x.png")
    assert (done.returncode, done.stderr) == (0, f"drawn: {tmp_path}/not/there/x.png\n")


@pytest.mark.parametrize("out", ["@g", "@g/inside", "@"])
def test_what_is_read_is_not_written_over(shell: Shell, tmp_path: Path, out: str) -> None:
    shell.json("generate", "-n", "5", "-o", "@g")
    assert "choose a folder apart from it" in shell.complaint("consistency", "@g", "-o", out, "--overwrite")
    assert len(list(read_records(tmp_path / "g"))) == 5


def test_other_work_is_not_written_over(shell: Shell) -> None:
    shell.write("in.jsonl", *map(to_line, some_instances()))
    shell.json("dedup", "@in.jsonl", "-o", "@d", "--embedder", "none")
    assert "holds the result of other settings (tau: 0.75 there, 0.9 now)" in shell.complaint(
        *("dedup", "@in.jsonl", "-o", "@d", "--embedder", "none", "--tau", "0.9")
    )
    assert (
        shell.json("dedup", "@in.jsonl", "-o", "@d", "--embedder", "none", "--tau", "0.9", "--overwrite")["kept"] == 30
    )
