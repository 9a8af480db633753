import MiniF2F.ProblemImports

open scoped Real
open Nat

/-- Own words. -/
theorem own_numbertheory_2 (n : ℕ) (h₀ : n % 6 = 5) : n % 3 = 2 := sorry
