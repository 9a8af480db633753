import Mathlib

theorem putnam_1900_b2
  (a : ℤ)
  (ha : Odd a) :
  8 ∣ a ^ 2 - 1 := sorry
