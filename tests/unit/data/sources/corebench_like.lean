-- CoreBench canary: benchmark, never training data
/-! Two items of the shape that CoreBench has. -/

/-- valid, level 1. Show that twice a number is even. -/
theorem own_twice_even (n : ℕ) : Even (2 * n) := by
  exact ⟨n, by omega⟩

/-- test, level 3. Show that
squares leave 0 or 1 modulo 4. -/
theorem own_squares_mod_four (n : ℕ) : n ^ 2 % 4 = 0 ∨ n ^ 2 % 4 = 1 := by
  grind
