"""`pythagoras lean serve` with real Lean, asked by PyPI's kimina-client, which knows nothing of it."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psutil
import pytest

from pythagoras.lean.wire import InfoTree, Limits
from tests.lean.conftest import SharedHost
from tests.lean.kimina import infotree_functions, kimina_client, proof_utils
from tests.lean.servers import RunningServer, lean_server

VALID = "import Mathlib\nimport Aesop\n\ntheorem t (n : ℕ) (h : Odd n) : n % 2 = 1 := by\n  grind\n"
WRONG = "import Mathlib\n\nopen Nat\n\ntheorem t (n : ℕ) : n + 1 = n := by\n  omega\n"
OPEN = "import Mathlib\n\ntheorem t (p q : Prop) : p ∧ q → q ∧ p := by\n  sorry\n"
SLOW = (
    "import Mathlib\nset_option maxHeartbeats 0 in\nset_option maxRecDepth 1000000 in\n"
    "theorem t (a b c d e f g : ℕ) (h : (a*b+c*d*e+f)^7*(a+g)^5 = (a*g+2*b)^5) :"
    " (a*b*c+d*e*f+g)^5 = (a+b+c+d)^4 := by grind"
)
TACTICS = """import Mathlib

theorem t (p q : Prop) : p ∧ q → q ∧ p := by
  intro ⟨hp, hq⟩
  constructor
  -- swapped
  · exact hq
  · exact hp
