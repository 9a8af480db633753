"""Problems in English, read for what they mean: `read_english`.

A reader of controlled mathematical English, by recursive descent: `english_tokens` gives words and signs,
`english_terms`, `english_relations` and `english_formulas` read what a sentence claims, `english_sentences` the
sentences around it ("Let ... be ...", "Suppose that ...", "Find ..., and show that ..."), `english_stories` word
problems. `english_sense` has the last word. What is not read with certainty is refused; nothing is left out.
"""

from __future__ import annotations

from pythagoras.pipeline.language.english_cursor import Stuck
from pythagoras.pipeline.language.english_stories import Stories
from pythagoras.pipeline.language.english_tokens import tokenise
from pythagoras.pipeline.language.meaning import Claim
from pythagoras.pipeline.language.reading import NotRead


def read_english(text: str) -> Claim:
    """What a problem claims. Raises NotRead, with one line that says why and at which words."""
    reader = Stories(tokenise(text))
    try:
        return reader.problem() if reader.begins_with_sentence() else reader.story()
    except Stuck:
        raise reader.refusal() from None
    except RecursionError:
        raise NotRead("the text is nested too deeply to be read") from None
