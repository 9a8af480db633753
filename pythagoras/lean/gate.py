"""The lexical rung: words that no plain proof needs, looked for before Lean sees a submission.

It names what is wrong early and cheaply, and it is what keeps programs away from Leans that are not ours. It errs on
the side of refusing: where a text can't be read with certainty (see `lexical.py`), words in its comments and strings
count too. Where the embedded Lean judges, `host/programs.js` repeats the decisive part on Lean's own syntax trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pythagoras.lean import lexical
from pythagoras.lean.verdict import Policy, Reason, Refusal, Rung

_WORDS: dict[Reason, tuple[str, ...]] = {
    Reason.SORRY: ("sorry", "admit", "sorryAx"),
    Reason.AXIOM: ("axiom", "opaque"),
    Reason.COMPILER: (
        *("native_decide", "bv_decide", "bv_check", "ofReduceBool", "ofReduceNat", "trustCompiler"),
        *("reduceBool", "reduceNat"),
    ),
    Reason.PROGRAM: (
        *("run_cmd", "run_tac", "run_meta", "run_elab", "by_elab", "run_conv"),
        *("elab", "elab_rules", "macro", "macro_rules", "syntax", "declare_syntax_cat", "binder_predicate"),
        *("initialize", "builtin_initialize", "implemented_by", "extern", "csimp", "include_str", "autoParam"),
        *("add_aesop_rules", "grind_propagator", "plausible", "slim_check", "polyrith"),
        *("show_panel_widgets", "with_panel_widgets"),
        *("simproc", "dsimproc", "simproc_decl", "dsimproc_decl", "builtin_simproc", "builtin_dsimproc"),
        *("declare_config_elab", "declare_simp_like_tactic", "declare_bitwise_uint_theorems"),
        *("register_option", "register_builtin_option", "register_simp_attr", "register_label_attr"),
        *("register_parser_alias", "register_tactic_tag", "register_error_explanation"),
    ),
}
_ASKING_COMMANDS = "check|check_failure|print|reduce|synth|where|version|exit"
_AESOP_RULE = r"\s+(?:\d|(?:apply|constructors|forward|destruct|cases)\b)"  # `aesop (add unsafe 50% foo)`
_PATTERNS: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    (Reason.PROGRAM, re.compile(r"#(?:eval|guard)\w*!?")),
    (Reason.PROGRAM, re.compile(rf"^#(?!(?:{_ASKING_COMMANDS})(?![A-Za-z_]))\w+", re.MULTILINE)),
    (Reason.PROGRAM, re.compile(rf"(?<![A-Za-z_'])unsafe(?!{_AESOP_RULE})(?![A-Za-z0-9_'])")),
    (Reason.PROGRAM, re.compile(r"`\(|`\[|(?<!<)\$(?=[(\[_A-Za-z])")),  # quotations, and code inside of them
    (Reason.PROGRAM, re.compile(r"(?<![A-Za-z_'.])meta(?=\s+(?:def|section|instance|abbrev|import|public|partial)\b)")),
    (Reason.PROGRAM, re.compile(r"(?<![A-Za-z_'.])attr\s*:=")),
    (Reason.COMPILER, re.compile(r"\+\s*native\b|\bnative\s*:=\s*true\b")),
    (Reason.SEARCH, re.compile(r"(?<![A-Za-z_'])(?:apply|exact|rw|rewrites|have|try|observe|aesop)\?")),
    (
        Reason.OPTION,
        re.compile(r"set_option\s+(?:«?(?:debug|compiler|interpreter|doc)\b|«?Elab»?\s*\.\s*«?async)[\w.«»]*"),
    ),
)
_AESOP_LINE = re.compile(r"^(?>[^\n]*?(?<![A-Za-z_'.])(?=aesop\b))(?P<hit>[^\n]*\btactic\b)", re.MULTILINE)
"""From the first `aesop` of a line, and from no other: each would be followed to the line's end."""
_HEXADECIMAL = re.compile(r"(?<![A-Za-z_'\d])0[xXbBoO][0-9a-fA-F_]*")  # `0x1sorry` is a number and a word
_ATTRIBUTES = re.compile(r"(?:@|(?<![A-Za-z_'.])attribute\s*)\[")
_ATTRIBUTE_NAME = re.compile(r"(?:@\[|\battribute\s*\[)\s*(?:(?:local|scoped)\s+)?\w+")
_BRACKET = re.compile(r"[\[\]]")
_CONFIGURABLE = re.compile(
    r"(?<![A-Za-z_'.])(?:simp|simp_all|simp_arith|simp_all_arith|simpa|dsimp|simp_rw|grind|decide|omega|norm_num|norm_num1"
    r"|linarith|nlinarith|positivity|ring_nf|field_simp|aesop|rw|rewrite|erw|nth_rw|nth_rewrite|apply|exact|norm_cast"
    r"|push_cast|exact_mod_cast|split|congr|convert|gcongr|tauto|fun_prop|abel_nf|solve_by_elim|apply_rules|mvcgen|try|lia"
    r"|cutsat|grobner|bv_normalize|bv_omega|unfold|push_neg|simp_intro|zify|qify|rify|constructor|extract_lets|contrapose)"
    r"(?![A-Za-z0-9_'])[?!]*"
)
_UNQUOTED = {ord("«"): " ", ord("»"): " "}
_CONFIG_ITEM = re.compile(r"\s*(?:[+-]\s*[\w.]+|only\b|\(\s*(?P<name>[\w.]+)\s*:=\s*)")
_PLAIN_VALUE = r"(?:\d+|true|false|none|\.\w+(?:\s*\[[\d,\s]*\])?)"
_WRITTEN_OUT = re.compile(rf"{_PLAIN_VALUE}|\{{\s*(?:\w+\s*:=\s*{_PLAIN_VALUE}\s*,?\s*)*\}}")
_FAR = 500
"""Characters after which a list of attributes or a value has no end worth looking for."""
_MOST_NESTED = 10
"""Lists of attributes that begin inside each other; nobody's do."""
_PARENTHESIS = re.compile(r"[()]")
_PLAIN_ATTRIBUTES = frozenset(
    [
        *("simp", "simps", "ext", "congr", "gcongr", "refl", "symm", "trans", "norm_cast", "push_cast", "push"),
        *("grind", "grind_pattern", "aesop", "instance", "default_instance", "class", "coe", "mono", "bound"),
        *("reducible", "semireducible", "irreducible", "implicit_reducible", "instance_reducible", "match_pattern"),
        *("inline", "always_inline", "macro_inline", "noinline", "specialize", "nospecialize", "never_extract"),
        *("elab_as_elim", "elab_without_expected_type", "cases_eliminator", "induction_eliminator", "recursor"),
        *("deprecated", "inherit_doc", "expose", "no_expose", "nolint", "stacks", "pp_dot", "pp_nodot", "pp_explicit"),
        *("to_additive", "to_dual", "reassoc", "higher_order", "fun_prop", "continuity", "measurability", "algebraize"),
        *("field_simps", "mfld_simps", "zify_simps", "qify_simps", "rify_simps", "spec", "unbox", "wf_preprocess"),
    ]
)


