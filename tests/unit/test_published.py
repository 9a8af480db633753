"""Published results: sound by themselves, and number for number those that the paper's tables print."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from pythagoras.errors import InputError
from pythagoras.evaluate.analysis.cost import Round, etc_of_rounds, throughput_score
from pythagoras.evaluate.analysis.published import (
    PublishedResult,
    published,
    published_figures,
    published_rounds,
    scaling,
)
from pythagoras.lean.diagnostics import ErrorClass

PAPER = Path(__file__).parents[3] / "shared" / "paper" / "pythagoras-prover.tex"
needs_paper = pytest.mark.skipif(not PAPER.exists(), reason="needs the paper in ../shared/paper")


# --- by themselves -------------------------------------------------------------------------------


def test_results_are_found_by_what_they_are_about() -> None:
    (best,) = published("minif2f/test", method="Pythagoras-Prover-32B", n=2048, table="tab:budget_performance")
    assert (best.value, best.unit, best.protocol) == (93.0, "percent", "restart")
    assert best.share == pytest.approx(0.93)
    assert best.source == "as reported in the Pythagoras-Prover paper, tab:budget_performance; measured there"
    corrected = published("putnambench", protocol="self-correction")
    assert [(one.n, one.value, one.total, one.copied) for one in corrected] == [
        (184, 86, 672, True),
        (32, 57, 672, True),
    ]
    assert corrected[0].share == 86 / 672
    assert corrected[0].system == "Goedel-Prover-V2 (self-correction)"
    assert corrected[0].as_dict()["source"].endswith("tab:putnambench; copied there from others")
    assert published("corebench/test") == ()


def test_every_result_is_sound() -> None:
    results = published()
    assert {one.benchmark for one in results} == {"minif2f/test", "minif2f-alf/test", "putnambench"}
    for one in results:
        assert 0 < one.share < 1
        assert (one.unit == "solved") == (one.total is not None)
        assert (one.n == 0) == (one.protocol in ("ttrl", "not told"))
        assert one.copied != (one.method.startswith("Pythagoras") or one.benchmark == "minif2f-alf/test")
        assert one.params == "" or one.method.find(one.params) >= 0 or one.method in ("STP", "Goedel-Prover-SFT")
    keys = Counter((one.table, one.system, one.n) for one in results)
    assert [key for key, count in keys.items() if count > 1] == []


def test_the_same_result_is_the_same_in_both_tables() -> None:
    main = {(one.system, one.n): one.value for one in published(table="tab:budget_performance")}
    full = {(one.system, one.n): one.value for one in published(table="tab:budget_performance_full")}
    shared = main.keys() & full.keys()
    assert {key: main[key] for key in shared} == {key: full[key] for key in shared}
    assert main.keys() - full.keys() == {("Kimina-Prover-8B-Distill", 32)}


def test_beside_curves_each_point_stands_once() -> None:
    found = scaling("minif2f/test")
    keys = [(one.system, one.n) for one in found]
    assert len(set(keys)) == len(keys)
    assert ("STP", 128) in keys
    assert not any("SFT only" in one.method or "filtering" in one.method or one.n == 0 for one in found)


def test_figures_with_counts_are_what_the_counts_give() -> None:
    for one in published_figures():
        if one.count is not None and one.total is not None:
            digits = 1 if one.section == "sec:easy_medium_analysis" else 2
            assert round(100 * one.count / one.total, digits) == one.value, one
    errors = [one for one in published_figures() if one.about.startswith("error classes")]
    assert sum(one.value for one in errors) == pytest.approx(100)
    assert {one.what for one in errors} == {known.value for known in ErrorClass}
    domains = [one for one in published_figures() if one.of == "minif2f-alf/test" and "domains" in one.about]
    assert sum(one.value for one in domains) == pytest.approx(100, abs=0.05)


def test_an_unknown_section_gets_a_word() -> None:
    assert {one.section for one in published_figures("app:etc")} == {"app:etc"}
    with pytest.raises(InputError, match="choose one of"):
        published_figures("sec:nothing")


def test_published_numbers_fit_our_formulas() -> None:
    rounds = [one for one in published_rounds() if one.method == "Goedel-Prover"]
    total = etc_of_rounds([Round(one.prompt, one.generated) for one in rounds], rounds[0].n)
    figures = {one.what: one.value for one in published_figures()}
    assert float(f"{total:.2e}") == figures["Goedel-Prover, pass@184 with self-correction"]
    for name in ("Pythagoras-Prover-4B", "Pythagoras-Prover-Diffusion-4B"):
        score = throughput_score(figures[f"accuracy, {name}"], figures[f"throughput, {name}"])
        assert round(score, 2) == figures[f"throughput-weighted score, {name}"]


# --- against the paper ---------------------------------------------------------------------------


def paper() -> str:
    return PAPER.read_text(encoding="utf-8").replace(r"\method", "Pythagoras-Prover")


def table(label: str) -> list[list[str]]:
    """Rows of one of the paper's tables, cells without markup, without its head."""
    text = paper()
    start = text.index(rf"\label{{{label}}}")
    body = text[start : text.index(r"\bottomrule", start)].split(r"\midrule", 1)[1]
    return [cells for row in body.split(r"\\") if any(cells := [plain(cell) for cell in row.split("&")])]


