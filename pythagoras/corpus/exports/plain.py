"""Records as files for any program: JSON lines, Parquet, Hugging Face `datasets`, and the paper's own columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pythagoras.corpus import prompts
from pythagoras.corpus.exports.curriculum import Curriculum
from pythagoras.corpus.exports.draft import Draft
from pythagoras.corpus.exports.recipe import ExportSettings
from pythagoras.corpus.records import Instance
from pythagoras.corpus.rows import schema, to_row
from pythagoras.errors import InputError


def write_jsonl(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Our own records, one JSON object a line, as every command reads them."""
    for name in curriculum.names:
        draft.write_lines(f"data/{name}.jsonl", map(to_row, curriculum.records(name)))


def write_parquet(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """Our own records as Parquet."""
    for name in curriculum.names:
        draft.write_parquet(f"data/{name}.parquet", _plain_rows(curriculum, name), schema(curriculum.kind))


def write_paper(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """The columns of the paper's published SFT set, as JSON lines."""
    for name in curriculum.names:
        draft.write_lines(f"data/{name}.jsonl", map(_paper_row, curriculum.instances(name)))


def write_datasets(draft: Draft, curriculum: Curriculum, settings: ExportSettings) -> None:
    """A `datasets.DatasetDict` for `load_from_disk`: one split a stage, in order; built on disk, not in memory."""
    try:
        import datasets
    except ImportError:
        raise InputError("this export needs the package datasets: install it with pip") from None
    splits = {}
    for name in curriculum.names:
        file = f"{draft.spool.name}/arrow/{name}.parquet"
        draft.write_parquet(file, _plain_rows(curriculum, name), schema(curriculum.kind))
        cache = draft.spool / "cache" / name
        splits[name] = datasets.Dataset.from_parquet(str(draft.folder / file), cache_dir=str(cache))
    datasets.DatasetDict(splits).save_to_disk(draft.path("dataset"))


def _plain_rows(curriculum: Curriculum, name: str) -> Iterator[dict[str, Any]]:
    for record in curriculum.records(name):
        row = to_row(record)
        del row["kind"]
        yield row


def _paper_row(instance: Instance) -> dict[str, str]:
    return {
        "Question": instance.informal,
        "Source": instance.source,
        "Formal Statement": prompts.shown_code(instance),
        "Formal Proof": prompts.answer_code(instance) if instance.proof else "",
        "Problem Type": instance.topic,
        "Reasoning Chain": instance.reasoning,
        "Difficulty": instance.tier.value,
    }
