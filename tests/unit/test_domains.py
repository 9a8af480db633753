"""Domains of problems, and what is said of MiniF2F's variants."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pythagoras.corpus.records import Formalisation, Provenance
from pythagoras.evaluate import variants
from pythagoras.evaluate.benchmarks import open_benchmark
from pythagoras.evaluate.domains import MINIF2F, domain_of, in_order
from pythagoras.evaluate.runs import BenchmarkInfo

SHARED = Path(__file__).parents[3] / "shared" / "data"


def goal(name: str, source: str = "minif2f/test", topic: str = "", parent: str = "") -> Formalisation:
    return Formalisation(name, f"theorem {name} : True", source, topic=topic, provenance=Provenance(parent=parent))


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("imo_1959_p1", "IMO"),
        ("imosl_2007_algebra_p6", "IMO"),
        ("amc12a_2019_p21", "AMC"),
        ("amc12_2000_p1", "AMC"),
        ("amc8_2010_p3", "AMC"),
        ("aime_1983_p1", "AIME"),
        ("aimeI_2000_p7", "AIME"),
        ("aimeII_2020_p6", "AIME"),
        ("mathd_algebra_478", "MathD"),
        ("mathd_numbertheory_618", "MathD"),
        ("algebra_sqineq_unitcircatbpamblt1", "Algebra"),
        ("numbertheory_4x3m7y3neq2003", "Number Theory"),
        ("induction_12dvd4expnp1p20", "Induction"),
        ("imodium_1", "other"),
        ("inductions", "other"),
        ("my_theorem", "other"),
    ],
)
def test_minif2fs_names_tell_the_domain(name: str, domain: str) -> None:
    assert domain_of(goal(name)) == domain


def test_every_name_of_the_validation_split_is_in_one_of_the_papers_seven() -> None:
    path = SHARED / "minif2f_valid.jsonl"
    if not path.exists():
        pytest.skip("needs minif2f_valid.jsonl in ../shared/data")
    found = Counter(domain_of(item) for item in open_benchmark(str(path)).goals)
    assert found == {
        "MathD": 130,
        "AMC": 45,
        "IMO": 20,
        "Algebra": 18,
        "AIME": 15,
        "Induction": 8,
        "Number Theory": 8,
    }


def test_a_mutation_is_of_its_originals_domain() -> None:
    assert domain_of(goal("mutant_17", "minif2f-alf/test", parent="imo_1959_p1")) == "IMO"
    assert domain_of(goal("imo_1959_p1_v2", "minif2f-alf/test", parent="0123456789abcdef")) == "IMO"
    assert domain_of(goal("mutant_17", "putnambench-alf", parent="putnam_1999_b4")) == "B4"


def test_topics_go_before_names_elsewhere() -> None:
    assert domain_of(goal("algebra_traveller_coins", "corebench/test", "algebra")) == "algebra"
    assert domain_of(goal("numbertheory_x", "corebench/test", "number_theory")) == "number theory"
    assert domain_of(goal("imo_1959_p1", "minif2f/test", "geometry")) == "IMO"
    assert domain_of(goal("putnam_1999_b4", "putnambench", "analysis")) == "analysis"
    assert domain_of(goal("putnam_1999_b4", "putnambench")) == "B4"
    assert domain_of(goal("putnam_1999_b4_sol", "putnambench")) == "B4"
    assert domain_of(goal("putnam_1999_b41", "putnambench")) == "other"


def test_every_item_of_corebench_has_a_topic() -> None:
    found = {domain_of(item) for split in ("valid", "test") for item in open_benchmark(f"corebench/{split}").goals}
    assert {"algebra", "number theory"} < found
    assert found.isdisjoint({*MINIF2F, "other", ""})


def test_tables_list_the_papers_domains_first() -> None:
    assert in_order({"other", "sums", "Induction", "IMO", "algebra"}) == [
        "IMO",
        "Induction",
        "algebra",
        "sums",
        "other",
    ]


def test_the_variant_is_named_with_what_it_is_known_by() -> None:
    assert len(variants.DIFFERING) == 15
    goals = [goal("amc12a_2020_p7"), goal("mutant", parent="mathd_algebra_158"), goal("imo_1959_p1")]
    assert variants.differing(goals) == ("amc12a_2020_p7", "mathd_algebra_158")
    info = BenchmarkInfo(name="minif2f/test", variant="minif2f-kimina", file="a.jsonl", sha256="ab" * 32, items=3)
    said = variants.note(info, goals)
    assert said.startswith("minif2f/test, variant minif2f-kimina, file a.jsonl with SHA-256 abababababab; ")
    assert "it has 2 of the 15 test statements in which MiniF2F's variants differ" in said
    assert "none of the 15" in variants.note(info, goals[2:])
    ours = BenchmarkInfo(name="corebench/test", sha256="cd" * 32, items=2, filter="first 2", of=9)
    assert variants.note(ours, ()) == "corebench/test (2 of its 9 statements: first 2), rows with SHA-256 cdcdcdcdcdcd."
