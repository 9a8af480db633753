"""Any text as LaTeX that pdflatex sets: ASCII only, what Lean writes as formulas. Needs amssymb and textcomp."""

from __future__ import annotations

import unicodedata

_SPECIAL = {
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\texttt{\char34}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "-": "-{}",  # so that two are no dash
    "?": "?{}",  # and ?` is no Spanish question mark
    "!": "!{}",
    "[": "{[}",  # behind the end of a row it would begin an option, as would a star
    "*": "{*}",
    "]": "{]}",
    "\n": " ",
    "\t": " ",
    "\r": "",
}
_FORMULAS = {
    **dict(zip("ℕℤℚℝℂ𝔽ℙ", (rf"\mathbb{{{letter}}}" for letter in "NZQRCFP"), strict=True)),
    **dict(zip("₀₁₂₃₄₅₆₇₈₉", (f"_{digit}" for digit in "0123456789"), strict=True)),
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", (f"^{digit}" for digit in "0123456789"), strict=True)),
    **{"₊": "_+", "₋": "_-", "⁺": "^+", "⁻": "^-", "ₙ": "_n", "ₘ": "_m", "ₖ": "_k", "ᵢ": "_i", "ⱼ": "_j", "ⁿ": "^n"},
    **{"≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "≡": r"\equiv", "≈": r"\approx", "≃": r"\simeq", "∼": r"\sim"},
    **{"∀": r"\forall", "∃": r"\exists", "∄": r"\nexists", "¬": r"\neg", "∧": r"\wedge", "∨": r"\vee", "⊢": r"\vdash"},
    **{"→": r"\to", "←": r"\leftarrow", "↔": r"\leftrightarrow", "↦": r"\mapsto", "⟶": r"\longrightarrow"},
    **{"⇒": r"\Rightarrow", "⇐": r"\Leftarrow", "⇔": r"\Leftrightarrow", "↑": r"\uparrow", "↓": r"\downarrow"},
    **{"∈": r"\in", "∉": r"\notin", "∋": r"\ni", "⊆": r"\subseteq", "⊂": r"\subset", "∪": r"\cup", "∩": r"\cap"},
    **{"∅": r"\varnothing", "∑": r"\sum", "∏": r"\prod", "∫": r"\int", "√": r"\surd", "∞": r"\infty", "∂": r"\partial"},
    **{
        "·": r"\cdot",
        "⋅": r"\cdot",
        "∘": r"\circ",
        "×": r"\times",
        "÷": r"\div",
        "±": r"\pm",
        "∣": r"\mid",
        "∥": r"\parallel",
    },
    **{"⟨": r"\langle", "⟩": r"\rangle", "⌊": r"\lfloor", "⌋": r"\rfloor", "⌈": r"\lceil", "⌉": r"\rceil"},
    **{
        "⊤": r"\top",
        "⊥": r"\bot",
        "∎": r"\blacksquare",
        "▸": r"\triangleright",
        "−": "-",
        "′": r"\prime",
        "ℓ": r"\ell",
    },
    **{
        "✓": r"\checkmark",
        "✗": r"\times",
        "⁄": "/",
        "∖": r"\setminus",
        "⊕": r"\oplus",
        "⊗": r"\otimes",
        "ℵ": r"\aleph",
    },
}
_GREEK = (
    *(
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
    ),
    *("", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
_TALL_GREEK = {"Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma"} | {
    **{"Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega"}
}
_TEXTS = {
    **{
        "–": "--",
        "—": "---",
        "…": r"\ldots{}",
        "“": "``",
        "”": "''",
        "‘": "`",
        "’": "'",
        "\u00a0": r"\nobreakspace{}",
        "µ": r"\ensuremath{\mu}",
    },
    **{
        "ß": r"\ss{}",
        "ø": r"\o{}",
        "Ø": r"\O{}",
        "æ": r"\ae{}",
        "Æ": r"\AE{}",
        "œ": r"\oe{}",
        "ł": r"\l{}",
        "Ł": r"\L{}",
    },
    **{"†": r"\dag{}", "‡": r"\ddag{}", "§": r"\S{}", "©": r"\copyright{}", "«": r"\ensuremath{\ll}", "ı": r"\i{}"},
    **{"°": r"\ensuremath{^\circ}", "•": r"\textbullet{}", "»": r"\ensuremath{\gg}", "ο": "o"},
}
_ACCENTS = {
    **{"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": "."},
    **{"\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0323": "d"},
}


def escaped(text: str) -> str:
    """The text as LaTeX. A character that LaTeX has no word for becomes its code point, like U+1F600; none is lost."""
    return "".join(map(_letter, unicodedata.normalize("NFC", text)))


def _letter(letter: str) -> str:
    if letter in _SPECIAL:
        return _SPECIAL[letter]
    if " " <= letter <= "~":
        return letter
    if letter in _TEXTS:
        return _TEXTS[letter]
    if letter in _FORMULAS:
        return rf"\ensuremath{{{_FORMULAS[letter]}}}"
    if letter in _TALL_GREEK:
        return rf"\ensuremath{{\{_TALL_GREEK[letter]}}}"
    if "α" <= letter <= "ω":
        return rf"\ensuremath{{\{_GREEK[ord(letter) - ord('α')]}}}"
    return _accented(letter)


def _accented(letter: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if not marks or not base.isascii() or any(mark not in _ACCENTS for mark in marks):
        return rf"\texttt{{U+{ord(letter):04X}}}"
    for mark in marks:
        base = rf"\{_ACCENTS[mark]}{{{base}}}"
    return base
