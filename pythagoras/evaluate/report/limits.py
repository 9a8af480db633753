"""How much of a run's texts goes into a page. It imports nothing, so that the command line can tell these numbers."""

EMBED_BYTES = 48 * 2**20
"""Of all texts together, compressed."""
LONGEST_TEXT = 16_000
"""Characters of what a sampler wrote: of a longer one the middle is left out, since the proof stands at the end."""
LONGEST_LEAN = 60_000
"""Characters of what Lean was asked: the beginning, in which its messages have their places."""
MOST_REMARKS = 60
"""Of one attempt's messages."""
MESSAGE_CHARACTERS = 8_000