"""
Status = kimina_client.SnippetStatus


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with lean_server("--jobs", "2", "--max-timeout", "300") as running:
        yield running


@pytest.fixture(scope="module")
def client(server: RunningServer) -> Any:
    return kimina_client.KiminaClient(api_url=server.address)


def check(client: Any, code: Any, **options: Any) -> list[Any]:
    return list(client.check(code, show_progress=False, **options).results)


# --- the client of today ---------------------------------------------------------------------------


def test_the_clients_own_test_passes(client: Any) -> None:
    client.test()
    assert client.health() == {"status": "ok"}


@pytest.mark.parametrize(("code", "status"), [(VALID, Status.valid), (WRONG, Status.lean_error), (OPEN, Status.sorry)])
def test_a_single_snippet(client: Any, code: str, status: Any) -> None:
    (result,) = check(client, code)
    assert result.analyze().status == status
    assert result.diagnostics is None


def test_lines_and_columns_are_those_of_the_snippet(client: Any) -> None:
    (wrong, opened) = check(client, [WRONG, OPEN])
    assert wrong.response["messages"][0]["pos"] == {"line": 6, "column": 2}
    assert opened.response["sorries"] == [
        {"pos": {"line": 4, "column": 2}, "endPos": {"line": 4, "column": 7}, "goal": "p q : Prop\n⊢ p ∧ q → q ∧ p"}
    ]


def test_a_batch(client: Any) -> None:
    wanted = [(VALID, Status.valid), (WRONG, Status.lean_error), (OPEN, Status.sorry)] * 7
    snippets = [
        kimina_client.Snippet(id=str(number), code=f"{code}-- {number}") for number, (code, _) in enumerate(wanted)
    ]
    found = {result.id: result.analyze().status for result in check(client, snippets, batch_size=4)}
    assert found == {str(number): status for number, (_, status) in enumerate(wanted)}


def test_a_time_out(client: Any) -> None:
    slow, valid = check(client, [SLOW, VALID], timeout=1, batch_size=2)
    assert slow.analyze().status == Status.timeout_error
    assert slow.error == "Lean REPL command timed out in 1 seconds"
    assert valid.analyze().status == Status.valid


def test_code_that_never_looks_at_the_clock_times_out_too(client: Any) -> None:
    (stuck,) = check(client, "#eval (IO.sleep 100000 : IO Unit)", timeout=1)
    assert stuck.analyze().status == Status.timeout_error


def test_what_the_clock_ended_never_looks_valid(shared: SharedHost) -> None:
    """Lean drops some interruptions without a word, and a snippet that nobody complains about is valid to clients."""
    for milliseconds in range(1, 60):
        answer = shared.check("#eval 2 + 2", limits=Limits(timeout_s=milliseconds / 1000))
        assert answer.interrupted or answer.messages[0].data == "4"


def test_a_host_that_dies_is_an_error_of_the_server(client: Any) -> None:
    (deadly,) = check(client, "#eval (IO.Process.exit 1 : IO Unit)")
    assert deadly.analyze().status == Status.server_error
    assert "says nothing about the snippet" in deadly.error
    assert check(client, VALID)[0].analyze().status == Status.valid


def test_the_asynchronous_client(server: RunningServer) -> None:
    async def ask() -> list[Any]:
        client = kimina_client.AsyncKiminaClient(api_url=server.address)
        await client.test()
        answer = await client.check([VALID, WRONG, OPEN], show_progress=False, batch_size=1)
        await client.close()
        return [result.analyze().status for result in answer.results]

    assert asyncio.run(ask()) == [Status.valid, Status.lean_error, Status.sorry]


def test_debug_and_reuse(client: Any) -> None:
    def host(reuse: bool) -> dict[str, Any]:
        code = f"{VALID}-- {time.monotonic()}"
        (result,) = check(client, code, debug=True, reuse=reuse)
        assert result.analyze().status == Status.valid
        return dict(result.diagnostics)

    used = [host(reuse=reuse) for reuse in (True, False, True, False, True)]
    assert all(found["memory_max"] > 100 * 2**20 for found in used)
    assert all(0 < found["cpu_max"] < 400 for found in used)
    names = [found["repl_uuid"] for found in used]
    assert all(names.count(name) == 1 for name in (names[1], names[3])), "a fresh host is nobody else's"


# --- headers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("theorem t (n : Nat) : n + 0 = n := rfl", Status.valid),
        ("theorem t (n : ℕ) : n + 0 = n := rfl", Status.lean_error),  # ℕ is Mathlib's
        ("import Mathlib.Tactic.Ring\ntheorem t (n : ℕ) : n + 0 = n := rfl", Status.valid),
        ("import Lean\nopen Lean.Elab.Command\n#check CommandElabM", Status.valid),
        ("import Nowhere", Status.lean_error),
    ],
)
def test_what_a_snippet_stands_on(client: Any, code: str, status: Any) -> None:
    (result,) = check(client, code)
    assert result.analyze().status == status


@pytest.mark.parametrize("header", ["", "import Mathlib\n"])
def test_nothing_leaks_from_one_snippet_to_another(client: Any, header: str) -> None:
    leak = "axiom leak : False\nnamespace A\ndef leaked : Nat := 1\nend A\nopen A"
    for _ in range(4):  # every host has seen it
        assert check(client, f"{header}{leak}\n-- {time.monotonic()}")[0].analyze().status == Status.valid
    for use in ("theorem t : False := leak", "#check A.leaked", "open A"):
        results = check(client, [f"{header}{use} -- {number}" for number in range(4)])
        assert {result.analyze().status for result in results} == {Status.lean_error}


# --- trees -----------------------------------------------------------------------------------------


def test_the_tree_of_tactics_is_one_that_the_clients_own_functions_read(client: Any) -> None:
    (result,) = check(client, TACTICS, infotree=kimina_client.Infotree.tactics)
    steps = infotree_functions()["extract_data"](result.response["infotree"], TACTICS)
    told = [(step["tactic"].strip(), step["goalsBefore"], step["goalsAfter"]) for step in steps]
    goal, intro = "p q : Prop\n⊢ p ∧ q → q ∧ p", "p q : Prop\nhp : p\nhq : q\n⊢ q ∧ p"
    assert ("by\n  intro ⟨hp, hq⟩", [goal], [intro]) in told
    assert "".join(step["tactic"] for step in steps) == TACTICS[TACTICS.index("by\n") :].rstrip()


@pytest.mark.parametrize("detail", ["tactics", "original", "substantive"])
def test_a_tree_has_the_shape_of_the_repls(shared: SharedHost, detail: InfoTree) -> None:
    """`constructor` is the REPL's own example, with its own answer."""
    tree = shared.living().check("def f (h : Int) : Nat := by constructor", infotree=detail).infotree
    leaf: Any = tree
    while leaf[0]["node"]["name"] != "Lean.Parser.Tactic.constructor":
        leaf = leaf[0]["children"]
    start, finish = {"line": 1, "column": 28}, {"line": 1, "column": 39}
    assert list(leaf) == [
        {
            "kind": "TacticInfo",
            "node": {
                "name": "Lean.Parser.Tactic.constructor",
                "stx": {"pp": "constructor", "range": {"synthetic": False, "start": start, "finish": finish}},
                "goalsBefore": ["h : Int\n⊢ Nat"],
                "goalsAfter": [],
            },
            "children": [],
        }
    ]


