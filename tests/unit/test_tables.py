"""Tables and how they are written: numbers, Markdown, LaTeX, JSON, the terminal; and the tables of results."""

from __future__ import annotations

import io
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pythagoras.evaluate.analysis.alignment import named_apart
from pythagoras.evaluate.analysis.compare import compare
from pythagoras.evaluate.analysis.cost import Round, cost_report, given_cost
from pythagoras.evaluate.analysis.cost_curves import matched
from pythagoras.evaluate.analysis.failures import Shares, error_shares, seed_errors
from pythagoras.evaluate.analysis.mutation import analyse, compare_mutation
from pythagoras.evaluate.analysis.passn import curve, disagreements
from pythagoras.evaluate.analysis.published import PAPER, published
from pythagoras.evaluate.results import Results, load
from pythagoras.evaluate.shown import result_tables
from pythagoras.evaluate.shown.latex import escaped
from pythagoras.evaluate.shown.overview import comparison_tables
from pythagoras.evaluate.shown.tables import (
    Cell,
    Table,
    cells,
    interval,
    latex,
    markdown,
    rich_table,
    shown,
    without_empty,
)
from tests.made_runs import made_goals, make_run, mutated

SMALL = Table(
    "pass@N of a|b_c",
    ("run", "N", "pass@N %", "ETC", "interval"),
    (("a|b", 1, 85.2459, 1.95e11, "85.2 [80.1, 89.4]"), ("ℕ_0 & co", 1024, None, 1.8098e8, None)),
    "in 100 % of cases, x_1 < 2",
)


@pytest.mark.parametrize(
    ("cell", "percent", "text"),
    [
        (None, False, "–"),
        (math.nan, True, "–"),
        ("", False, ""),
        ("as it is, 5.000", True, "as it is, 5.000"),
        (1234567, False, "1,234,567"),
        (0, True, "0"),
        (85.2459, True, "85.2"),
        (100.0, True, "100.0"),
        (1.95e11, False, "1.95e11"),
        (180_980_000.0, False, "1.81e8"),
        (999_999.4, False, "999,999"),
        (18741.8, False, "18,742"),
        (284.88, False, "285"),
        (3.527, False, "3.53"),
        (0.0, False, "0"),
        (0.0312, False, "0.0312"),
        (0.00004, False, "4.00e-5"),
        (-12.345, False, "-12.3"),
        (math.inf, False, "∞"),
        (True, False, "yes"),
    ],
)
def test_a_cell_is_formatted_once(cell: Cell, percent: bool, text: str) -> None:
    assert shown(cell, percent) == text


def test_an_interval() -> None:
    assert interval(0.852, 0.8014, 0.894) == "85.2 [80.1, 89.4]"


def test_markdown() -> None:
    assert markdown(SMALL) == (
        "**pass@N of a\\|b\\_c**\n\n"
        "| run | N | pass@N % | ETC | interval |\n"
        "| --- | ---: | ---: | ---: | ---: |\n"
        "| a\\|b | 1 | 85.2 | 1.95e11 | 85.2 \\[80.1, 89.4\\] |\n"
        "| ℕ\\_0 & co | 1,024 | – | 1.81e8 | – |\n\n"
        "in 100 % of cases, x\\_1 \\< 2\n"
    )


def test_markdown_of_cells_that_would_break_it() -> None:
    table = Table("two\nlines", ("a",), (("one\ntwo | three\\|four `x`",),))
    row = markdown(table).splitlines()[-1]
    assert row == r"| one two \| three\\\|four \`x\` |"
    assert re.findall(r"(?<!\\)(?:\\\\)*\|", row) == ["|", "|"]  # only the two at the ends are bars of the table


