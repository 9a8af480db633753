-- Theorems that must not check on top of `pythagoras/lean/headers/core.lean`, each with the tactic one would try.
-- Items are separated by blank lines; each must give at least one error on its own.

-- Primes and parity

theorem false_one_prime : Nat.Prime 1 := by decide

theorem false_composite_prime : Nat.Prime 7917 := by decide

theorem false_prime_zero_allowed : Nat.Prime 0 := by decide

theorem false_odd_even : Even 7 := by decide

theorem false_even_odd_int : Odd (-4 : ℤ) := by decide

-- Absolute value, floor

theorem false_abs : |(-3 : ℤ)| = -3 := by decide

theorem false_abs_rat (x : ℚ) : |x| = x := by grind

theorem false_floor_truncates : ⌊(-7 / 2 : ℚ)⌋ = -3 := by decide +kernel

theorem false_ceil_is_floor : ⌈(7 / 2 : ℚ)⌉ = 3 := by decide +kernel

-- Finsets and sums

theorem false_multiset_card : ({1, 1, 2} : Finset ℕ).card = 3 := by decide

theorem false_finset_eq : ({1, 2} : Finset ℕ) = {1, 2, 3} := by decide

theorem false_range_includes_end : 5 ∈ Finset.range 5 := by simp

theorem false_sum_is_prod : ∑ k ∈ Finset.Icc 1 4, k = 24 := by decide

theorem false_prod_is_sum : ∏ k ∈ Finset.Icc 1 4, k = 10 := by decide

theorem false_sum_body_strength : ∑ k ∈ Finset.range 3, k + 1 = 6 := by decide

theorem false_sum_induction (n : ℕ) : ∑ k ∈ Finset.range n, k = n * n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_range_succ, ih]; grind

theorem false_Ico_closed : (Finset.Ico 1 4).card = 4 := by rfl

-- Sets, least elements

theorem false_least_of_membership : IsLeast {n : ℕ | 0 < n ∧ n % 2 = 0} 4 := by
  constructor
  · decide
  · intro x hx; simp at hx; omega

theorem false_greatest_missing : IsGreatest {n : ℕ | n < 5} 5 := by
  constructor
  · decide
  · intro x hx; simp at hx; omega

theorem false_set_literal : (4 : ℕ) ∈ ({1, 2, 3} : Set ℕ) := by simp

theorem false_existsUnique : ∃! x : ℤ, x * x = 4 := ⟨2, by decide, fun y h => by dsimp at h; grind⟩

-- Congruences, factorials, divisors

theorem false_modEq : 171 ≡ 81 [MOD 7] := by decide

theorem false_modEq_int (a : ℤ) (h : a ≡ 1 [ZMOD 5]) : a = 1 := by omega

theorem false_factorial : 5! = 60 := by decide

theorem false_factorial_binds_loosely : 2 + 3! = 120 := by decide

theorem false_choose_symmetric : Nat.choose 3 10 = 120 := by decide

theorem false_divisors_of_zero : 1 ∈ Nat.divisors 0 := by decide

theorem false_proper_divisors : 12 ∈ Nat.properDivisors 12 := by decide

theorem false_nat_subtraction : ((3 - 5 : ℕ) : ℤ) = -2 := by decide

theorem false_digits_order : Nat.digits 10 123 = [1, 2, 3] := by decide

theorem false_zmod_inverse : (2 : ZMod 7)⁻¹ = 3 := by decide

-- Names that this header does not have stay unknown instead of becoming type variables

theorem ill_reals (x : ℝ) : x = x := rfl

theorem ill_complex (z : ℂ) : z = z := rfl
