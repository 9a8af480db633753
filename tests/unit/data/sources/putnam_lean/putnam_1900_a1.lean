import Mathlib

open Set

noncomputable abbrev putnam_1900_a1_solution : ℕ := sorry
-- 12
/--
Find the least natural number with exactly six divisors.
-/
theorem putnam_1900_a1 :
    IsLeast {n : ℕ | n.divisors.card = 6} putnam_1900_a1_solution :=
sorry
