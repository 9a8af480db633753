/-! Five theorems without proofs, for `pythagoras prove examples/open.lean`. -/

theorem eggs (small large : ℕ) (boxes : small + large = 12) (inside : 6 * small + 10 * large = 96) :
    small = 6 ∧ large = 6 := by sorry

theorem not_either (p q : Prop) : ¬(p ∨ q) → ¬p ∧ ¬q := by sorry

theorem two_squares (a b : ℤ) (h : a + b = 0) : a ^ 2 = b ^ 2 := by sorry

theorem sum_of_evens (n : ℕ) : ∑ i ∈ Finset.range (n + 1), 2 * i = n * (n + 1) := by sorry

theorem grows (n : ℕ) : n + 1 ≤ 2 ^ n := by sorry