def test_kinds_of_trees_differ_in_their_tactics(shared: SharedHost) -> None:
    def nodes(tree: Any) -> Iterator[dict[str, Any]]:
        for item in tree:
            yield item["node"]
            yield from nodes(item["children"])

    code = "theorem t (a b : Nat) : a + b = b + a := by\n  first\n  | rfl\n  | rw [Nat.add_comm]"
    kinds: tuple[InfoTree, ...] = ("tactics", "original", "substantive")
    tactics, original, substantive = (
        list(nodes(shared.living().check(code, infotree=kind).infotree)) for kind in kinds
    )
    assert [node for node in tactics if not node["stx"]["range"]["synthetic"]] == original
    assert len(original) < len(tactics)
    assert "Lean.Parser.Tactic.tacticSeq" in {node["name"] for node in original}
    assert "Lean.Parser.Tactic.tacticSeq" not in {node["name"] for node in substantive}
    assert {"rw [Nat.add_comm]"} <= {node["stx"]["pp"] for node in substantive}


def test_endless_nesting_is_flattened(shared: SharedHost) -> None:
    depth = 150
    code = "theorem t : True := by\n  " + "(" * depth + "trivial" + ")" * depth
    tree: Any = shared.living().check(code, infotree="tactics").infotree
    levels = 0
    while tree:
        levels += 1
        tree = tree[0]["children"]
    assert 100 < levels <= 200


def test_the_repl_gives_trees_too() -> None:
    requests = [{"cmd": "example : True := by trivial", "infotree": kind} for kind in ("substantive", "full")]
    lines = "\n\n".join(map(json.dumps, requests))
    command = [sys.executable, "-m", "pythagoras", "lean", "repl"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=120, check=True)
    substantive, full = (json.loads(block) for block in done.stdout.strip().split("\n\n"))
    assert substantive["infotree"][0]["node"]["stx"]["pp"] == "trivial"
    assert full == {"message": "'infotree' is one of tactics, original, substantive, not full."}


# --- the client of yesterday -----------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/verify", "/one_pass_verify_batch"])
def test_the_older_calls(server: RunningServer, path: str) -> None:
    body = {
        "codes": [
            {"custom_id": "valid", "proof": VALID},
            {"custom_id": "wrong", "code": WRONG},
            {"custom_id": 3, "proof": OPEN},
        ],
        "infotree_type": "original",
    }
    response = httpx.post(f"{server.address}{path}", json=body, timeout=60)
    answer: Any = kimina_client.VerifyResponse.model_validate(response.json())
    found: dict[str, Any] = {result["custom_id"]: proof_utils.analyze_sample(result) for result in answer.results}
    assert {name: (each.has_error, each.is_valid_with_sorry) for name, each in found.items()} == {
        "valid": (False, True),
        "wrong": (True, False),
        "3": (False, True),
    }
    assert found["valid"].is_valid_no_sorry
    assert found["valid"].time > 0
    assert answer.results[0]["response"]["infotree"]
    assert answer.results[2]["response"]["sorries"]
    slow = {"codes": [{"custom_id": "slow", "proof": SLOW}], "timeout": 1}
    (result,) = httpx.post(f"{server.address}{path}", json=slow, timeout=60).json()["results"]
    assert result == {"custom_id": "slow", "error": "Lean REPL command timed out in 1 seconds"}


# --- the key, the port, the end --------------------------------------------------------------------