def gate(text: str, policy: Policy) -> Refusal | None:
    """The first thing in the text that the policy does not permit, if any."""
    reading = lexical.read(text)
    codes = [reading.code] if reading.certain else [reading.code, text]
    found = [hit for code in codes for hit in _hits(code) if not _permitted(hit[1], policy)]
    if not found:
        return None
    at, reason, word = min(found, key=lambda hit: hit[0])
    line = text.count("\n", 0, at) + 1
    return Refusal(Rung.LEXICAL, reason, f"`{' '.join(word.split())}` in line {line}")


def uses_sorry(text: str) -> bool:
    """Whether `sorry` or `admit` stands in the code of a text: the textual half of the paper's rule."""
    return any(reason is Reason.SORRY for _, reason, _ in _words(_plain(lexical.read(text).code)))


def _permitted(reason: Reason, policy: Policy) -> bool:
    return (reason is Reason.COMPILER and policy.compiler) or (reason is Reason.SEARCH and policy.search)


def _hits(code: str) -> Iterator[tuple[int, Reason, str]]:
    code = _plain(code)
    yield from _words(code)
    for reason, pattern in _PATTERNS:
        for match in pattern.finditer(code):
            yield match.start(), reason, match[0]
    for match in _AESOP_LINE.finditer(code):
        yield match.start("hit"), Reason.PROGRAM, match["hit"]
    yield from _attributes(code)
    seen: set[int] = set()
    for match in (*_CONFIGURABLE.finditer(code), *_ATTRIBUTE_NAME.finditer(code)):
        for item, value in _configuration(code, match.end(), seen):
            if item not in ("disch", "discharger") and not _WRITTEN_OUT.fullmatch(value.strip()):
                yield match.start(), Reason.PROGRAM, f"({item} := {value.strip()})"  # Lean runs it to know its value


