-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Modular arithmetic: remainders, congruences, parity, digits, last digits and powers modulo m. -/

/-- valid, level 1. Show that the last digit of 7²⁰²⁶ is 9. -/
theorem modular_7pow2026_last_digit : 7 ^ 2026 % 10 = 9 := by
  decide +kernel

/-- test, level 2. Show that 1! + 2! + ... + n! leaves remainder 3 on division by 15 for every n ≥ 4. -/
theorem modular_factorial_sum_mod_15 (n : ℕ) (h₀ : 4 ≤ n) : (∑ i ∈ Finset.Icc 1 n, i !) % 15 = 3 := by
  induction n, h₀ using Nat.le_induction with
  | base => decide
  | succ n h ih =>
    rw [Finset.sum_Icc_succ_top (by omega)]
    have h3 : 15 ∣ (n + 1)! := Nat.dvd_trans (by decide : 15 ∣ 5 !) (by
      have : ∀ k : ℕ, 5 ! ∣ (5 + k)! := by
        intro k
        induction k with
        | zero => exact Nat.dvd_refl _
        | succ k ih => exact Nat.dvd_mul_left_of_dvd ih _
      have := this (n - 4)
      rwa [show 5 + (n - 4) = n + 1 by omega] at this)
    omega

/-- valid, level 3. Show that every natural number has the same parity as the sum of its digits in base 7. -/
theorem modular_base_7_digit_sum_parity (n : ℕ) : (Nat.digits 7 n).sum ≡ n [MOD 2] := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    rcases Nat.eq_zero_or_pos n with rfl | h
    · rfl
    · have := ih (n / 7) (by omega)
      rw [Nat.digits_def' (by decide) h, List.sum_cons]
      omega

/-- test, level 1. Show that 37 divides 100000a + 10000b + 1000a + 100b + 10a + b for all natural numbers a and b (so it
divides every number with the decimal digits ababab). -/
theorem modular_ababab_37_dvd (a b : ℕ) :
    37 ∣ 100000 * a + 10000 * b + 1000 * a + 100 * b + 10 * a + b := by
  omega

/-- valid, level 2. A natural number between 1000 and 9999 has the same decimal digits read forwards and backwards.
Show that it is divisible by 11. -/
theorem modular_four_digit_palindrome_11_dvd (n : ℕ) (h₀ : 1000 ≤ n) (h₁ : n ≤ 9999)
    (h₂ : (Nat.digits 10 n).reverse = Nat.digits 10 n) : 11 ∣ n := by
  have e : Nat.digits 10 n = [n % 10, n / 10 % 10, n / 10 / 10 % 10, n / 10 / 10 / 10] := by
    rw [Nat.digits_def' (by decide) (by omega), Nat.digits_def' (by decide) (by omega),
      Nat.digits_def' (by decide) (by omega), Nat.digits_def' (by decide) (by omega),
      show n / 10 / 10 / 10 / 10 = 0 by omega, show n / 10 / 10 / 10 % 10 = n / 10 / 10 / 10 by omega]
    rfl
  rw [e] at h₂
  simp at h₂
  omega

/-- test, level 2. Show that the sum of two cubes of integers never leaves remainder 3 on division by 7. -/
theorem modular_sum_two_cubes_mod_7 (x y : ℤ) : (x ^ 3 + y ^ 3) % 7 ≠ 3 := by
  have key : ∀ a : ℤ, a ^ 3 % 7 = 0 ∨ a ^ 3 % 7 = 1 ∨ a ^ 3 % 7 = 6 := by
    intro a
    have h : a % 7 = 0 ∨ a % 7 = 1 ∨ a % 7 = 2 ∨ a % 7 = 3 ∨ a % 7 = 4 ∨ a % 7 = 5 ∨ a % 7 = 6 := by omega
    rcases h with h | h | h | h | h | h | h <;> simp [pow_succ, Int.mul_emod, h]
  have hx := key x
  have hy := key y
  omega

/-- valid, level 3. Show that for integers x, y, z, w, the sum x⁴ + y⁴ + z⁴ + w⁴ is divisible by 16 if and only if all
four of them are even. -/
theorem modular_16_dvd_four_fourth_powers (x y z w : ℤ) :
    16 ∣ x ^ 4 + y ^ 4 + z ^ 4 + w ^ 4 ↔ Even x ∧ Even y ∧ Even z ∧ Even w := by
  have key : ∀ a : ℤ, (a % 2 = 0 ∧ a ^ 4 % 16 = 0) ∨ (a % 2 = 1 ∧ a ^ 4 % 16 = 1) := by
    intro a
    rcases Int.even_or_odd a with ⟨k, rfl⟩ | ⟨k, rfl⟩
    · left
      grind
    · right
      refine ⟨by omega, ?_⟩
      rcases Int.even_or_odd k with ⟨m, rfl⟩ | ⟨m, rfl⟩ <;> grind
  have hx := key x
  have hy := key y
  have hz := key z
  have hw := key w
  rw [Int.even_iff, Int.even_iff, Int.even_iff, Int.even_iff]
  generalize x ^ 4 = a at *
  generalize y ^ 4 = b at *
  generalize z ^ 4 = c at *
  generalize w ^ 4 = d at *
  omega

/-- test, level 1. Show that there is exactly one natural number below 105 that leaves the remainders 2, 4, 1 on
division by 3, 5, 7. -/
theorem modular_unique_remainders_2_4_1 : ∃! n : ℕ, n < 105 ∧ n % 3 = 2 ∧ n % 5 = 4 ∧ n % 7 = 1 := by
  refine ⟨29, by decide, ?_⟩
  intro n h
  omega

/-- valid, level 2. Show that n² leaves remainder 1 on division by 24 if and only if n is coprime to 24. -/
theorem modular_sq_mod_24_iff_coprime (n : ℕ) : n ^ 2 % 24 = 1 ↔ Nat.gcd n 24 = 1 := by
  have key : ∀ r < 24, (r ^ 2 % 24 = 1 ↔ Nat.gcd r 24 = 1) := by decide
  have h := key (n % 24) (Nat.mod_lt _ (by decide))
  rw [← Nat.pow_mod] at h
  rw [h, Nat.gcd_comm n 24, Nat.gcd_rec 24 n]

/-- valid, level 3. Show that 7 divides 3ⁿ + 4ⁿ if and only if n is odd. -/
theorem modular_7_dvd_3powp4pow_iff (n : ℕ) : 7 ∣ 3 ^ n + 4 ^ n ↔ Odd n := by
  have key : ∀ k : ℕ, (k % 2 = 0 → 4 ^ k % 7 = 3 ^ k % 7) ∧ (k % 2 = 1 → (3 ^ k + 4 ^ k) % 7 = 0) ∧ 3 ^ k % 7 ≠ 0 := by
    intro k
    induction k with
    | zero => decide
    | succ k ih =>
      rw [Nat.pow_succ, Nat.pow_succ]
      omega
  have h := key n
  rw [Nat.odd_iff]
  omega

/-- test, level 2. Show that 47 divides 7²ⁿ⁺¹ + 5·2ⁿ⁺³ for every natural number n. -/
theorem modular_47_dvd_7pow_p_2pow (n : ℕ) : 47 ∣ 7 ^ (2 * n + 1) + 5 * 2 ^ (n + 3) := by
  induction n with
  | zero => decide
  | succ n ih =>
    have e1 : 7 ^ (2 * (n + 1) + 1) = 49 * 7 ^ (2 * n + 1) := by grind
    have e2 : 2 ^ (n + 1 + 3) = 2 * 2 ^ (n + 3) := by grind
    rw [e1, e2]
    generalize 7 ^ (2 * n + 1) = a at *
    generalize 2 ^ (n + 3) = b at *
    omega

/-- valid, level 2. Show that n⁷ and n leave the same remainder on division by 42 for every integer n. -/
theorem modular_n7_eq_n_mod_42 (n : ℤ) : n ^ 7 ≡ n [ZMOD 42] := by
  have h2 : n ^ 7 % 2 = n % 2 := by
    have h : n % 2 = 0 ∨ n % 2 = 1 := by omega
    rcases h with h | h <;> simp [pow_succ, Int.mul_emod, h]
  have h3 : n ^ 7 % 3 = n % 3 := by
    have h : n % 3 = 0 ∨ n % 3 = 1 ∨ n % 3 = 2 := by omega
    rcases h with h | h | h <;> simp [pow_succ, Int.mul_emod, h]
  have h7 : n ^ 7 % 7 = n % 7 := by
    have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
    rcases h with h | h | h | h | h | h | h <;> simp [pow_succ, Int.mul_emod, h]
  show n ^ 7 % 42 = n % 42
  omega

/-- test, level 2. Show that if two integers are congruent modulo 3, then their cubes are congruent modulo 9. -/
theorem modular_cubes_lift_3_to_9 (a b : ℤ) (h₀ : a ≡ b [ZMOD 3]) : a ^ 3 ≡ b ^ 3 [ZMOD 9] := by
  obtain ⟨k, rfl⟩ : ∃ k, a = b + 3 * k := ⟨(a - b) / 3, by have : a % 3 = b % 3 := h₀; omega⟩
  apply Int.modEq_iff_dvd.2
  exact ⟨-(b ^ 2 * k + 3 * b * k ^ 2 + 3 * k ^ 3), by grind⟩

/-- valid, level 2. Show that n² and n end in the same two decimal digits if and only if n ends in 00, 01, 25 or 76. -/
theorem modular_automorphic_two_digits (n : ℕ) :
    n ^ 2 ≡ n [MOD 100] ↔ n % 100 = 0 ∨ n % 100 = 1 ∨ n % 100 = 25 ∨ n % 100 = 76 := by
  have key : ∀ r < 100, (r ^ 2 % 100 = r ↔ r = 0 ∨ r = 1 ∨ r = 25 ∨ r = 76) := by decide
  have h := key (n % 100) (Nat.mod_lt _ (by decide))
  rw [← Nat.pow_mod] at h
  exact h

/-- test, level 1. Show that 36 is the only two-digit number equal to twice the product of its decimal digits. -/
theorem modular_twice_digit_product :
    (Finset.Icc 10 99).filter (fun n => n = 2 * ((n / 10) * (n % 10))) = {36} := by
  decide

/-- valid, level 1. Show that some power of 2 ends in the three decimal digits 888. -/
theorem modular_2pow_ends_888 : ∃ n : ℕ, 2 ^ n % 1000 = 888 := by
  exact ⟨39, by decide⟩

/-- test, level 1. Show that exactly 35 of the numbers 1, 2, ..., 100 leave the same remainder on division by 4 and by
6. -/
theorem modular_same_remainder_4_6_count : ((Finset.Icc 1 100).filter (fun n => n % 4 = n % 6)).card = 35 := by
  decide

/-- valid, level 1. Show that the product of the differences of three integers, (a - b)(b - c)(c - a), is even. -/
theorem modular_three_differences_even (a b c : ℤ) : Even ((a - b) * (b - c) * (c - a)) := by
  rw [Int.even_mul, Int.even_mul, Int.even_iff, Int.even_iff, Int.even_iff]
  omega

/-- test, level 2. Show that a sum of n odd integers is odd if and only if n is odd. -/
theorem modular_sum_of_odds_odd_iff (f : ℕ → ℤ) (n : ℕ) (h₀ : ∀ i, Odd (f i)) :
    Odd (∑ i ∈ Finset.range n, f i) ↔ Odd n := by
  rw [Int.odd_iff, Nat.odd_iff]
  induction n with
  | zero => simp
  | succ n ih =>
    have := Int.odd_iff.1 (h₀ n)
    rw [Finset.sum_range_succ]
    omega

/-- valid, level 2. The integers a, b, c and x, y, z satisfy a + b + c = x + y + z. Show that (a - x)(b - y)(c - z) is
even. -/
theorem modular_equal_sums_product_even (a b c x y z : ℤ) (h₀ : a + b + c = x + y + z) :
    Even ((a - x) * (b - y) * (c - z)) := by
  rw [Int.even_mul, Int.even_mul, Int.even_iff, Int.even_iff, Int.even_iff]
  omega

/-- test, level 2. Starting with 0, a number n is replaced by the last digit of 3n + 1 again and again. Show that after
4k + 2 steps the number is 4. -/
theorem modular_iterate_3np1_last_digit (k : ℕ) : (fun n => (3 * n + 1) % 10)^[4 * k + 2] 0 = 4 := by
  induction k with
  | zero => decide
  | succ k ih => exact ih

/-- valid, level 3. Show that the Fibonacci number F(n) is divisible by 3 if and only if n is divisible by 4. -/
theorem modular_3_dvd_fib_iff (n : ℕ) : 3 ∣ Nat.fib n ↔ 4 ∣ n := by
  have key : ∀ k : ℕ, Nat.fib (4 * k) % 3 = 0 ∧ Nat.fib (4 * k + 1) % 3 ≠ 0 := by
    intro k
    induction k with
    | zero => decide
    | succ k ih =>
      have e2 : Nat.fib (4 * k + 2) = Nat.fib (4 * k) + Nat.fib (4 * k + 1) := Nat.fib_add_two
      have e3 : Nat.fib (4 * k + 3) = Nat.fib (4 * k + 1) + Nat.fib (4 * k + 2) := Nat.fib_add_two
      have e4 : Nat.fib (4 * (k + 1)) = Nat.fib (4 * k + 2) + Nat.fib (4 * k + 3) := Nat.fib_add_two
      have e5 : Nat.fib (4 * (k + 1) + 1) = Nat.fib (4 * k + 3) + Nat.fib (4 * (k + 1)) := Nat.fib_add_two
      omega
  obtain ⟨k, hk⟩ : ∃ k, n = 4 * k ∨ n = 4 * k + 1 ∨ n = 4 * k + 2 ∨ n = 4 * k + 3 := ⟨n / 4, by omega⟩
  have h := key k
  have e2 : Nat.fib (4 * k + 2) = Nat.fib (4 * k) + Nat.fib (4 * k + 1) := Nat.fib_add_two
  have e3 : Nat.fib (4 * k + 3) = Nat.fib (4 * k + 1) + Nat.fib (4 * k + 2) := Nat.fib_add_two
  rcases hk with rfl | rfl | rfl | rfl <;> omega

/-- test, level 2. Show that the Fibonacci numbers F(n) and F(n + 20) always leave the same remainder on division by
5. -/
theorem modular_fib_period_20_mod_5 (n : ℕ) : Nat.fib (n + 20) ≡ Nat.fib n [MOD 5] := by
  have h : ∀ k, Nat.fib (k + 2) = Nat.fib k + Nat.fib (k + 1) := fun k => Nat.fib_add_two
  have h5 : ∀ k, Nat.fib (k + 5) = 3 * Nat.fib k + 5 * Nat.fib (k + 1) := by
    intro k
    have a : Nat.fib (k + 3) = Nat.fib (k + 1) + Nat.fib (k + 2) := h (k + 1)
    have b : Nat.fib (k + 4) = Nat.fib (k + 2) + Nat.fib (k + 3) := h (k + 2)
    have c : Nat.fib (k + 5) = Nat.fib (k + 3) + Nat.fib (k + 4) := h (k + 3)
    have := h k
    omega
  have a := h5 n
  have b : Nat.fib (n + 10) = 3 * Nat.fib (n + 5) + 5 * Nat.fib (n + 6) := h5 (n + 5)
  have c : Nat.fib (n + 15) = 3 * Nat.fib (n + 10) + 5 * Nat.fib (n + 11) := h5 (n + 10)
  have d : Nat.fib (n + 20) = 3 * Nat.fib (n + 15) + 5 * Nat.fib (n + 16) := h5 (n + 15)
  show Nat.fib (n + 20) % 5 = Nat.fib n % 5
  omega

/-- valid, level 2. A sequence of integers starts with a(0) = 3 and satisfies a(n+1) = a(n)² - 2. Show that all terms
from a(1) on leave remainder 7 on division by 10. -/
theorem modular_sq_minus_2_last_digit (a : ℕ → ℤ) (h₀ : a 0 = 3) (h₁ : ∀ n, a (n + 1) = a n ^ 2 - 2) (n : ℕ) :
    a (n + 1) % 10 = 7 := by
  induction n with
  | zero =>
    rw [h₁, h₀]
    decide
  | succ n ih =>
    rw [h₁, Int.sub_emod, pow_two, Int.mul_emod, ih]
    decide

/-- test, level 3. The last two decimal digits of 2ⁿ, where n ≥ 2, are both equal to d. Show that d = 4 or d = 8. -/
theorem modular_2pow_equal_last_digits (n d : ℕ) (h₀ : 2 ≤ n) (h₁ : d ≤ 9) (h₂ : 2 ^ n % 100 = 11 * d) :
    d = 4 ∨ d = 8 := by
  obtain ⟨k, rfl⟩ : ∃ k, n = k + 2 := ⟨n - 2, by omega⟩
  have h4 : 2 ^ (k + 2) = 4 * 2 ^ k := by grind
  have h5 : 2 ^ k % 5 ≠ 0 := by
    clear h₀ h₂ h4
    induction k with
    | zero => decide
    | succ k ih =>
      rw [Nat.pow_succ]
      omega
  rw [h4] at h₂
  generalize 2 ^ k = t at *
  omega

/-- valid, level 3. Show that a triangular number t, given by 2t = n(n + 1), never ends in the digit 2, 4, 7 or 9. -/
theorem modular_triangular_last_digit (n t : ℕ) (h₀ : 2 * t = n * (n + 1)) :
    t % 10 ≠ 2 ∧ t % 10 ≠ 4 ∧ t % 10 ≠ 7 ∧ t % 10 ≠ 9 := by
  have h : n * (n + 1) % 5 = (n % 5) * ((n + 1) % 5) % 5 := Nat.mul_mod _ _ _
  have h5 : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h5 with r | r | r | r | r
  · rw [r, show (n + 1) % 5 = 1 by omega] at h
    omega
  · rw [r, show (n + 1) % 5 = 2 by omega] at h
    omega
  · rw [r, show (n + 1) % 5 = 3 by omega] at h
    omega
  · rw [r, show (n + 1) % 5 = 4 by omega] at h
    omega
  · rw [r, show (n + 1) % 5 = 0 by omega] at h
    omega

/-- test, level 3. A perfect square ends in the digit 6. Show that its tens digit is odd. -/
theorem modular_square_ending_in_6 (n : ℕ) (h₀ : n ^ 2 % 10 = 6) : Odd (n ^ 2 / 10 % 10) := by
  have h : n % 10 = 4 ∨ n % 10 = 6 := by
    have key : ∀ r < 10, r ^ 2 % 10 = 6 → r = 4 ∨ r = 6 := by decide
    exact key (n % 10) (Nat.mod_lt _ (by decide)) (by rw [← Nat.pow_mod]; exact h₀)
  rw [Nat.odd_iff]
  rcases h with h | h
  · have e : n ^ 2 = 20 * (5 * (n / 10) ^ 2 + 4 * (n / 10)) + 16 := by
      have hn : n = 10 * (n / 10) + 4 := by omega
      generalize n / 10 = q at *
      subst hn
      grind
    omega
  · have e : n ^ 2 = 20 * (5 * (n / 10) ^ 2 + 6 * (n / 10)) + 36 := by
      have hn : n = 10 * (n / 10) + 6 := by omega
      generalize n / 10 = q at *
      subst hn
      grind
    omega

/-- valid, level 2. Show that the sum of the squares of three consecutive integers is never the square of an integer. -/
theorem modular_three_consecutive_squares (n m : ℤ) : (n - 1) ^ 2 + n ^ 2 + (n + 1) ^ 2 ≠ m ^ 2 := by
  intro h
  have e : m * m = 3 * n ^ 2 + 2 := by grind
  have hm : m * m % 3 = 2 := by omega
  have h3 : m % 3 = 0 ∨ m % 3 = 1 ∨ m % 3 = 2 := by omega
  rcases h3 with r | r | r <;> simp [Int.mul_emod, r] at hm

/-- test, level 2. Show that an integer that leaves remainder 5 or 7 on division by 8 is not of the form x² + 2y² with
integers x and y. -/
theorem modular_xsqp2ysq_mod_8 (n x y : ℤ) (h₀ : n % 8 = 5 ∨ n % 8 = 7) : n ≠ x ^ 2 + 2 * y ^ 2 := by
  have key : ∀ a : ℤ, a ^ 2 % 8 = 0 ∨ a ^ 2 % 8 = 1 ∨ a ^ 2 % 8 = 4 := by
    intro a
    have h : a % 8 = 0 ∨ a % 8 = 1 ∨ a % 8 = 2 ∨ a % 8 = 3 ∨ a % 8 = 4 ∨ a % 8 = 5 ∨ a % 8 = 6 ∨ a % 8 = 7 := by omega
    rcases h with h | h | h | h | h | h | h | h <;> simp [pow_two, Int.mul_emod, h]
  have hx := key x
  have hy := key y
  omega

/-- valid, level 2. Show that 3x² - 4y² = 5 has no solution in integers x and y. -/
theorem modular_3xsq_sub_4ysq (x y : ℤ) : 3 * x ^ 2 - 4 * y ^ 2 ≠ 5 := by
  intro h
  have hx : x * x % 4 = 3 := by
    rw [pow_two] at h
    omega
  have h4 : x % 4 = 0 ∨ x % 4 = 1 ∨ x % 4 = 2 ∨ x % 4 = 3 := by omega
  rcases h4 with r | r | r | r <;> simp [Int.mul_emod, r] at hx

/-- valid, level 1. Show that 38 is the only natural number x below 43 with 17x ≡ 1 modulo 43. -/
theorem modular_inverse_17_mod_43 (x : ℕ) (h₀ : x < 43) : 17 * x ≡ 1 [MOD 43] ↔ x = 38 := by
  show 17 * x % 43 = 1 % 43 ↔ x = 38
  omega

/-- valid, level 2. Show that 1 + 3 + 3² + ... + 3²ⁿ⁻¹ is divisible by 4 for every natural number n. -/
theorem modular_geometric_3_4_dvd (n : ℕ) : 4 ∣ ∑ i ∈ Finset.range (2 * n), 3 ^ i := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [show 2 * (n + 1) = 2 * n + 1 + 1 by omega, Finset.sum_range_succ, Finset.sum_range_succ, Nat.pow_succ]
    omega

/-- test, level 3. Show that a number written with n ≥ 2 ones, 1 + 10 + ... + 10ⁿ⁻¹, is not a perfect square. -/
theorem modular_repunit_not_square (n m : ℕ) (h₀ : 2 ≤ n) : ∑ i ∈ Finset.range n, 10 ^ i ≠ m ^ 2 := by
  have h4 : (∑ i ∈ Finset.range n, 10 ^ i) % 4 = 3 := by
    induction n, h₀ using Nat.le_induction with
    | base => decide
    | succ n h ih =>
      rw [Finset.sum_range_succ]
      obtain ⟨k, rfl⟩ : ∃ k, n = k + 2 := ⟨n - 2, by omega⟩
      have e : 10 ^ (k + 2) = 100 * 10 ^ k := by grind
      omega
  intro h
  rw [h] at h4
  have : m % 4 = 0 ∨ m % 4 = 1 ∨ m % 4 = 2 ∨ m % 4 = 3 := by omega
  rcases this with r | r | r | r <;> simp [Nat.pow_mod, r] at h4

/-- valid, level 2. Show that 1 + 10 + ... + 10ⁿ⁻¹ leaves the same remainder on division by 11 as n does on division
by 2. -/
theorem modular_repunit_mod_11 (n : ℕ) : (∑ i ∈ Finset.range n, 10 ^ i) % 11 = n % 2 := by
  have key : ∀ k : ℕ, (k % 2 = 0 → 10 ^ k % 11 = 1) ∧ (k % 2 = 1 → 10 ^ k % 11 = 10) := by
    intro k
    induction k with
    | zero => decide
    | succ k ih =>
      rw [Nat.pow_succ]
      omega
  induction n with
  | zero => rfl
  | succ n ih =>
    have := key n
    rw [Finset.sum_range_succ]
    omega

/-- test, level 1. In a year of 365 days the first days of the months come 0, 3, 3, 6, 1, 4, 6, 2, 5, 0, 3, 5 weekdays
after that of January 1 (modulo 7). Show that for every weekday d of January 1, and for every weekday w, some month
begins on w. -/
theorem modular_every_weekday_starts_a_month :
    ∀ d < 7, ∀ w < 7, ∃ k ∈ [0, 3, 3, 6, 1, 4, 6, 2, 5, 0, 3, 5], (d + k) % 7 = w := by
  decide

/-- valid, level 1. Show that 35 is the least natural number that leaves remainder 3 on division by 4, remainder 5 on
division by 6 and remainder 0 on division by 7. -/
theorem modular_least_3_5_0 : IsLeast {n : ℕ | n % 4 = 3 ∧ n % 6 = 5 ∧ n % 7 = 0} 35 := by
  constructor
  · decide
  · rintro n ⟨h0, h1, h2⟩
    omega

/-- test, level 1. Show that 876 is the greatest three-digit number that leaves remainder 7 on division by 11 and
remainder 5 on division by 13. -/
theorem modular_greatest_three_digit : IsGreatest {n : ℕ | 100 ≤ n ∧ n ≤ 999 ∧ n % 11 = 7 ∧ n % 13 = 5} 876 := by
  constructor
  · decide
  · rintro n ⟨h0, h1, h2, h3⟩
    omega

/-- valid, level 1. Show that the map taking n to the remainder of 5n modulo 12 is injective on the numbers n < 12. -/
theorem modular_5n_mod_12_injective : Set.InjOn (fun n : ℕ => 5 * n % 12) {n : ℕ | n < 12} := by
  intro a ha b hb h
  simp at ha hb h
  omega

/-- test, level 2. Show that if the cubes of two natural numbers leave the same remainder on division by 11, then so do
the numbers themselves. -/
theorem modular_cubes_injective_mod_11 (a b : ℕ) (h₀ : a ^ 3 ≡ b ^ 3 [MOD 11]) : a ≡ b [MOD 11] := by
  have key : ∀ r < 11, ∀ s < 11, r ^ 3 % 11 = s ^ 3 % 11 → r = s := by decide
  have h : a ^ 3 % 11 = b ^ 3 % 11 := h₀
  rw [Nat.pow_mod a, Nat.pow_mod b] at h
  exact key _ (Nat.mod_lt _ (by decide)) _ (Nat.mod_lt _ (by decide)) h

/-- valid, level 3. The sum of the squares of three integers a, b, c is divisible by 5. Show that abc is divisible
by 5. -/
theorem modular_three_squares_5_dvd (a b c : ℤ) (h₀ : 5 ∣ a ^ 2 + b ^ 2 + c ^ 2) : 5 ∣ a * b * c := by
  have key : ∀ x : ℤ, 5 ∣ x ∨ x ^ 2 % 5 = 1 ∨ x ^ 2 % 5 = 4 := by
    intro x
    have h : x % 5 = 0 ∨ x % 5 = 1 ∨ x % 5 = 2 ∨ x % 5 = 3 ∨ x % 5 = 4 := by omega
    rcases h with h | h | h | h | h
    · left
      omega
    all_goals simp [pow_two, Int.mul_emod, h]
  rcases key a with h | ha
  · exact Int.dvd_mul_of_dvd_left (Int.dvd_mul_of_dvd_left h)
  · rcases key b with h | hb
    · exact Int.dvd_mul_of_dvd_left (Int.dvd_mul_of_dvd_right h)
    · rcases key c with h | hc
      · exact Int.dvd_mul_of_dvd_right h
      · omega

/-- test, level 3. Show that among any four integers there are two whose squares differ by a multiple of 5. -/
theorem modular_four_integers_squares_mod_5 (f : ℕ → ℤ) : ∃ i j : ℕ, i < j ∧ j < 4 ∧ 5 ∣ f i ^ 2 - f j ^ 2 := by
  have key : ∀ x : ℤ, x ^ 2 % 5 = 0 ∨ x ^ 2 % 5 = 1 ∨ x ^ 2 % 5 = 4 := by
    intro x
    have h : x % 5 = 0 ∨ x % 5 = 1 ∨ x % 5 = 2 ∨ x % 5 = 3 ∨ x % 5 = 4 := by omega
    rcases h with h | h | h | h | h <;> simp [pow_two, Int.mul_emod, h]
  have h0 := key (f 0)
  have h1 := key (f 1)
  have h2 := key (f 2)
  have h3 := key (f 3)
  have : 5 ∣ f 0 ^ 2 - f 1 ^ 2 ∨ 5 ∣ f 0 ^ 2 - f 2 ^ 2 ∨ 5 ∣ f 0 ^ 2 - f 3 ^ 2 ∨ 5 ∣ f 1 ^ 2 - f 2 ^ 2 ∨
      5 ∣ f 1 ^ 2 - f 3 ^ 2 ∨ 5 ∣ f 2 ^ 2 - f 3 ^ 2 := by omega
  rcases this with h | h | h | h | h | h
  · exact ⟨0, 1, by decide, by decide, h⟩
  · exact ⟨0, 2, by decide, by decide, h⟩
  · exact ⟨0, 3, by decide, by decide, h⟩
  · exact ⟨1, 2, by decide, by decide, h⟩
  · exact ⟨1, 3, by decide, by decide, h⟩
  · exact ⟨2, 3, by decide, by decide, h⟩

/-- valid, level 2. Show that a ≡ b modulo m implies a³ + 2a + 5 ≡ b³ + 2b + 5 modulo m. -/
theorem modular_cubic_respects_congruence (a b m : ℤ) (h₀ : a ≡ b [ZMOD m]) :
    a ^ 3 + 2 * a + 5 ≡ b ^ 3 + 2 * b + 5 [ZMOD m] := by
  rw [Int.modEq_iff_dvd] at h₀ ⊢
  obtain ⟨k, hk⟩ := h₀
  exact ⟨k * (a ^ 2 + a * b + b ^ 2 + 2), by grind⟩

/-- test, level 2. Show that 2 to the power 2ⁿ ends in the digit 6 for every n ≥ 2. -/
theorem modular_2pow2pown_last_digit (n : ℕ) (h₀ : 2 ≤ n) : 2 ^ 2 ^ n % 10 = 6 := by
  induction n, h₀ using Nat.le_induction with
  | base => decide
  | succ n h ih => rw [Nat.pow_succ, Nat.pow_mul, Nat.pow_mod, ih]

/-- valid, level 1. Show that every power 376, 376², 376³, ... ends in the digits 376. -/
theorem modular_376_pow (n : ℕ) : 376 ^ (n + 1) % 1000 = 376 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.pow_succ]
    omega