def plain(cell: str) -> str:
    cell = re.sub(r"\\(?:citep|rowcolor|hspace|cdashline|textsuperscript)\{[^}]*\}|\[-?[\d.]+em\]", "", cell)
    cell = re.sub(r"\\(?:textbf|textit)\{", "", cell).replace(r"\dagger", "").replace(r"\quad", "")
    cell = re.sub(r"\\(?:midrule|;)|[{}$^~]", "", cell)
    return " ".join(cell.split())


def printed(results: tuple[PublishedResult, ...]) -> Counter[tuple[str, int, float]]:
    return Counter((one.system, one.n, one.value) for one in results)


def number(text: str) -> float:
    return float(text.replace(",", ""))


def _corrected(name: str, before: str) -> str:
    """A table's indented line is about the method above it."""
    if "Self" in name and "Correction" in name:
        return f"{before} (self-correction)"
    return f"{before} (ttrl)" if "Test-Time" in name else name


@needs_paper
def test_the_main_table() -> None:
    expected: Counter[tuple[str, int, float]] = Counter()
    before = ""
    for name, _, at_32, at_1024, best in table("tab:budget_performance"):
        system = _corrected(name, before)
        before = before if system != name else name
        expected.update((system, n, number(value)) for n, value in ((32, at_32), (1024, at_1024)) if value != "--")
        if found := re.fullmatch(r"([\d.]+) \((\w+)\)", best):
            is_ttrl = found[2] == "TTRL"
            n = 0 if is_ttrl else int(found[2])
            expected[f"{system} (ttrl)" if is_ttrl else system, n, number(found[1])] += 1
        else:
            assert best == "--"
    assert len(expected) == 29
    assert printed(published(table="tab:budget_performance")) == expected
    sizes = {row[0]: row[1] for row in table("tab:budget_performance") if "Self" not in row[0]}
    assert {one.method: one.params for one in published(table="tab:budget_performance")} == sizes


@needs_paper
def test_the_full_table() -> None:
    expected: Counter[tuple[str, int, float]] = Counter()
    system = method = ""
    for name, budget, value in table("tab:budget_performance_full"):
        if name:
            system = _corrected(name, method)
            method = method if system != name else name
        expected[system, 0 if budget == "--" else int(budget), number(value)] += 1
    assert len(expected) == 31
    assert printed(published(table="tab:budget_performance_full")) == expected


@needs_paper
def test_the_leaderboard() -> None:
    expected = Counter(
        (name.replace("self-correction mode", "self-correction"), int(compute.removeprefix("pass@")), number(solved))
        for _, name, solved, _, compute in table("tab:putnambench")
    )
    assert len(expected) == 14
    footnote = ("Seed Prover (not told)", 0, 331.0)
    assert printed(published(table="tab:putnambench")) - Counter([footnote]) == expected
    assert "successfully solved 331 problems on PutnamBench" in paper()
    (in_text,) = published("putnambench", table="sec:results")
    assert f"solves ${in_text.value:g}$ problems versus Goedel-Prover-V2's $86$" in paper()


@needs_paper
def test_the_ablations() -> None:
    rows = table("tab:pythagoras_decomposition")
    assert printed(published(table="tab:pythagoras_decomposition")) == Counter(
        (name, int(budget), number(value)) for name, budget, value in rows
    )
    full, filtered, _ = table("tab:filtering_ablation")
    found = {one.method: one.value for one in published(table="tab:filtering_ablation")}
    for size, column in (("4B", 1), ("32B", 2)):
        assert found[f"Pythagoras-Prover-{size} (full context, no filtering)"] == number(full[column])
        assert found[f"Pythagoras-Prover-{size} (dynamic proof-reasoning filtering)"] == number(filtered[column])


@needs_paper
def test_the_tokens() -> None:
    expected = []
    for name, n, prompt, generated in table("tab:etc-comparison"):
        told = re.fullmatch(r"(\S+?),? (?:round (\d)|restart)", name)
        assert told is not None
        expected.append((told[1], int(n), int(told[2] or 1), number(prompt), number(generated)))
    found = [(one.method, one.n, one.round, one.prompt, one.generated) for one in published_rounds()]
    assert found == expected
    assert len(found) == 4


@needs_paper
def test_numbers_of_the_text_are_printed_in_their_section() -> None:
    text = re.sub(r"(?<=\d)(?:,|\{,\})(?=\d{3})", "", paper())  # 612{,}817 and 612,817
    for one in published_figures():
        section = _section(text, one.section)
        for value in (one.value, one.count, one.total):
            if value is not None and value != 0:
                assert re.search(_as_printed(value), section), (one, value)
    results = _section(text, "sec:results")
    for result in (*published("minif2f-alf/test"), *published(table="fig:pythagoras_comparison")):
        assert re.search(_as_printed(result.value), results), result


def _section(text: str, name: str) -> str:
    """From a section's label, or its title, to the next heading of a section or subsection."""
    start = text.index(rf"\label{{{name}}}" if ":" in name else rf"{{{name}}}")
    following = re.compile(r"\\(?:sub)*section\{").search(text, start + len(name))
    return text[start : following.start() if following else None]


def _as_printed(value: float) -> str:
    """The number with its own digits, perhaps with zeros behind them, and no digit before or after."""
    if value >= 1e9:
        power = len(str(int(value))) - 1
        return rf"(?<![\d.]){re.escape(f'{value / 10**power:g}')}(?:\\times|\{{\\times\}}) *10\^\{{{power}\}}"
    digits = f"{value:.4f}".rstrip("0").rstrip(".")
    zeros = "0*" if "." in digits else r"(?:\.0+)?"
    return rf"(?<![\d.]){re.escape(digits)}{zeros}(?!\d|\.\d)"