def _plain(code: str) -> str:
    return _HEXADECIMAL.sub(lambda number: " " * len(number[0]), code).translate(_UNQUOTED)


def _words(code: str) -> Iterator[tuple[int, Reason, str]]:
    for match in _WORD.finditer(code):
        yield match.start(), _REASON_OF[match[0]], match[0]


def _attributes(code: str) -> Iterator[tuple[int, Reason, str]]:
    nested = end = 0
    for match in _ATTRIBUTES.finditer(code):
        nested = nested + 1 if match.start() < end else 0
        if nested > _MOST_NESTED:
            yield match.start(), Reason.PROGRAM, match[0]
            return
        end = _closing(_BRACKET, "[", code, match.end())
        for name in _attribute_names(code[match.end() : end]):
            if name not in _PLAIN_ATTRIBUTES:
                yield match.start(), Reason.PROGRAM, f"[{name}]"


def _attribute_names(listed: str) -> Iterator[str]:
    """The attributes of a list such as `local simp, -instance, grind =`; one that is taken away does no harm."""
    for item in listed.split(","):
        words = item.replace("«", " ").replace("»", " ").split()
        while words and words[0] in ("local", "scoped"):
            words.pop(0)
        if words and not words[0].startswith("-") and (name := re.match(r"[A-Za-z_][\w.']*", words[0])):
            yield name[0]


def _configuration(code: str, at: int, seen: set[int]) -> Iterator[tuple[str, str]]:
    """The items `(name := value)` that follow a tactic's name, as far as nobody has `seen` what follows from there."""
    while at not in seen and (item := _CONFIG_ITEM.match(code, at)):
        seen.add(at)
        at = item.end()
        if item["name"] is not None:
            end = _closing(_PARENTHESIS, "(", code, at)
            yield item["name"], code[at:end]
            at = end + 1


def _closing(brackets: re.Pattern[str], opening: str, code: str, at: int) -> int:
    """Where the bracket closes that was opened before `at`; some way on when it does not."""
    depth = 1
    for bracket in brackets.finditer(code, at):
        depth += 1 if bracket[0] == opening else -1
        if depth == 0:
            return bracket.start()
        if bracket.start() > at + _FAR:
            return bracket.start()
    return min(len(code), at + _FAR)


_REASON_OF = {word: reason for reason, words in _WORDS.items() for word in words}
# A word counts wherever Lean could read it as one: names only go on with letters, digits, `_` and `'`.
_WORD = re.compile(rf"(?<![A-Za-z_'])(?:{'|'.join(sorted(_REASON_OF, key=len, reverse=True))})(?![A-Za-z0-9_'])")