/-- valid, level 3. Show that the binary digits of 2ⁿ - 1 are n ones. -/
theorem modular_binary_digits_2pownm1 (n : ℕ) : Nat.digits 2 (2 ^ n - 1) = List.replicate n 1 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have hp : 0 < 2 ^ n := Nat.pow_pos (by decide)
    have e : 2 ^ (n + 1) = 2 * 2 ^ n := by grind
    rw [Nat.digits_def' (by decide) (by omega), show (2 ^ (n + 1) - 1) % 2 = 1 by omega,
      show (2 ^ (n + 1) - 1) / 2 = 2 ^ n - 1 by omega, ih]
    rfl

/-- test, level 3. Show that the sum of the decimal digits of a natural number is at most the number itself, with
equality exactly for the numbers below 10. -/
theorem modular_digit_sum_le (n : ℕ) : (Nat.digits 10 n).sum ≤ n ∧ ((Nat.digits 10 n).sum = n ↔ n < 10) := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    rcases Nat.eq_zero_or_pos n with rfl | h
    · simp
    · have := ih (n / 10) (by omega)
      rw [Nat.digits_def' (by decide) h, List.sum_cons]
      rcases Nat.lt_or_ge n 10 with h' | h'
      · rw [show n / 10 = 0 by omega, Nat.digits_zero]
        simp
        omega
      · omega

/-- valid, level 3. Show that 7 divides 1 + 2ⁿ + 4ⁿ if and only if n is not a multiple of 3. -/
theorem modular_7_dvd_1p2powp4pow (n : ℕ) : 7 ∣ 1 + 2 ^ n + 4 ^ n ↔ ¬ 3 ∣ n := by
  have key : ∀ k : ℕ, (k % 3 = 0 → 2 ^ k % 7 = 1 ∧ 4 ^ k % 7 = 1) ∧ (k % 3 = 1 → 2 ^ k % 7 = 2 ∧ 4 ^ k % 7 = 4) ∧
      (k % 3 = 2 → 2 ^ k % 7 = 4 ∧ 4 ^ k % 7 = 2) := by
    intro k
    induction k with
    | zero => decide
    | succ k ih =>
      rw [Nat.pow_succ, Nat.pow_succ]
      omega
  have h := key n
  omega

/-- test, level 3. Show that a natural number that leaves remainder 2 on division by 3 has a prime divisor that also
leaves remainder 2 on division by 3. -/
theorem modular_prime_divisor_2_mod_3 (n : ℕ) (h₀ : n % 3 = 2) : ∃ p : ℕ, Nat.Prime p ∧ p ∣ n ∧ p % 3 = 2 := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    by_cases hp : Nat.Prime n
    · exact ⟨n, hp, Nat.dvd_refl n, h₀⟩
    · obtain ⟨q, hq, c, rfl⟩ := Nat.exists_prime_and_dvd (show n ≠ 1 by omega)
      have hm : q * c % 3 = (q % 3) * (c % 3) % 3 := Nat.mul_mod _ _ _
      by_cases h2 : q % 3 = 2
      · exact ⟨q, hq, Nat.dvd_mul_right q c, h2⟩
      · have hc : c % 3 = 2 := by
          have h3 : q % 3 = 0 ∨ q % 3 = 1 := by omega
          rcases h3 with h3 | h3 <;> rw [h3] at hm <;> omega
        have hlt : c < q * c := by
          have := Nat.mul_le_mul_right c hq.two_le
          omega
        obtain ⟨p, hp1, hp2, hp3⟩ := ih c hlt hc
        exact ⟨p, hp1, Nat.dvd_mul_left_of_dvd hp2 q, hp3⟩

/-- test, level 3. Show that 2ⁿ + 5ⁿ is not a perfect square for any natural number n. -/
theorem modular_2pownp5pown_not_square (n m : ℕ) : 2 ^ n + 5 ^ n ≠ m ^ 2 := by
  intro h
  have h3 : ∀ k : ℕ, 2 ^ (2 * k) % 3 = 1 ∧ 5 ^ (2 * k) % 3 = 1 ∧ 5 ^ (2 * k) % 8 = 1 := by
    intro k
    induction k with
    | zero => decide
    | succ k ih =>
      have e1 : 2 ^ (2 * (k + 1)) = 4 * 2 ^ (2 * k) := by grind
      have e2 : 5 ^ (2 * (k + 1)) = 25 * 5 ^ (2 * k) := by grind
      omega
  obtain ⟨k, hk⟩ : ∃ k, n = 2 * k ∨ n = 2 * k + 1 := ⟨n / 2, by omega⟩
  have hk3 := h3 k
  rcases hk with rfl | rfl
  · have hm : m ^ 2 % 3 = 2 := by omega
    have : m % 3 = 0 ∨ m % 3 = 1 ∨ m % 3 = 2 := by omega
    rcases this with r | r | r <;> simp [Nat.pow_mod, r] at hm
  · have hm : m ^ 2 % 8 = 5 ∨ m ^ 2 % 8 = 7 := by
      rcases Nat.eq_zero_or_pos k with rfl | hpos
      · omega
      · obtain ⟨j, rfl⟩ : ∃ j, k = j + 1 := ⟨k - 1, by omega⟩
        have e1 : 2 ^ (2 * (j + 1) + 1) = 8 * 2 ^ (2 * j) := by grind
        have e2 : 5 ^ (2 * (j + 1) + 1) = 5 * 5 ^ (2 * (j + 1)) := by grind
        omega
    have : m % 8 = 0 ∨ m % 8 = 1 ∨ m % 8 = 2 ∨ m % 8 = 3 ∨ m % 8 = 4 ∨ m % 8 = 5 ∨ m % 8 = 6 ∨ m % 8 = 7 := by omega
    rcases this with r | r | r | r | r | r | r | r <;> simp [Nat.pow_mod, r] at hm

/-- test, level 2. Show that for n ≥ 3 the last three decimal digits of 5ⁿ are 625 if n is even and 125 if n is odd. -/
theorem modular_5pown_last_three_digits (n : ℕ) (h₀ : 3 ≤ n) : 5 ^ n % 1000 = if Even n then 625 else 125 := by
  induction n, h₀ using Nat.le_induction with
  | base => decide
  | succ n h ih =>
    rw [Nat.pow_succ]
    simp only [Nat.even_iff] at *
    split at ih <;> split <;> omega

/-- test, level 1. Show that n² + n + 5 is odd for every integer n. -/
theorem modular_sqpnp5_odd (n : ℤ) : Odd (n ^ 2 + n + 5) := by
  rcases Int.even_or_odd n with ⟨k, rfl⟩ | ⟨k, rfl⟩
  · exact ⟨2 * k ^ 2 + k + 2, by grind⟩
  · exact ⟨2 * k ^ 2 + 3 * k + 3, by grind⟩

/-- valid, level 1. Show that the decimal digits of 12345679 · 63 are nine sevens. -/
theorem modular_nine_sevens : Nat.digits 10 (12345679 * 63) = List.replicate 9 7 := by
  decide +kernel

/-- test, level 1. A natural number n leaves remainder 3 on division by 5. Show that n² + n leaves remainder 2. -/
theorem modular_sqpn_mod_5 (n : ℕ) (h₀ : n % 5 = 3) : (n ^ 2 + n) % 5 = 2 := by
  simp [Nat.add_mod, Nat.pow_mod, h₀]

/-- valid, level 1. Let s be the sum of the squares of the natural numbers below 50. Show that s ends in the digit 5. -/
theorem modular_sum_squares_50_last_digit : let s : ℕ := ∑ i ∈ Finset.range 50, i * i; s % 10 = 5 := by
  decide +kernel

/-- test, level 1. Natural numbers x and y satisfy 3x + 7y = 100. Show that y leaves remainder 1 on division by 3 and
that y ≤ 13. -/
theorem modular_3xp7y_eq_100 (x y : ℕ) (h₀ : 3 * x + 7 * y = 100) : y % 3 = 1 ∧ y ≤ 13 := by
  omega

/-- valid, level 1. Show that for every integer a there is an integer b with 8b ≡ a modulo 27. -/
theorem modular_divide_by_8_mod_27 (a : ℤ) : ∃ b : ℤ, 8 * b ≡ a [ZMOD 27] := by
  refine ⟨17 * a, ?_⟩
  show 8 * (17 * a) % 27 = a % 27
  omega

/-- valid, level 3. Show that the product 2 · 5 · 8 ⋯ (3n - 1) of n factors is not a perfect square if n is odd. -/
theorem modular_product_2_mod_3_not_square (n m : ℕ) (h₀ : Odd n) : ∏ i ∈ Finset.range n, (3 * i + 2) ≠ m ^ 2 := by
  have key : ∀ k : ℕ, (k % 2 = 0 → (∏ i ∈ Finset.range k, (3 * i + 2)) % 3 = 1) ∧
      (k % 2 = 1 → (∏ i ∈ Finset.range k, (3 * i + 2)) % 3 = 2) := by
    intro k
    induction k with
    | zero => decide
    | succ k ih =>
      rw [Finset.prod_range_succ]
      have e : (∏ i ∈ Finset.range k, (3 * i + 2)) * (3 * k + 2) =
          3 * ((∏ i ∈ Finset.range k, (3 * i + 2)) * k) + 2 * (∏ i ∈ Finset.range k, (3 * i + 2)) := by grind
      rw [e]
      generalize ∏ i ∈ Finset.range k, (3 * i + 2) = q at *
      omega
  have h := (key n).2 (Nat.odd_iff.1 h₀)
  intro hm
  rw [hm] at h
  have : m % 3 = 0 ∨ m % 3 = 1 ∨ m % 3 = 2 := by omega
  rcases this with r | r | r <;> simp [Nat.pow_mod, r] at h

/-- test, level 3. Show that no perfect square has 2024 as the sum of its decimal digits. -/
theorem modular_square_digit_sum_ne_2024 (n : ℕ) : (Nat.digits 10 (n ^ 2)).sum ≠ 2024 := by
  have key : ∀ m : ℕ, (Nat.digits 10 m).sum % 9 = m % 9 := by
    intro m
    induction m using Nat.strongRecOn with
    | ind m ih =>
      rcases Nat.eq_zero_or_pos m with rfl | h
      · rfl
      · have := ih (m / 10) (by omega)
        rw [Nat.digits_def' (by decide) h, List.sum_cons]
        omega
  intro h
  have h9 := key (n ^ 2)
  rw [h, Nat.pow_mod] at h9
  have squares : ∀ r < 9, 2024 % 9 ≠ r ^ 2 % 9 := by decide
  exact squares (n % 9) (Nat.mod_lt _ (by decide)) h9