def test_latex() -> None:
    assert latex(SMALL).splitlines() == [
        r"% \usepackage{booktabs,amssymb,textcomp,graphicx}",
        r"\begin{table}[t]",
        r"\centering",
        r"\small",
        r"\caption{pass@N of a\textbar{}b\_c}",
        r"\label{tab:pass-n-of-a-b-c}",
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        r"\begin{tabular}{@{}lrrrr@{}}",
        r"\toprule",
        r"run & N & pass@N \% & ETC & interval \\",
        r"\midrule",
        r"a\textbar{}b & 1 & 85.2 & 1.95e11 & 85.2 {[}80.1, 89.4{]} \\",
        r"\ensuremath{\mathbb{N}}\_0 \& co & 1,024 & -- & 1.81e8 & -- \\",
        r"\bottomrule",
        r"\end{tabular}}",
        r"\par\smallskip",
        r"\begin{minipage}{\linewidth}\footnotesize in 100 \% of cases, x\_1 \textless{} 2\end{minipage}",
        r"\end{table}",
    ]
    assert r"\label{tab:x-y}" in latex(SMALL, "tab:x_y")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("h₀ : n % 5 = 3 ⊢ x²", r"h\ensuremath{_0} : n \% 5 = 3 \ensuremath{\vdash} x\ensuremath{^2}"),
        (r"\x{}$#~^", r"\textbackslash{}x\{\}\$\#\textasciitilde{}\textasciicircum{}"),
        ("α → Ω", r"\ensuremath{\alpha} \ensuremath{\to} \ensuremath{\Omega}"),
        ("Gödel, é, ő, ß", r"G\"{o}del, \'{e}, \H{o}, \ss{}"),
        ("Go\u0308del", r"G\"{o}del"),
        ("😀中\x00", r"\texttt{U+1F600}\texttt{U+4E2D}\texttt{U+0000}"),
        ("--- ``", r"-{}-{}-{} \textasciigrave{}\textasciigrave{}"),
        ("*a [b]", "{*}a {[}b{]}"),
    ],
)
def test_texts_in_latex(text: str, written: str) -> None:
    assert escaped(text) == written


@given(st.text())
def test_any_text_is_latex(text: str) -> None:
    written = escaped(text)
    assert written.isascii()
    assert written.isprintable()
    left = re.sub(r"\\(textbackslash|char34|[A-Za-z]+|[&%$#_{}'`^~=.\"])", "", written)
    assert left.count("{") == left.count("}")
    bare = re.sub(r"\\ensuremath\{[_^]?[^}]*\}+", "", written)
    assert not re.search(r"(?<!\\)[&%$#_~]", bare.replace("\\\\", ""))


def test_the_terminal_shows_all_of_it() -> None:
    from rich.console import Console

    table = Table("[bold]odd[/bold]", ("[red]run", "N"), (("[x]", 1024),), "[/] a note")
    out = io.StringIO()
    Console(file=out, width=100).print(rich_table(table))
    for text in ("[bold]odd[/bold]", "[red]run", "[x]", "1,024", "[/] a note"):
        assert text in out.getvalue()


def test_columns_that_say_nothing_are_left_out() -> None:
    table = Table("t", ("a", "b", "c", "d"), (("x", None, "", 0), ("y", None, "", None)))
    assert without_empty(table) == Table("t", ("a", "d"), (("x", 0), ("y", None)))


def test_rows_are_as_wide_as_columns() -> None:
    with pytest.raises(AssertionError):
        Table("t", ("a", "b"), ((1,),))


# --- of results ----------------------------------------------------------------------------------

HOLDS, FAILS = True, False
MATRIX = ((HOLDS, HOLDS, FAILS, FAILS), (FAILS, FAILS, FAILS, HOLDS), (FAILS, FAILS, FAILS, FAILS))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Results]:
    folder = tmp_path_factory.mktemp("runs")
    better = ((HOLDS,) * 4, (FAILS, HOLDS, FAILS, HOLDS), (FAILS,) * 4)
    return load(make_run(folder / "a", MATRIX, label="a", rounds=2)), load(make_run(folder / "b", better, label="b"))


def column(table: Table, name: str) -> list[Cell]:
    return [row[table.columns.index(name)] for row in table.rows]


