"""Models from their files: a folder that transformers wrote, or a GGUF file. Everything that loads one does it here.

A model is data. Code that lies beside it is not run, and weights are read as safetensors or GGUF alone: pickled ones
are programs, too.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from pythagoras.errors import InputError

_SAMPLED_BYTES = 2**20
"""Of each file's beginning and end, for a model's fingerprint: reading 60 GB would take minutes."""


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class Weights:
    """A model that is loaded, with its tokenizer. Several backends may sample from it in different ways."""

    name: str
    fingerprint: str
    """Of its files: the same name may hold other weights tomorrow."""
    model: Any
    tokenizer: Any
    lock: threading.Lock = field(default_factory=threading.Lock)
    """One batch at a time."""


_IN_USE: WeakValueDictionary[tuple[Path, str], Weights] = WeakValueDictionary()
_LOADING = threading.Lock()


def load_weights(path: Path, device: str = "") -> Weights:
    """A model to sample from; `device` is torch's name for one, else a GPU if there is any. Raises InputError.

    Without a GPU everything is float32; bfloat16 is twenty times slower there. Weights that somebody in this process
    uses are not loaded again.
    """
    with _LOADING:
        weights = _IN_USE.get((path.resolve(), device))
        if weights is None:
            files = _files(path)
            chosen = device or default_device()
            model, tokenizer = load_model(path, as_saved=chosen.startswith("cuda"))
            made = Weights(path.name, _fingerprint(files), model.to(chosen).eval(), tokenizer)
            weights = _IN_USE[path.resolve(), device] = made
        return weights


def load_model(path: Path, *, as_saved: bool = False) -> tuple[Any, Any]:
    """A model and its tokenizer, in memory. Raises InputError.

    Numbers are float32, or with `as_saved` of the kind that the folder has.
    """
    _files(path)
    torch, transformers = libraries()
    is_gguf = path.suffix == ".gguf"
    folder = path.parent if is_gguf else path
    which: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    how: dict[str, Any] = {"dtype": torch.float32, "use_safetensors": True}
    if is_gguf:
        which["gguf_file"] = path.name
        how["quantization_config"] = transformers.GgufConfig(dequantize=True)
    elif as_saved:
        how["dtype"] = "auto"
    shows_progress = transformers.utils.logging.is_progress_bar_enabled()
    transformers.utils.logging.disable_progress_bar()
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **which)
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, **which, **how)
    except Exception as error:  # a file that is none makes it raise anything
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise InputError(f"transformers can't load {path} ({said}): name a folder that it wrote, or a GGUF") from None
    finally:
        if shows_progress:
            transformers.utils.logging.enable_progress_bar()
    return model, tokenizer


def default_device() -> str:
    """A GPU if there is any."""
    torch, _ = libraries()
    return "cuda" if torch.cuda.is_available() else "cpu"


def end_tokens(model: Any, tokenizer: Any) -> list[int]:
    """What ends an answer: a chat model's turn may end otherwise than its texts."""
    told = model.generation_config.eos_token_id
    ends = [*(told if isinstance(told, list) else [told]), tokenizer.eos_token_id]
    found = list(dict.fromkeys(token for token in ends if token is not None))
    if not found:
        raise InputError("the model names no token that ends a text: set eos_token_id in its generation_config.json")
    return found


def end_token(tokenizer: Any) -> int:
    """What ends a completion, of a chat or a text: whoever asks the model stops there. Raises InputError."""
    if tokenizer.eos_token_id is None:
        raise InputError("the model's tokenizer names no token that ends a text: set eos_token in its configuration")
    return int(tokenizer.eos_token_id)


def mask_token(tokenizer: Any) -> int:
    """What stands in the place of what is hidden. Raises InputError."""
    if tokenizer.mask_token_id is None:
        raise InputError(
            "the model's tokenizer has no mask token: set mask_token in its configuration to one that texts never have"
        )
    return int(tokenizer.mask_token_id)


def fingerprint_of(path: Path) -> str:
    """A digest of a model's files: names, sizes, beginnings and ends. Raises InputError where there is no model."""
    return _fingerprint(_files(path))


def libraries() -> tuple[Any, Any]:
    """torch and transformers. Raises InputError without them."""
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # else a busy core makes all threads twenty times slower
    try:
        import torch
        import transformers
    except ImportError as error:
        raise InputError(f"a local model needs torch and transformers ({error}): pip install '.[models]'") from None
    return torch, transformers


def _files(path: Path) -> list[Path]:
    if path.is_file() and path.suffix == ".gguf":
        return [path]
    if not (path / "config.json").is_file():
        raise InputError(
            f"there is no model in {path}: name a training run, a folder that transformers wrote, a GGUF file, or "
            "`embedded`"
        )
    return sorted(file for file in path.iterdir() if file.is_file())


def _fingerprint(files: Iterable[Path]) -> str:
    """A digest of the files' names, sizes, beginnings and ends."""
    digest = hashlib.sha256()
    for path in files:
        size = path.stat().st_size
        digest.update(f"{path.name}\0{size}\0".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLED_BYTES))
            file.seek(max(size - _SAMPLED_BYTES, 0))
            digest.update(file.read())
    return digest.hexdigest()[:16]
