"""Problems in English, read for what they mean: `read_english`.

A reader of controlled mathematical English, by recursive descent: `english_tokens` gives words and signs,
`english_terms`, `english_relations` and `english_formulas` read what a sentence claims, `english_sentences` the
sentences around it ("Let ... be ...", "Suppose that ...", "Find ..., and show that ..."), `english_stories` word
problems. `english_sense` has the last word. What is not read with certainty is refused; nothing is left out.
"""

from __future__ import annotations

import itertools

from pythagoras.language.bounds import TOO_LARGE, bounded, short, within_the_stack
from pythagoras.language.english_cursor import Stuck
from pythagoras.language.english_stories import Stories
from pythagoras.language.english_tokens import Tokens, tokenise
from pythagoras.language.meaning import Claim
from pythagoras.language.reading import NotRead

_MOST_BRACKETS = 20


@within_the_stack
def read_english(text: str) -> Claim:
    """What a problem claims. Raises NotRead, with one line that says why and at which words."""
    tokens = tokenise(short(text))
    if _brackets(tokens) > _MOST_BRACKETS:
        raise NotRead(TOO_LARGE)
    reader = Stories(tokens)
    try:
        return bounded(reader.problem() if reader.begins_with_sentence() else reader.story())
    except Stuck:
        raise reader.refusal() from None


def _brackets(tokens: Tokens) -> int:
    """How many are open inside of each other at most. Reading one takes twenty calls and more."""
    changes = (1 if word in ("(", "[", "{") else -1 if word in (")", "]", "}") else 0 for word in tokens.words)
    return max(itertools.accumulate(changes), default=0)