def test_facts_of_runs(runs: tuple[Results, Results]) -> None:
    table = result_tables.run_facts(runs)
    facts = {str(row[0]): row[1:] for row in table.rows}
    assert table.columns == ("", "a", "b")
    assert facts["benchmark"] == ("minif2f/test",) * 2
    assert facts["variant"] == ("minif2f-kimina",) * 2
    assert facts["SHA-256"] == ("ab" * 32,) * 2
    assert facts["Lean"] == ("4.28.0 (embedded), 60 s a proof",) * 2
    assert facts["protocol"] == ("self-correction: up to 2 rounds (turns)", "restart")
    assert facts["sampler"] == ("made seed 0",) * 2
    assert facts["attempts (N)"] == ("4 a statement",) * 2


def test_counts_add_up(runs: tuple[Results, Results], tmp_path: Path) -> None:
    part = load(make_run(tmp_path / "part", ((), (FAILS,), (HOLDS, FAILS)), unfit=[0], n=3, label="part"))
    table = result_tables.counts([*runs, part])
    found = {str(row[0]): row[1:] for row in table.rows}
    assert found["adds up"] == ("yes",) * 3
    names = ("problems", "… refused by Lean", "attempts wanted", "… drawn", "… missing")
    assert [found[name][2] for name in names] == [3, 1, 6, 3, 3]


def test_pass_rows(runs: tuple[Results, Results], tmp_path: Path) -> None:
    table = result_tables.pass_rows(runs)
    assert column(table, "run") == ["a"] * 3 + ["b"] * 3
    assert column(table, "N") == [1, 2, 4] * 2
    assert column(table, "solved") == ["1/3", "1/3", "2/3", "1/3", "2/3", "2/3"]
    assert column(table, "pass@N %")[2] == pytest.approx(200 / 3)
    assert column(table, "estimate %")[0] == pytest.approx(100 * (2 / 4 + 1 / 4) / 3)
    stopped = load(make_run(tmp_path / "s", MATRIX, stop_when_solved=True, label="s"))
    table = result_tables.pass_rows([stopped])
    assert set(column(table, "estimate %")) == {None}
    assert "s: problems of this run got no more attempts" in table.note


def test_lower_bounds_are_marked(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "c", [(FAILS, HOLDS)] * 2 + [(FAILS,) * 4] * 2, n=4, label="c"))
    table = result_tables.pass_rows([run])
    assert column(table, "solved") == ["0/4", "2/4", "2/4"]  # the solved ones have too few attempts, which is no harm
    assert column(table, "estimate %") == [25.0, 50.0, "≥ 50.0"]
    assert "≥: a lower bound" in table.note
    assert result_tables.scaling([curve(run)]).rows[-1][1] == "≥ 50.0 [0.0, 100.0]"
    assert "≥" in result_tables.scaling([curve(run)]).note
    lost = replace(run, rounds=replace(run.rounds, judgement=np.where(run.rounds.goal > 2, -1, run.rounds.judgement)))
    assert column(result_tables.pass_rows([lost]), "solved") == ["≥ 0/4", "≥ 2/4", "≥ 2/4"]
    assert column(result_tables.pass_rows([lost]), "paper's rule %")[-1] == "≥ 50.0"
    (row,) = result_tables.scores(compare([lost])).rows
    assert row == ("c", 4, 2, 1, 1, "≥ 50.0", "≥ 50.0")
    assert "---:" in markdown(result_tables.scores(compare([lost]))).splitlines()[3].split("|")[-2]
    assert "≥" not in markdown(result_tables.scores(compare([run])))


def test_variants_have_another_interval(tmp_path: Path) -> None:
    run = load(make_run(tmp_path / "m", [(HOLDS,), (FAILS,)] * 4, mutated(made_goals(4)), label="m"))
    assert "bootstrap interval over originals" in result_tables.pass_rows([run]).note


