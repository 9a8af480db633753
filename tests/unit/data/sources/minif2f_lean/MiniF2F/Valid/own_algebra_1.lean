import MiniF2F.ProblemImports

open scoped Real
open Nat

/-- Own words. -/
theorem own_algebra_1 (x y : ℝ) (h₀ : x + y = 7) (h₁ : x * y = 12) : x ^ 2 + y ^ 2 = 25 := sorry