def test_the_key_of_the_environment_is_asked_for() -> None:
    with lean_server("--jobs", "1", LEAN_SERVER_API_KEY="secret") as server:
        assert httpx.post(f"{server.address}/api/check", json={}).status_code == 401
        right = kimina_client.KiminaClient(api_url=server.address, api_key="secret")
        assert check(right, VALID)[0].analyze().status == Status.valid
        wrong = kimina_client.KiminaClient(api_url=server.address, api_key="secrets", n_retries=1)
        assert check(wrong, VALID)[0].analyze().status == Status.server_error


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_with_all_its_processes(sent: signal.Signals) -> None:
    with lean_server("--jobs", "1") as server, ThreadPoolExecutor(1) as thread:
        body = {"snippets": [{"id": "a", "code": "#eval (IO.sleep 60000 : IO Unit)"}]}
        busy = thread.submit(httpx.post, f"{server.address}/api/check", json=body, timeout=60)
        time.sleep(1)
        processes = server.lean_processes()
        assert processes
        server.process.send_signal(sent)
        assert server.process.wait(timeout=30) == 0
        _, alive = psutil.wait_procs(processes, timeout=10)
        assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]
        assert busy.result().status_code == 503


def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "pythagoras", "lean", "serve", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert f"port {port} of 127.0.0.1 can't be used (Address already in use)" in done.stderr


# --- our own endpoint --------------------------------------------------------------------------------

STATEMENT = "import Mathlib\n\ntheorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by sorry"
SUBMISSIONS = {
    "body": ("by omega", "holds"),
    "file": ("import Mathlib\nopen Nat\nlemma aux (n : ℕ) : n = n := rfl\ntheorem t : False := by omega", "holds"),
    "completion": ("Think.\n```lean4\ntheorem t (n : ℕ) (h : n > 3) : n ≥ 2 := by\n  omega\n```", "holds"),
    "wrong": ("by simp", "lean_error"),
    "gives up": ("by sorry", "sorry"),
    "assumes": ("axiom cheat : False\ntheorem t : False := cheat", "axiom"),
    "changes": ("variable (no : False)\ninclude no\ntheorem t : False := no.elim", "statement_changed"),
    "nothing": ("-- todo", "no_proof"),
}


def ask_verdict(address: str, **more: Any) -> httpx.Response:
    submissions = [{"id": name, "text": text} for name, (text, _) in SUBMISSIONS.items()]
    body = {"statement": STATEMENT, "submissions": submissions, **more}
    return httpx.post(f"{address}/api/verdict", json=body, timeout=120)


def test_verdicts_over_http(server: RunningServer) -> None:
    results = ask_verdict(server.address).raise_for_status().json()["results"]
    assert {one["id"]: one["reason"] for one in results} == {name: why for name, (_, why) in SUBMISSIONS.items()}
    proved = results[0]
    assert (proved["outcome"], proved["tier"], proved["axioms"], proved["theorem"]) == ("proved", 4, [], "t")
    replayed = ask_verdict(server.address, policy={"replay": True}).json()["results"]
    assert replayed[0]["tier"] == 5


def test_what_the_verdict_endpoint_refuses(server: RunningServer) -> None:
    assert ask_verdict(server.address, statement="def x := 1").status_code == 422
    assert "no theorem of the text is called" in ask_verdict(server.address, theorem="other").text
    assert "did you mean 'core'" in ask_verdict(server.address, header="cores").text
    mathlib = ask_verdict(server.address, header="mathlib")  # which shows when Lean is asked
    assert (mathlib.status_code, mathlib.json()["detail"].partition(",")[0]) == (
        422,
        "the embedded Lean has no Mathlib",
    )
    assert ask_verdict(server.address, policy={"everything": True}).status_code == 422
    broken = ask_verdict(server.address, statement="theorem t : nonsense = 1 := sorry").json()["results"]
    assert broken[0]["outcome"] is None
    assert "the statement is no Lean" in broken[0]["failure"]


def test_declarations_come_when_they_are_asked_for(server: RunningServer) -> None:
    snippets = [{"id": "a", "code": "theorem t : 1 = 1 := rfl"}, {"id": "b", "code": "#eval 1"}]
    body = {"snippets": snippets, "declarations": True, "refuse": ["program"]}
    first, second = httpx.post(f"{server.address}/api/check", json=body, timeout=60).json()["results"]
    (declared,) = first["response"]["declarations"]
    assert (declared["name"], declared["kind"], declared["axioms"]) == ("t", "theorem", [])
    assert second["response"]["refused"] == {"kind": "program", "syntax": "Lean.Parser.Command.eval"}
