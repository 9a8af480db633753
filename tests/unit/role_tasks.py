"""A task for each role."""

from __future__ import annotations

from pythagoras.pipeline.roles.role import RoleName

STATEMENT = "theorem problem_1 (a b : ℕ) (h : a < b) : a + 1 ≤ b"
FIELDS: dict[RoleName, dict[str, str]] = {
    RoleName.FORMALISE: {"problem": "Show that 3 + 4 = 7.", "name": "problem_1", "header": "Lean 4, no Mathlib."},
    RoleName.INFORMALISE: {"statement": STATEMENT},
    RoleName.ALIGN: {"problem": "Show that 3 + 4 = 7.", "read_back": "Show that 3 + 4 = 7.", "statement": STATEMENT},
    RoleName.DISTIL: {
        "problem": "Show that a + 1 ≤ b if a < b.",
        "statement": STATEMENT,
        "proof": "by rfl",
        "errors": "1:3: error: the left side is not the right side",
        "goal": "a b : ℕ\nh : a < b\n⊢ a + 1 ≤ b",
        "category": "tactic failures",
        "level": "proof",
        "number": "1",
        "size": "small",
    },
    RoleName.VARY: {"problem": "Show that a + 1 ≤ b if a < b.", "number": "1"},
}
