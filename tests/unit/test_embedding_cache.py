"""The cache of embeddings: nothing is embedded twice, and no kill or damage makes a wrong vector."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pythagoras.corpus.embedding.cache import CachedEmbedder
from pythagoras.corpus.embedding.fake import FakeEmbedder
from pythagoras.corpus.embedding.role import Floats
from pythagoras.errors import InputError

TEXTS = [f"how many primes are below {number}" for number in range(40)]


def near(one: Floats, other: Floats) -> bool:
    return bool(np.abs(one - other).max() < 1e-3)


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.vectors")
    return path


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    inner = FakeEmbedder()
    cached = CachedEmbedder(inner, tmp_path)
    first = cached.embed([*TEXTS, *TEXTS[:5]])
    assert sorted(inner.asked) == sorted(TEXTS)
    assert (cached.hits, cached.misses) == (5, 40)
    assert near(first, FakeEmbedder().embed([*TEXTS, *TEXTS[:5]]))
    assert np.allclose(np.linalg.norm(first, axis=1), 1, atol=1e-6)

    later = CachedEmbedder(FakeEmbedder(), tmp_path)
    again = later.embed([*reversed(TEXTS), "something new"])
    assert (later.hits, later.misses) == (40, 1)
    assert np.array_equal(again[:40], first[:40][::-1])  # what comes from the disk is what was given the first time


def test_no_texts_is_no_trouble(tmp_path: Path) -> None:
    assert CachedEmbedder(FakeEmbedder(), tmp_path).embed([]).shape == (0, 64)


def test_models_do_not_mix(tmp_path: Path) -> None:
    CachedEmbedder(FakeEmbedder("one/model"), tmp_path).embed(TEXTS)
    for name in ("one--model", "one:model", "one model"):
        other = CachedEmbedder(FakeEmbedder(name, dimension=32), tmp_path)
        assert other.embed(TEXTS).shape == (40, 32)
        assert other.hits == 0
    with pytest.raises(InputError, match="holds vectors of 64 numbers, the model gives 16"):
        CachedEmbedder(FakeEmbedder("one/model", dimension=16), tmp_path).embed(["new"])


class Killed(Exception):
    pass


class Mortal(FakeEmbedder):
    """Dies at its third call."""

    calls = 0

    def embed(self, texts: Sequence[str]) -> Floats:
        self.calls += 1
        if self.calls == 3:
            raise Killed
        return super().embed(texts)


def test_what_was_embedded_before_a_kill_stays(tmp_path: Path) -> None:
    many = [f"row {number}" for number in range(3_000)]
    with pytest.raises(Killed):
        CachedEmbedder(Mortal(), tmp_path).embed(many)
    resumed = CachedEmbedder(FakeEmbedder(), tmp_path)
    assert near(resumed.embed(many), FakeEmbedder().embed(many))
    assert (resumed.hits, resumed.misses) == (2_048, 952)


@pytest.mark.parametrize("cut", [1, 3, 100, 147, 148, 149, 40 * 148 - 1, 40 * 148 + 5, 40 * 148 + 15])
def test_a_torn_tail_costs_only_itself(tmp_path: Path, cut: int) -> None:
    CachedEmbedder(FakeEmbedder(), tmp_path).embed(TEXTS)
    path = only_file(tmp_path)
    size = path.stat().st_size
    assert size == 16 + 40 * 148
    with path.open("r+b") as file:
        file.truncate(size - cut)
    mended = CachedEmbedder(FakeEmbedder(), tmp_path)
    assert near(mended.embed(TEXTS), FakeEmbedder().embed(TEXTS))
    assert mended.misses == min(40, -(-cut // 148))
    assert path.stat().st_size == size
    assert CachedEmbedder(FakeEmbedder(), tmp_path).embed(TEXTS).shape == (40, 64)


@pytest.mark.parametrize("place", [16, 20, 40, 16 + 147, 16 + 148 * 7 + 60])
def test_a_damaged_record_is_embedded_again(tmp_path: Path, place: int) -> None:
    CachedEmbedder(FakeEmbedder(), tmp_path).embed(TEXTS)
    with only_file(tmp_path).open("r+b") as file:
        file.seek(place)
        found = file.read(1)
        file.seek(place)
        file.write(bytes([found[0] ^ 0x55]))
    for misses in (1, 0):
        mended = CachedEmbedder(FakeEmbedder(), tmp_path)
        assert near(mended.embed(TEXTS), FakeEmbedder().embed(TEXTS))
        assert mended.misses == misses


def test_a_foreign_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "fake.vectors"
    path.write_text("these are somebody's notes, not vectors")
    with pytest.raises(InputError, match="is no file of vectors"):
        CachedEmbedder(FakeEmbedder(), tmp_path).embed(TEXTS)
    assert path.read_text().startswith("these are somebody's notes")


def test_two_writers_do_not_hurt_each_other(tmp_path: Path) -> None:
    one, two = (CachedEmbedder(FakeEmbedder(), tmp_path) for _ in range(2))
    one.embed(TEXTS[:10])
    two.embed(TEXTS[10:20])
    one.embed(TEXTS[20:30])
    assert near(two.embed(TEXTS[:30]), FakeEmbedder().embed(TEXTS[:30]))
    assert two.misses == 10
