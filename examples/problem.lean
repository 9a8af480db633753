import Mathlib

/-- An odd number's square leaves the remainder 1 when it is divided by 8. -/
theorem odd_square (n : ℕ) (h : Odd n) : n ^ 2 % 8 = 1 := by
  sorry