def test_several_runs_of_one_label_are_told_apart_in_every_table(tmp_path: Path) -> None:
    goals = made_goals(4)
    solved = [(at < 3,) for at in range(8)]
    runs = named_apart(
        [
            load(make_run(tmp_path / f"{label}-{len(some)}", solved[: len(some)], some, label=label, seed=seed))
            for seed, label in enumerate(("p", "q"))
            for some in (goals, mutated(goals))
        ]
    )
    tables = list(comparison_tables(runs, *analyse(runs)))
    labels = re.findall(r"\\label\{(.*?)\}", "".join(map(latex, tables)))
    assert sorted(set(labels)) == sorted(labels)
    titles = [table.title for table in tables]
    assert "Head to head, minif2f-alf/test at pass@1" in titles
    assert "Differences, minif2f/test at pass@1" in titles
    names = ("p, minif2f/test", "p, minif2f-alf/test", "q, minif2f/test", "q, minif2f-alf/test")
    for table in tables[:2]:
        assert table.columns == ("", *names)
    assert column(tables[2], "run") == list(names)
    assert tuple(column(result_tables.pass_rows(runs), "run")) == names  # by itself, too


def test_what_the_paper_says_stands_beside_what_was_measured(tmp_path: Path, runs: tuple[Results, Results]) -> None:
    tables = {table.title: table for table in comparison_tables(runs, [compare(runs)], None)}
    analysis = tables[f"minif2f/test: the analysis in {PAPER}, as reported"]
    assert "41" in cells(analysis)[1]
    assert "nothing in this table was measured here" in analysis.note.lower()
    assert "Error classes of the paper's rejected seeds" in tables
    assert result_tables.published_analysis("corebench/test") is None
    rounds = result_tables.published_round_costs()
    assert [row[3] for row in rounds.rows] == [1, 2, 3, "all", 1]
    assert [row[-2] for row in cells(rounds)][3:] == ["1.95e11", "1.85e11"]


def test_scaling_has_a_row_for_each_budget(runs: tuple[Results, Results], tmp_path: Path) -> None:
    wide = load(make_run(tmp_path / "w", [(HOLDS,) * 8] * 3, label="w"))
    table = result_tables.scaling([curve(run) for run in (*runs, wide)])
    assert table.columns == ("N", "a", "b", "w")
    assert column(table, "N") == [1, 2, 4, 8]
    assert table.rows[-1] == (8, None, None, "100.0 [100.0, 100.0]")
    assert str(table.rows[2][1]).startswith("66.7 [")


def test_what_others_report_stands_by_itself() -> None:
    known = published("minif2f/test", method="Goedel-Prover-V2-32B", n=1024, table="tab:budget_performance")
    table = result_tables.published_rows(known)
    assert table.title == f"minif2f/test: as reported in {PAPER}"
    assert {row[:4]: row[4] for row in table.rows} == {
        ("Goedel-Prover-V2-32B", "32B", "restart", 1024): "91.8",
        ("Goedel-Prover-V2-32B", "32B", "self-correction", 1024): "92.6",
    }
    assert set(column(table, "by whom")) == {"copied there"}
    kimina = result_tables.published_rows(published("minif2f/test", method="Kimina-Prover-70B"))
    assert {n for n, how in zip(column(kimina, "N"), column(kimina, "protocol"), strict=True) if how == "ttrl"} == {
        None
    }
    assert "of" not in table.columns  # nothing is counted in it
    (precise,) = result_tables.published_rows(
        published("minif2f/test", method="Kimina-Prover-Preview-72B", n=32)[:1]
    ).rows
    assert precise[4] == "68.85"  # as printed
    putnam = result_tables.published_rows(published("putnambench")[:1])
    assert isinstance(column(putnam, "solved")[0], int)


def test_rules_that_disagree(runs: tuple[Results, Results]) -> None:
    table = result_tables.disagreements(runs[0], disagreements(runs[0]))
    assert table.rows == ()
    assert f"of {len(runs[0].rounds)} rounds both accept 3" in table.note
    turned = replace(
        runs[0], judgements=tuple(replace(one, paper_rule=not one.paper_rule) for one in runs[0].judgements)
    )
    found = disagreements(turned)
    assert (found.listed[0].number, found.listed[0].round) == (0, 0)
    assert result_tables.disagreements(turned, found).rows[0][1:3] == (1, 1)  # people count from 1


