/-! A few theorems to try: `pythagoras lean check examples/first.lean`. They stand on the `core` header. -/

theorem odd_square (n : ℕ) (h : Odd n) : n ^ 2 % 8 = 1 := by
  obtain ⟨m, rfl⟩ := h
  rcases Nat.even_or_odd m with ⟨k, rfl⟩ | ⟨k, rfl⟩ <;> grind

theorem gauss (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), i = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_range_succ, Nat.mul_add, ih]; grind

theorem two_primes : Nat.Prime 2027 ∧ ¬ Nat.Prime 2028 := by decide

theorem chicken_and_rabbits (c r : ℕ) (heads : c + r = 35) (feet : 2 * c + 4 * r = 94) : c = 23 ∧ r = 12 := by
  omega

theorem least_multiple : IsLeast {n : ℕ | 0 < n ∧ 6 ∣ n ∧ 10 ∣ n} 30 := by
  constructor
  · simp
  · intro n ⟨h₀, h₁, h₂⟩
    omega
