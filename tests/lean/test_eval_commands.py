"""`pythagoras eval run` as a user meets it, with real Lean: runs that go on, recorded attempts, models, protocols."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pythagoras.evaluate.corebench.items import load
from tests.lean.servers import lean_server
from tests.unit.model_server import answers, chat, model_server

LEVEL_1 = ("corebench/valid", "--level", "1")
EASY = [item for item in load("valid") if item.level == 1]
NAMES = [item.name for item in EASY]


def evaluate(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pythagoras", "eval", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False, env={**os.environ, "COLUMNS": "80"})
    found = subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in found.stderr, found.stderr
    assert found.returncode == code, found.stderr
    return found


def run(folder: Path, *arguments: str, code: int = 0) -> Any:
    done = evaluate("run", *arguments, "-o", str(folder), "-j", "1", "--json", code=code)
    found = json.loads(done.stdout)
    counts = found["counts"]
    assert counts["wanted"] == counts["drawn"] + counts["missing"]
    assert counts["drawn"] == sum(counts[name] for name in ("proved", "rejected", "timeout", "unjudged"))
    return {**found, "stderr": done.stderr}


def refused(folder: Path, *arguments: str) -> str:
    done = evaluate("run", *arguments, "-o", str(folder), "-j", "1", code=2)
    assert (done.stdout, len(done.stderr.splitlines())) == ("", 1)
    return done.stderr


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


# --- going on ------------------------------------------------------------------------------------


def test_the_same_command_draws_nothing_anew_and_more_attempts_are_added(tmp_path: Path) -> None:
    some = (*LEVEL_1, "--limit", "4")
    first = run(tmp_path / "r", *some, "-n", "2")
    assert (first["session"]["drawn"], first["counts"]["wanted"]) == (8, 8)
    again = run(tmp_path / "r", *some, "-n", "2")
    assert (again["session"]["drawn"], again["session"]["reused"], again["session"]["judged"]) == (0, 8, 0)
    more = run(tmp_path / "r", *some, "-n", "3")
    assert (more["session"]["drawn"], more["session"]["reused"]) == (4, 8)
    assert "seed was 0, is now 7" in refused(tmp_path / "r", *some, "-n", "3", "--seed", "7")
    assert "lean.timeout_s was 60.0, is now 9.0" in refused(tmp_path / "r", *some, "-n", "3", "--timeout", "9")
    assert "more than 2" in refused(tmp_path / "r", *some, "-n", "2")
    anew = run(tmp_path / "r", *some, "-n", "2", "--overwrite")
    assert (anew["session"]["drawn"], anew["session"]["reused"]) == (8, 0)
    shown = evaluate("run", *some, "-n", "2", "-o", str(tmp_path / "r"), "-j", "1").stdout
    assert max(map(len, shown.splitlines()[3:-1])) <= 80
    assert "corebench/valid" in shown


def test_killed_and_resumed(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    some = (*LEVEL_1, "--limit", "12", "-n", "6")
    command = [sys.executable, "-m", "pythagoras", "eval", "run", *some, "-o", str(folder), "-j", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    journal = folder / "judgements" / "part-00000.jsonl"
    while process.poll() is None and not (journal.exists() and journal.read_bytes().count(b"\n") >= 5):
        time.sleep(0.01)
    assert process.poll() is None, "it was done before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    rest = run(folder, *some)
    assert rest["session"]["drawn"] + rest["session"]["reused"] == 72
    assert rest["session"]["reused"] > 0
    assert (rest["counts"]["drawn"], rest["counts"]["unjudged"]) == (72, 0)


def test_solved_statements_are_left_alone_if_asked(tmp_path: Path) -> None:
    """More attempts than are drawn ahead of their verdicts."""
    tactics = tmp_path / "tactics.txt"
    tactics.write_text("grind\n" + "".join(f"exact nothing_{k}\n" for k in range(29)), encoding="utf-8")
    some = (*LEVEL_1, "--limit", "5", "-n", "30", "-s", f"portfolio:{tactics}")
    found = run(tmp_path / "r", *some, "--stop-when-solved")
    assert found["session"]["drawn"] + found["session"]["left_out"] == 150
    assert found["session"]["left_out"] == found["counts"]["missing"] > 0
    assert found["no_estimate"]


# --- recorded attempts ---------------------------------------------------------------------------


def test_recorded_attempts_good_and_bad(tmp_path: Path) -> None:
    first, second, third, *_ = EASY
    path = write(
        tmp_path / "mine.jsonl",
        {"name": first.name, "completion": f"```lean4\n{first.statement.text} := {first.proof}\n```"},
        {"name": first.name, "completion": ""},
        {"name": first.name, "completion": "x" * 2**20},
        {"name": second.name, "completion": f"```lean4\ntheorem {second.name} : True := trivial\n```"},
        {"name": second.name, "proof": second.proof},
        {"name": second.name, "proof": None},
        {"name": "nobody_knows", "proof": "by omega"},
    )
    found = run(tmp_path / "r", *LEVEL_1, "--limit", "3", "-s", f"recorded:{path}", code=2)
    told = found["stderr"]
    assert "1 rows that can't be read: " in told
    assert "row 6" in told
    assert "1 recorded names that the benchmark does not have: nobody_knows" in told
    assert f"1 statements without a recorded attempt: {third.name}" in told
    assert f"1 statements with fewer attempts than others: {second.name}" in told
    counts = found["counts"]
    assert (counts["wanted"], counts["drawn"], counts["missing"]) == (9, 5, 4)
    assert (counts["proved"], counts["rejected"], counts["solved"]) == (2, 3, 2)
    assert (found["session"]["failed"], found["session"]["impossible"]) == (0, 4)


@pytest.mark.parametrize("kind", ["samples", "goedel", "run"])
def test_recorded_attempts_in_other_shapes(tmp_path: Path, kind: str) -> None:
    some = (*LEVEL_1, "--limit", "2")
    if kind == "run":
        place = tmp_path / "first"
        run(place, *some, "-n", "2")
    elif kind == "goedel":
        rows: list[dict[str, Any]] = [
            {"problem_id": f"{item.name}_g{k}", "model_output": f"```lean4\n{item.statement.text} := {proof}\n```"}
            for item in EASY[:2]
            for k, proof in enumerate((item.proof, "by skip"))
        ]
        place = write(tmp_path / "full_records.jsonl", *rows)
    else:
        rows = [
            {"name": item.name, "samples": [{"completion": item.proof}, {"completion": "by skip"}]} for item in EASY[:2]
        ]
        place = write(tmp_path / "rows.jsonl", *rows)
    found = run(tmp_path / "r", *some, "-s", f"recorded:{place}")
    assert (found["counts"]["wanted"], found["counts"]["drawn"]) == (4, 4)
    if kind != "run":
        assert (found["counts"]["proved"], found["counts"]["solved"]) == (2, 2)


# --- benchmarks ----------------------------------------------------------------------------------


def test_what_is_no_benchmark(tmp_path: Path) -> None:
    strange = write(tmp_path / "strange.jsonl", {"colour": "blue"})
    assert "strange.jsonl" in refused(tmp_path / "r", str(strange))
    words = write(tmp_path / "words.jsonl", {"problem": "Show that 1 + 1 = 2.", "answer": "2"})
    assert "words.jsonl" in refused(tmp_path / "r", str(words))
    assert "does not exist" in refused(tmp_path / "r", str(tmp_path / "nowhere.jsonl"))
    assert not (tmp_path / "r").exists()


def test_corebench_alf_is_measured_on_by_its_name(tmp_path: Path) -> None:
    found = run(tmp_path / "r", "corebench-alf", "--limit", "4", "-n", "2", "--sampler", "portfolio")
    assert (found["counts"]["wanted"], found["counts"]["unjudged"], found["unfit"]) == (8, 0, {})
    benchmark = found["manifest"]["benchmark"]
    assert (benchmark["name"], benchmark["mutation"]) == ("corebench-alf/test", True)


def test_a_benchmark_beside_its_mutation(tmp_path: Path) -> None:
    originals, mutations = [], []
    for k in (3, 5):
        statement = f"theorem made_{k} (n : ℕ) (h₀ : {k} < n) : {k - 1} < n := by\n"
        row = {
            "name": f"made_{k}",
            "split": "test",
            "informal_prefix": "/-- Smaller numbers are smaller. -/\n",
            "formal_statement": statement,
            "header": "",
        }
        originals.append(row)
        changed = statement.replace(f"made_{k}", f"made_{k}_alf").replace("(n ", "(m ").replace("< n", "< m")
        changed = changed.replace(f"{k - 1} < m", f"{k - 1} < m * m" if k == 5 else f"{k - 2} < m")
        mutations.append(
            {**row, "name": f"made_{k}_alf", "formal_statement": changed, "parent": f"made_{k}", "operator": "numbers"}
        )
    for name, rows in (("mine", originals), ("mine-alf", mutations)):
        path = write(tmp_path / f"{name}.jsonl", *rows)
        tactics = tmp_path / "tactics.txt"
        tactics.write_text("omega\nrfl\n", encoding="utf-8")
        run(tmp_path / name, str(path), "-s", f"portfolio:{tactics}", "--label", "one")
    done = evaluate("compare", str(tmp_path / "mine"), str(tmp_path / "mine-alf"), "--json")
    mutation = json.loads(done.stdout)["mutation"]
    outcomes = {pair["mutation"]: pair["outcomes"]["one"] for pair in mutation["pairs"]}
    assert outcomes == {"made_3_alf": "both solved", "made_5_alf": "lost"}
    assert {pair["operator"] for pair in mutation["pairs"]} == {"numbers"}


# --- protocols, models, servers ------------------------------------------------------------------


def test_protocols_by_name_and_from_a_file(tmp_path: Path) -> None:
    some = (*LEVEL_1, "--limit", "2")
    filled = run(tmp_path / "infill", *some, "-n", "2", "--protocol", "infill", "--rounds", "2")
    assert filled["counts"]["wanted"] == 4
    assert filled["session"]["drawn"] >= 4
    own = tmp_path / "own.toml"
    own.write_text('about = "two of one"\n[[parts]]\nsampler = "portfolio"\nat_most = 2\n', encoding="utf-8")
    mine = run(tmp_path / "own", *some, "-n", "5", "--protocol", str(own))
    assert (mine["manifest"]["protocol"]["name"], mine["counts"]["wanted"]) == ("own", 4)
    assert "There are 2 attempts at a statement, so 2 are made in place of 5" in mine["stderr"]
    own.write_text("[[parts]]\nround = 2\n", encoding="utf-8")
    assert "did you mean 'rounds'" in refused(tmp_path / "own", *some, "--protocol", str(own))


def test_a_model_corrects_itself_after_the_portfolio(tmp_path: Path) -> None:
    item = EASY[0]
    wrong, right = (chat(f"```lean4\n{item.statement.text} := {proof}\n```") for proof in ("by skip", item.proof))
    with model_server(answers(wrong), answers(right)) as server:
        some = (*LEVEL_1, "--name", item.name, "-s", server.url, "--model", "tiny-prover")
        found = run(tmp_path / "r", *some, "-n", "1", "--protocol", "self-correction", "--rounds", "2")
    assert [len(asked["messages"]) for asked in server.asked][1] > len(server.asked[0]["messages"])
    assert (found["session"]["drawn"], found["counts"]["drawn"], found["counts"]["proved"]) == (2, 1, 1)
    with model_server(answers(right)) as server:
        mixed = ("-s", f"model={server.url}", "-s", "portfolio", "--model", "tiny-prover")
        found = run(tmp_path / "m", *LEVEL_1, "--name", item.name, *mixed, "-n", "17", "--protocol", "portfolio-first")
    assert len(server.asked) == 2
    assert found["counts"]["drawn"] == 17


def test_a_kimina_server_judges(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.jsonl", {"name": EASY[0].name, "proof": EASY[0].proof})
    with lean_server("--jobs", "1") as server:
        found = run(
            tmp_path / "r", *LEVEL_1, "--name", EASY[0].name, "-s", f"recorded:{path}", "--backend", server.address
        )
    assert found["manifest"]["lean"]["header"] == "mathlib"
    assert found["counts"]["proved"] == 1