def test_comparisons(runs: tuple[Results, Results]) -> None:
    comparison = compare(runs)
    assert column(result_tables.scores(comparison), "solved") == [2, 2]
    sets = result_tables.problem_sets(comparison)
    assert dict(zip(column(sets, "set"), column(sets, "problems"), strict=True)) == {
        **{"solved by all": 2, "at least one wrong": 1, "… of them all wrong": 1, "undecided": 0, "all": 3}
    }
    assert result_tables.head_to_head(comparison.head_to_head).rows == (("a", "b", 2, 0, 0, 1, 0, 0, 3),)
    (row,) = result_tables.significance(compare(runs, n=1).differences).rows
    assert row[:3] == ("a", "b", 3)
    assert row[5] == "-25.0"
    assert row[-1] == "no difference shown"


def test_transitions(tmp_path: Path) -> None:
    goals = made_goals(3)
    original = load(make_run(tmp_path / "o", MATRIX, goals, label="p"))
    changed = ((HOLDS,), (FAILS,), (HOLDS,), (FAILS,), (HOLDS,), (FAILS,))
    mutation = load(make_run(tmp_path / "m", changed, mutated(goals), label="p", n=1))
    found = compare_mutation([(original, mutation)], n=1)
    table = result_tables.transitions(found.tallies)
    assert table.rows == (("p", 1, 1, 2, 2, 0, 6, "-16.7"),)
    both = result_tables.transitions((*found.tallies, *found.by_operator))
    assert column(both, "operator") == ["all", "generalisation", "reformulation"]
    by_operator = result_tables.transitions(found.by_operator)
    assert column(by_operator, "operator") == ["generalisation", "reformulation"]
    assert sum(int(str(pairs)) for pairs in column(by_operator, "pairs")) == 6


def test_shares_add_up(runs: tuple[Results, Results]) -> None:
    several = [replace(error_shares(run), title=run.label) for run in runs]
    table = result_tables.shares("Errors", several)
    assert table.columns == ("part", "a", "a %", "b", "b %")
    *parts, last = table.rows
    assert last == ("all", 9, 100.0, 6, 100.0)
    for at in (1, 3):
        assert sum(int(str(row[at])) for row in parts) == last[at]
    assert result_tables.shares("none", [Shares("x", 0, ())]).rows == (("all", 0, None),)
    assert result_tables.published_shares(seed_errors()).note.startswith("as reported in ")


def test_costs(runs: tuple[Results, Results]) -> None:
    paper = given_cost([Round(284.88, 18741.80)], 1024)
    table = result_tables.cost_rows([*(cost_report(run) for run in runs), paper])
    written = {row[0]: row for row in cells(table)}
    assert table.columns == ("", "a", "b", "given")
    assert written["ETC an attempt, of mean lengths"][-1] == "1.81e8"
    assert written["ETC a problem, of mean lengths"][-1] == "1.85e11"
    assert written["Lean, s"][-1] == "–"
    assert "FLOPs a problem" not in written
    speed, score = (
        column(table, "a")[[row[0] for row in table.rows].index(name)]
        for name in ("generated tokens a second", "S, pass@N x tokens a second")
    )
    assert score == pytest.approx(2 / 3 * float(str(speed)))  # it solved two of three
    assert "the problems that Lean takes" in table.note
    rounds = result_tables.round_costs([cost_report(runs[0])])
    assert column(rounds, "round") == [1, 2]
    assert column(rounds, "attempts in it %")[0] == 100.0


def test_matched_cost(runs: tuple[Results, Results]) -> None:
    table = result_tables.matched_cost(matched(runs, "tokens"))
    assert column(table, "run") == ["a", "b"]
    assert column(table, "from")[0] is None
    assert str(column(table, "ahead of the first, points")[1])[0] in "+-"


def test_every_table_can_be_written(runs: tuple[Results, Results]) -> None:
    comparison = compare(runs)
    for table in (
        result_tables.run_facts(runs),
        result_tables.counts(runs),
        result_tables.pass_rows(runs),
        result_tables.significance(comparison.differences),
        result_tables.head_to_head([]),
    ):
        assert len(markdown(table).split("\n\n")[1].splitlines()) == 2 + len(table.rows)
        assert latex(table).isascii()
        assert latex(table).count("\\\\\n") == 1 + len(table.rows)
