-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Number theory: divisibility, primes, greatest common divisors, squares and Diophantine equations. -/

/-- valid, level 1. Show that for every natural number n, the numbers n² + n + 1 and n + 1 are coprime. -/
theorem numbertheory_gcd_sqpnp1_np1 (n : ℕ) : Nat.gcd (n ^ 2 + n + 1) (n + 1) = 1 := by
  have h : n ^ 2 + n + 1 = 1 + (n + 1) * n := by grind
  rw [h, Nat.gcd_add_mul_left_left, Nat.gcd_one_left]

/-- test, level 1. The greatest common divisor of 72 and a natural number b is 12 and their least common multiple
is 360. Show that b = 60. -/
theorem numbertheory_gcd12_lcm360_partner (b : ℕ) (h₀ : Nat.gcd 72 b = 12) (h₁ : Nat.lcm 72 b = 360) : b = 60 := by
  have h := Nat.gcd_mul_lcm 72 b
  rw [h₀, h₁] at h
  omega

/-- valid, level 2. Show that 12 is the least natural number with exactly six positive divisors. -/
theorem numbertheory_least_six_divisors : IsLeast {n : ℕ | (Nat.divisors n).card = 6} 12 := by
  constructor
  · decide
  · intro n hn
    have key : ∀ m < 12, (Nat.divisors m).card ≠ 6 := by decide
    exact Nat.le_of_not_lt fun h => key n h hn

/-- test, level 2. Positive integers x and y satisfy xy = 2x + 3y. Show that (x, y) is one of (4, 8), (5, 5), (6, 4),
(9, 3). -/
theorem numbertheory_xy_eq_2xp3y (x y : ℕ) (h₀ : 0 < x) (h₁ : 0 < y) (h₂ : x * y = 2 * x + 3 * y) :
    (x = 4 ∧ y = 8) ∨ (x = 5 ∧ y = 5) ∨ (x = 6 ∧ y = 4) ∨ (x = 9 ∧ y = 3) := by
  have hx : 4 ≤ x := by
    rcases Nat.lt_or_ge x 4 with h | h
    · have : x = 1 ∨ x = 2 ∨ x = 3 := by omega
      rcases this with rfl | rfl | rfl <;> omega
    · exact h
  have hy : 3 ≤ y := by
    rcases Nat.lt_or_ge y 3 with h | h
    · have : y = 1 ∨ y = 2 := by omega
      rcases this with rfl | rfl <;> omega
    · exact h
  obtain ⟨u, rfl⟩ : ∃ u, x = u + 4 := ⟨x - 4, by omega⟩
  obtain ⟨v, rfl⟩ : ∃ v, y = v + 3 := ⟨y - 3, by omega⟩
  have h : (u + 1) * (v + 1) = 6 := by grind
  have hu : u + 1 ∣ 6 := ⟨v + 1, h.symm⟩
  have hu' : u + 1 ≤ 6 := Nat.le_of_dvd (by omega) hu
  have : u = 0 ∨ u = 1 ∨ u = 2 ∨ u = 3 ∨ u = 4 ∨ u = 5 := by omega
  rcases this with rfl | rfl | rfl | rfl | rfl | rfl <;> omega

/-- valid, level 2. If p, p + 10 and p + 14 are all prime, then p = 3. -/
theorem numbertheory_p_pp10_pp14_prime (p : ℕ) (h₀ : Nat.Prime p) (h₁ : Nat.Prime (p + 10))
    (h₂ : Nat.Prime (p + 14)) : p = 3 := by
  have h : p % 3 = 0 ∨ p % 3 = 1 ∨ p % 3 = 2 := by omega
  rcases h with h | h | h
  · have := h₀.2 3 (by omega)
    omega
  · have := h₂.2 3 (by omega)
    omega
  · have := h₁.2 3 (by omega)
    omega

/-- test, level 2. If p is prime and 14p² + 1 is prime, then p = 3. -/
theorem numbertheory_p_14psqp1_prime (p : ℕ) (h₀ : Nat.Prime p) (h₁ : Nat.Prime (14 * p ^ 2 + 1)) : p = 3 := by
  have h : p % 3 = 0 ∨ p % 3 = 1 ∨ p % 3 = 2 := by omega
  have hp := h₀.two_le
  rcases h with h | h | h
  · have := h₀.2 3 (by omega)
    omega
  · have hd : 3 ∣ 14 * p ^ 2 + 1 := by
      apply Nat.dvd_of_mod_eq_zero
      simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]
    have h4 : 2 * 2 ≤ p * p := Nat.mul_le_mul hp hp
    have := h₁.2 3 hd
    rw [Nat.pow_two] at this
    omega
  · have hd : 3 ∣ 14 * p ^ 2 + 1 := by
      apply Nat.dvd_of_mod_eq_zero
      simp [Nat.add_mod, Nat.mul_mod, Nat.pow_mod, h]
    have h4 : 2 * 2 ≤ p * p := Nat.mul_le_mul hp hp
    have := h₁.2 3 hd
    rw [Nat.pow_two] at this
    omega

/-- valid, level 3. Show that n² + n + 2 is never divisible by 49 when n is an integer. -/
theorem numbertheory_49_ndvd_sqpnp2 (n : ℤ) : ¬ 49 ∣ n ^ 2 + n + 2 := by
  intro ⟨k, hk⟩
  have h : n % 7 = 0 ∨ n % 7 = 1 ∨ n % 7 = 2 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
  obtain ⟨q, hq⟩ : ∃ q, q = n / 7 := ⟨_, rfl⟩
  have hn : n = 7 * q + n % 7 := by omega
  generalize n % 7 = r at *
  subst hn
  rcases h with rfl | rfl | rfl | rfl | rfl | rfl | rfl <;> grind

/-- test, level 2. Show that if four integers form an arithmetic progression with common difference d, then their
product increased by d⁴ is a perfect square. -/
theorem numbertheory_four_term_ap_product_square (n d : ℤ) :
    IsSquare (n * (n + d) * (n + 2 * d) * (n + 3 * d) + d ^ 4) := by
  exists n ^ 2 + 3 * n * d + d ^ 2
  grind

/-- test, level 3. Show that x² = 3y² + 1 has solutions in natural numbers x, y with y as large as we please. -/
theorem numbertheory_pell_three_unbounded (N : ℕ) : ∃ x y : ℕ, N < y ∧ x ^ 2 = 3 * y ^ 2 + 1 := by
  induction N with
  | zero => exact ⟨2, 1, by decide, by decide⟩
  | succ N ih =>
    obtain ⟨x, y, h, e⟩ := ih
    refine ⟨2 * x + 3 * y, x + 2 * y, by omega, ?_⟩
    grind

/-- valid, level 2. Show that n² + n + 1 is not a perfect square for any positive integer n. -/
theorem numbertheory_sqpnp1_not_square (n m : ℕ) (h₀ : 0 < n) : n ^ 2 + n + 1 ≠ m ^ 2 := by
  intro h
  rcases Nat.lt_or_ge n m with hm | hm
  · have := Nat.mul_le_mul (show n + 1 ≤ m from hm) (show n + 1 ≤ m from hm)
    grind
  · have := Nat.mul_le_mul hm hm
    grind

/-- test, level 3. The integers x, y, z satisfy x² + y² = 7z². Show that z = 0. -/
theorem numbertheory_sum_two_sq_eq_7sq (x y z : ℤ) (h₀ : x ^ 2 + y ^ 2 = 7 * z ^ 2) : z = 0 := by
  have key : ∀ n : ℕ, ∀ x y z : ℤ, z.natAbs = n → x ^ 2 + y ^ 2 = 7 * z ^ 2 → z = 0 := by
    intro n
    induction n using Nat.strongRecOn with
    | ind n ih =>
      intro x y z hz h
      have d7 : ∀ a b : ℤ, 7 ∣ a ^ 2 + b ^ 2 → 7 ∣ a ∧ 7 ∣ b := by
        intro a b hab
        have ha : a % 7 = 0 ∨ a % 7 = 1 ∨ a % 7 = 2 ∨ a % 7 = 3 ∨ a % 7 = 4 ∨ a % 7 = 5 ∨ a % 7 = 6 := by omega
        have hb : b % 7 = 0 ∨ b % 7 = 1 ∨ b % 7 = 2 ∨ b % 7 = 3 ∨ b % 7 = 4 ∨ b % 7 = 5 ∨ b % 7 = 6 := by omega
        have hab := Int.emod_eq_zero_of_dvd hab
        rcases ha with ha | ha | ha | ha | ha | ha | ha <;> rcases hb with hb | hb | hb | hb | hb | hb | hb <;>
          simp [pow_two, Int.add_emod, Int.mul_emod, ha, hb] at hab
        omega
      obtain ⟨⟨a, rfl⟩, ⟨b, rfl⟩⟩ := d7 x y ⟨z ^ 2, h⟩
      have h' : z ^ 2 + 0 ^ 2 = 7 * (a ^ 2 + b ^ 2) := by grind
      obtain ⟨⟨c, rfl⟩, -⟩ := d7 z 0 ⟨_, h'⟩
      have h'' : a ^ 2 + b ^ 2 = 7 * c ^ 2 := by grind
      by_cases hc : c = 0
      · omega
      · have := ih c.natAbs (by omega) a b c rfl h''
        omega
  exact key _ x y z rfl h₀

/-- test, level 3. Show that n⁴ + 64 is not prime for any natural number n. -/
theorem numbertheory_n4p64_not_prime (n : ℕ) : ¬ Nat.Prime (n ^ 4 + 64) := by
  intro h
  have e : (n ^ 4 + 64 : ℕ) = (n ^ 2 + 4 * n + 8) * (n ^ 2 + 8 - 4 * n) := by
    have hle : 4 * n ≤ n ^ 2 + 8 := by
      rcases Nat.lt_or_ge n 4 with h | h
      · have : n = 0 ∨ n = 1 ∨ n = 2 ∨ n = 3 := by omega
        rcases this with rfl | rfl | rfl | rfl <;> decide
      · have := Nat.mul_le_mul_right n h
        rw [Nat.pow_two]
        omega
    obtain ⟨k, hk⟩ : ∃ k, n ^ 2 + 8 = 4 * n + k := ⟨n ^ 2 + 8 - 4 * n, by omega⟩
    rw [hk, Nat.add_sub_cancel_left]
    grind
  have hlt : n ^ 2 + 4 * n + 8 < n ^ 4 + 64 := by
    rcases Nat.lt_or_ge n 2 with h | h
    · have : n = 0 ∨ n = 1 := by omega
      rcases this with rfl | rfl <;> decide
    · have h2 : 4 ≤ n ^ 2 := by have := Nat.mul_le_mul h h; grind
      have h3 := Nat.mul_le_mul_right (n ^ 2) h2
      have h4 : n ^ 2 * n ^ 2 = n ^ 4 := by grind
      have h5 := Nat.mul_le_mul_right n h
      have h6 : n * n = n ^ 2 := by grind
      omega
  have := h.2 (n ^ 2 + 4 * n + 8) ⟨_, e⟩
  omega

/-- test, level 1. Show that the sum of all primes below 30 is 129. -/
theorem numbertheory_sum_primes_below_30 : ∑ p ∈ (Finset.range 30).filter Nat.Prime, p = 129 := by
  decide

/-- valid, level 1. If an integer d divides both 7n + 3 and 4n + 1, then d divides 5. -/
theorem numbertheory_common_divisor_linear_forms (d n : ℤ) (h₀ : d ∣ 7 * n + 3) (h₁ : d ∣ 4 * n + 1) : d ∣ 5 := by
  obtain ⟨a, ha⟩ := h₀
  obtain ⟨b, hb⟩ := h₁
  exact ⟨4 * a - 7 * b, by grind⟩

/-- test, level 2. Find all natural numbers n for which n + 2 divides n² + 7: show that n = 9 is the only one. -/
theorem numbertheory_np2_dvd_sqp7 (n : ℕ) : n + 2 ∣ n ^ 2 + 7 ↔ n = 9 := by
  constructor
  · intro h
    have h1 : n + 2 ∣ (n ^ 2 + 7) + 2 * (n + 2) := Nat.dvd_add h (Nat.dvd_mul_left _ _)
    have e : (n ^ 2 + 7) + 2 * (n + 2) = (n + 2) * n + 11 := by grind
    rw [e] at h1
    have h2 : n + 2 ∣ 11 := (Nat.dvd_add_right (Nat.dvd_mul_right _ _)).1 h1
    have hp : Nat.Prime 11 := by decide
    have := hp.2 _ h2
    omega
  · rintro rfl
    decide

/-- valid, level 3. Find all integers n for which n² + 1 divides n³ + 5: show that they are -1, 0, 1 and 5. -/
theorem numbertheory_sqp1_dvd_cubep5 : {n : ℤ | n ^ 2 + 1 ∣ n ^ 3 + 5} = {-1, 0, 1, 5} := by
  ext n
  simp only [Set.mem_setOf_eq, Set.mem_insert_iff, Set.mem_singleton_iff]
  constructor
  · intro h
    have h1 : n ^ 2 + 1 ∣ n - 5 := by
      have := Int.dvd_sub (Int.dvd_mul_left n (n ^ 2 + 1)) h
      have e : n * (n ^ 2 + 1) - (n ^ 3 + 5) = n - 5 := by grind
      rwa [e] at this
    by_cases h5 : n = 5
    · omega
    · have h2 := Nat.le_of_dvd (by omega) (Int.natAbs_dvd_natAbs.2 h1)
      have h3 : n ^ 2 + 1 ≤ 5 - n ∨ n ^ 2 + 1 ≤ n - 5 := by omega
      have h4 : -3 ≤ n ∧ n ≤ 2 := by
        constructor
        · rcases Int.lt_or_le n (-3) with h | h
          · have := Int.mul_nonneg (show 0 ≤ -n - 3 by omega) (show 0 ≤ -n by omega)
            grind
          · exact h
        · rcases Int.lt_or_le 2 n with h | h
          · have := Int.mul_nonneg (show 0 ≤ n - 2 by omega) (show 0 ≤ n by omega)
            grind
          · exact h
      have h5 : n = -3 ∨ n = -2 ∨ n = -1 ∨ n = 0 ∨ n = 1 ∨ n = 2 := by omega
      rcases h5 with rfl | rfl | rfl | rfl | rfl | rfl <;> revert h <;> decide
  · rintro (rfl | rfl | rfl | rfl) <;> decide

/-- test, level 1. A prime p divides both the sum and the product of two natural numbers a and b. Show that p divides
each of them. -/
theorem numbertheory_prime_dvd_sum_and_product (p a b : ℕ) (h₀ : Nat.Prime p) (h₁ : p ∣ a + b) (h₂ : p ∣ a * b) :
    p ∣ a ∧ p ∣ b := by
  rcases h₀.dvd_mul.1 h₂ with h | h
  · exact ⟨h, (Nat.dvd_add_right h).1 h₁⟩
  · exact ⟨(Nat.dvd_add_left h).1 h₁, h⟩

/-- valid, level 3. Three integers have sum zero. Show that the sum of their fifth powers is divisible by 30. -/
theorem numbertheory_zero_sum_fifth_powers (a b c : ℤ) (h₀ : a + b + c = 0) : 30 ∣ a ^ 5 + b ^ 5 + c ^ 5 := by
  have key : ∀ x : ℤ, x ^ 5 % 30 = x % 30 := by
    intro x
    have h2 : x ^ 5 % 2 = x % 2 := by
      have h : x % 2 = 0 ∨ x % 2 = 1 := by omega
      rcases h with h | h <;> simp [pow_succ, Int.mul_emod, h]
    have h3 : x ^ 5 % 3 = x % 3 := by
      have h : x % 3 = 0 ∨ x % 3 = 1 ∨ x % 3 = 2 := by omega
      rcases h with h | h | h <;> simp [pow_succ, Int.mul_emod, h]
    have h5 : x ^ 5 % 5 = x % 5 := by
      have h : x % 5 = 0 ∨ x % 5 = 1 ∨ x % 5 = 2 ∨ x % 5 = 3 ∨ x % 5 = 4 := by omega
      rcases h with h | h | h | h | h <;> simp [pow_succ, Int.mul_emod, h]
    omega
  have ha := key a
  have hb := key b
  have hc := key c
  omega

/-- valid, level 2. Show that the sum of the squares of three odd integers is never a perfect square. -/
theorem numbertheory_three_odd_squares_not_square (a b c d : ℤ) (h₀ : Odd a) (h₁ : Odd b) (h₂ : Odd c) :
    a ^ 2 + b ^ 2 + c ^ 2 ≠ d ^ 2 := by
  obtain ⟨x, rfl⟩ := h₀
  obtain ⟨y, rfl⟩ := h₁
  obtain ⟨z, rfl⟩ := h₂
  intro h
  rcases Int.even_or_odd d with ⟨w, rfl⟩ | ⟨w, rfl⟩
  · have e : 4 * (x ^ 2 + x + y ^ 2 + y + z ^ 2 + z) + 3 = 4 * w ^ 2 := by grind
    omega
  · have e : 4 * (x ^ 2 + x + y ^ 2 + y + z ^ 2 + z) + 3 = 4 * (w ^ 2 + w) + 1 := by grind
    omega

/-- valid, level 2. Positive integers x and y satisfy xy + x + y = 34. Show that x + y = 10. -/
theorem numbertheory_xypxpy_eq_34 (x y : ℕ) (h₀ : 0 < x) (h₁ : 0 < y) (h₂ : x * y + x + y = 34) : x + y = 10 := by
  have h : (x + 1) * (y + 1) = 35 := by grind
  have hd : x + 1 ∈ Nat.divisors 35 := Nat.mem_divisors.2 ⟨⟨y + 1, h.symm⟩, by decide⟩
  have e : Nat.divisors 35 = {1, 5, 7, 35} := by decide
  rw [e] at hd
  simp at hd
  rcases hd with hd | rfl | rfl | rfl <;> omega

/-- test, level 2. Show that the natural numbers x, y with 0 < x ≤ y and xy = 6(x + y) are exactly the pairs (7, 42),
(8, 24), (9, 18), (10, 15) and (12, 12). -/
theorem numbertheory_unit_fraction_sixth_pairs (x y : ℕ) :
    (0 < x ∧ x ≤ y ∧ x * y = 6 * (x + y)) ↔
      (x = 7 ∧ y = 42) ∨ (x = 8 ∧ y = 24) ∨ (x = 9 ∧ y = 18) ∨ (x = 10 ∧ y = 15) ∨ (x = 12 ∧ y = 12) := by
  constructor
  · rintro ⟨h0, h1, h2⟩
    have hx : x ≤ 12 := by
      rcases Nat.lt_or_ge 12 x with h | h
      · have := Nat.mul_le_mul_right y (show 13 ≤ x from h)
        omega
      · exact h
    have : x = 1 ∨ x = 2 ∨ x = 3 ∨ x = 4 ∨ x = 5 ∨ x = 6 ∨ x = 7 ∨ x = 8 ∨ x = 9 ∨ x = 10 ∨ x = 11 ∨
        x = 12 := by omega
    rcases this with rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl <;> omega
  · rintro (⟨rfl, rfl⟩ | ⟨rfl, rfl⟩ | ⟨rfl, rfl⟩ | ⟨rfl, rfl⟩ | ⟨rfl, rfl⟩) <;> decide

/-- valid, level 1. Show that the divisors of 36 whose square is a multiple of 36 are 6, 12, 18 and 36. -/
theorem numbertheory_divisors_36_square_multiple :
    (Nat.divisors 36).filter (fun d => 36 ∣ d ^ 2) = {6, 12, 18, 36} := by
  decide

/-- test, level 2. Show that 15 is the greatest value that gcd(n + 3, 4n + 27) takes for natural numbers n. -/
theorem numbertheory_greatest_gcd_np3_4np27 : IsGreatest {d : ℕ | ∃ n : ℕ, d = Nat.gcd (n + 3) (4 * n + 27)} 15 := by
  constructor
  · exact ⟨12, by decide⟩
  · rintro d ⟨n, rfl⟩
    have h1 := Nat.gcd_dvd_left (n + 3) (4 * n + 27)
    have h2 := Nat.gcd_dvd_right (n + 3) (4 * n + 27)
    have e : 4 * n + 27 = 4 * (n + 3) + 15 := by omega
    rw [e] at h2 ⊢
    rw [e] at h1
    exact Nat.le_of_dvd (by decide) ((Nat.dvd_add_right (Nat.dvd_mul_left_of_dvd h1 4)).1 h2)

/-- valid, level 1. Show that 15 is the least natural number whose factorial is a multiple of 1000. -/
theorem numbertheory_least_factorial_multiple_1000 : IsLeast {n : ℕ | 1000 ∣ n !} 15 := by
  constructor
  · decide
  · intro n hn
    have key : ∀ m < 15, ¬ 1000 ∣ m ! := by decide
    exact Nat.le_of_not_lt fun h => key n h hn

/-- test, level 2. Show that n! + 2 is not a perfect square if n ≥ 4. -/
theorem numbertheory_factorial_p2_not_square (n m : ℕ) (h₀ : 4 ≤ n) : n ! + 2 ≠ m ^ 2 := by
  intro h
  obtain ⟨k, hk⟩ := Nat.dvd_factorial (by decide : 0 < 4) h₀
  have hm : m ^ 2 % 4 = 2 := by omega
  have : m % 4 = 0 ∨ m % 4 = 1 ∨ m % 4 = 2 ∨ m % 4 = 3 := by omega
  rcases this with e | e | e | e <;> simp [Nat.pow_mod, e] at hm

/-- valid, level 2. Show that an arithmetic progression a, a + d, a + 2d, ... of natural numbers with a ≥ 2 and d ≥ 1
has a term that is not prime. -/
theorem numbertheory_ap_not_all_primes (a d : ℕ) (h₀ : 2 ≤ a) (h₁ : 1 ≤ d) : ∃ k : ℕ, ¬ Nat.Prime (a + k * d) := by
  refine ⟨a, fun h => ?_⟩
  have e : a + a * d = a * (1 + d) := by grind
  have h2 := Nat.mul_le_mul_left a (show 2 ≤ 1 + d by omega)
  rw [e] at h
  have := h.2 a (Nat.dvd_mul_right _ _)
  omega

/-- test, level 3. Show that for every natural number c there are arbitrarily large natural numbers n such that
n² + n + c is not prime. -/
theorem numbertheory_sqpnpc_often_composite (c N : ℕ) : ∃ n : ℕ, N ≤ n ∧ ¬ Nat.Prime (n ^ 2 + n + c) := by
  by_cases hc : c % 2 = 0
  · refine ⟨N + 2, by omega, fun h => ?_⟩
    have e : (N + 2) ^ 2 + (N + 2) = (N + 2) * (N + 3) := by grind
    have hp : (N + 2) * (N + 3) % 2 = 0 := by
      rcases Nat.mod_two_eq_zero_or_one N with h | h <;> simp [Nat.mul_mod, Nat.add_mod, h]
    have h6 := Nat.mul_le_mul (show 2 ≤ N + 2 by omega) (show 3 ≤ N + 3 by omega)
    have := h.2 2 (by omega)
    omega
  · by_cases h1 : c = 1
    · subst h1
      -- n = 4 modulo 7: n² + n + 1 = 21 modulo 7
      refine ⟨7 * N + 4, by omega, fun h => ?_⟩
      have e : (7 * N + 4) ^ 2 + (7 * N + 4) + 1 = 7 * (7 * N ^ 2 + 9 * N + 3) := by grind
      rw [e] at h
      have := h.2 7 (Nat.dvd_mul_right _ _)
      omega
    · refine ⟨c * (N + 1), ?_, fun h => ?_⟩
      · have := Nat.mul_le_mul_right (N + 1) (show 1 ≤ c by omega)
        omega
      · have e : (c * (N + 1)) ^ 2 + c * (N + 1) + c = c * (c * (N + 1) ^ 2 + N + 2) := by grind
        rw [e] at h
        have h2 := Nat.mul_le_mul_left c (show 2 ≤ c * (N + 1) ^ 2 + N + 2 by omega)
        have := h.2 c (Nat.dvd_mul_right _ _)
        omega

/-- valid, level 1. Two primes have sum 99. Show that their product is 194. -/
theorem numbertheory_two_primes_sum_99 (p q : ℕ) (h₀ : Nat.Prime p) (h₁ : Nat.Prime q) (h₂ : p + q = 99) :
    p * q = 194 := by
  rcases h₀.eq_two_or_odd with rfl | hp
  · have : q = 97 := by omega
    subst this
    decide
  · rcases h₁.eq_two_or_odd with rfl | hq
    · have : p = 97 := by omega
      subst this
      decide
    · omega

/-- test, level 3. If p is prime and 3p + 1 is a perfect square, show that p = 5. -/
theorem numbertheory_3pp1_square (p n : ℕ) (h₀ : Nat.Prime p) (h₁ : 3 * p + 1 = n ^ 2) : p = 5 := by
  have hp := h₀.two_le
  have hn : 2 ≤ n := by
    rcases Nat.lt_or_ge n 2 with h | h
    · have : n = 0 ∨ n = 1 := by omega
      rcases this with rfl | rfl <;> omega
    · exact h
  obtain ⟨k, rfl⟩ : ∃ k, n = k + 1 := ⟨n - 1, by omega⟩
  have e : 3 * p = k * (k + 2) := by grind
  have hd : p ∣ k * (k + 2) := ⟨3, by omega⟩
  rcases h₀.dvd_mul.1 hd with ⟨c, rfl⟩ | ⟨c, hc⟩
  · have : 3 = c * (p * c + 2) := by
      apply Nat.eq_of_mul_eq_mul_left h₀.pos
      grind
    have hc : c ∣ 3 := ⟨_, this⟩
    have hc' := Nat.prime_three.2 c hc
    rcases hc' with rfl | rfl <;> omega
  · have h3 : 3 = k * c := by
      apply Nat.eq_of_mul_eq_mul_left h₀.pos
      grind
    have hk' := Nat.prime_three.2 k ⟨c, h3⟩
    rcases hk' with rfl | rfl
    · have : c = 3 := by omega
      subst this
      omega
    · have : c = 1 := by omega
      subst this
      omega

/-- valid, level 2. Show that for every natural number n, the integer part of the square root of n² + 2n is n. -/
theorem numbertheory_sqrt_sqp2n (n : ℕ) : Nat.sqrt (n ^ 2 + 2 * n) = n := by
  apply Nat.le_antisymm
  · have h := Nat.sqrt_le (n ^ 2 + 2 * n)
    rcases Nat.lt_or_ge n (Nat.sqrt (n ^ 2 + 2 * n)) with h' | h'
    · have := Nat.mul_le_mul (show n + 1 ≤ _ from h') (show n + 1 ≤ _ from h')
      grind
    · exact h'
  · rw [Nat.le_sqrt]
    grind

/-- test, level 1. Show that the consecutive odd numbers 2n + 1 and 2n + 3 are coprime. -/
theorem numbertheory_consecutive_odds_coprime (n : ℕ) : Nat.Coprime (2 * n + 1) (2 * n + 3) := by
  have h1 := Nat.gcd_dvd_left (2 * n + 1) (2 * n + 3)
  have h2 := Nat.gcd_dvd_right (2 * n + 1) (2 * n + 3)
  have h3 : Nat.gcd (2 * n + 1) (2 * n + 3) ∣ 2 :=
    (Nat.dvd_add_right h1).1 (by rw [show 2 * n + 1 + 2 = 2 * n + 3 by omega]; exact h2)
  rcases Nat.prime_two.2 _ h3 with h | h
  · exact h
  · rw [h] at h1
    omega

/-- test, level 2. Show that every integer can be written as a² + b² - c² with integers a, b, c. -/
theorem numbertheory_int_as_two_squares_minus_square (n : ℤ) : ∃ a b c : ℤ, n = a ^ 2 + b ^ 2 - c ^ 2 := by
  rcases Int.even_or_odd n with ⟨k, rfl⟩ | ⟨k, rfl⟩
  · exact ⟨1, k, k - 1, by grind⟩
  · exact ⟨0, k + 1, k, by grind⟩

/-- test, level 3. Stamps of 4 cents and 9 cents are available. Show that 23 cents is the greatest postage that cannot
be formed with them. -/
theorem numbertheory_stamps_4_9 : IsGreatest {n : ℕ | ¬ ∃ a b : ℕ, n = 4 * a + 9 * b} 23 := by
  constructor
  · rintro ⟨a, b, h⟩
    omega
  · intro n hn
    refine Nat.le_of_not_lt fun h => hn ?_
    have : n % 4 = 0 ∨ n % 4 = 1 ∨ n % 4 = 2 ∨ n % 4 = 3 := by omega
    rcases this with e | e | e | e
    · exact ⟨n / 4, 0, by omega⟩
    · exact ⟨(n - 9) / 4, 1, by omega⟩
    · exact ⟨(n - 18) / 4, 2, by omega⟩
    · exact ⟨(n - 27) / 4, 3, by omega⟩

/-- test, level 1. A function f from the natural numbers to the integers satisfies f(mn) = f(m) + f(n) for all positive
m and n, and f(6) = 5, f(10) = 7, f(15) = 8. Show that f(30) = 10. -/
theorem numbertheory_additive_function_f30 (f : ℕ → ℤ) (h₀ : ∀ m n, 0 < m → 0 < n → f (m * n) = f m + f n)
    (h₁ : f 6 = 5) (h₂ : f 10 = 7) (h₃ : f 15 = 8) : f 30 = 10 := by
  have a := h₀ 2 3 (by decide) (by decide)
  have b := h₀ 2 5 (by decide) (by decide)
  have c := h₀ 3 5 (by decide) (by decide)
  have d := h₀ 2 15 (by decide) (by decide)
  simp at a b c d
  omega

/-- valid, level 1. A sequence of natural numbers satisfies a(n+1) = a(n)² + a(n) + 1 for all n. Show that
consecutive terms are coprime. -/
theorem numbertheory_quadratic_recurrence_coprime (a : ℕ → ℕ) (h₀ : ∀ n, a (n + 1) = a n ^ 2 + a n + 1) (n : ℕ) :
    Nat.Coprime (a n) (a (n + 1)) := by
  have e : a (n + 1) = 1 + a n * (a n + 1) := by
    rw [h₀]
    grind
  rw [Nat.Coprime, e, Nat.gcd_add_mul_left_right, Nat.gcd_one_right]

/-- valid, level 2. Show that for integers a and b, 3 divides a² + ab + b² if and only if 3 divides a - b. -/
theorem numbertheory_3_dvd_loeschian_iff (a b : ℤ) : 3 ∣ a ^ 2 + a * b + b ^ 2 ↔ 3 ∣ a - b := by
  have e : a ^ 2 + a * b + b ^ 2 = (a - b) * (a - b) + 3 * (a * b) := by grind
  have h : (a - b) % 3 = 0 ∨ (a - b) % 3 = 1 ∨ (a - b) % 3 = 2 := by omega
  have h2 : (a - b) * (a - b) % 3 = ((a - b) % 3) * ((a - b) % 3) % 3 := Int.mul_emod _ _ _
  rw [e]
  rcases h with h | h | h <;> rw [h] at h2 <;> omega

/-- valid, level 3. Let x₀, x₁, ..., xₙ₋₁ be integers. Show that their sum is divisible by 6 if and only if the sum of
their cubes is. -/
theorem numbertheory_6_dvd_sum_iff_cubes (f : ℕ → ℤ) (n : ℕ) :
    6 ∣ ∑ i ∈ Finset.range n, f i ↔ 6 ∣ ∑ i ∈ Finset.range n, f i ^ 3 := by
  have key : ∀ x : ℤ, x ^ 3 % 6 = x % 6 := by
    intro x
    have h : x % 6 = 0 ∨ x % 6 = 1 ∨ x % 6 = 2 ∨ x % 6 = 3 ∨ x % 6 = 4 ∨ x % 6 = 5 := by omega
    rcases h with h | h | h | h | h | h <;> simp [pow_succ, Int.mul_emod, h]
  have h : (∑ i ∈ Finset.range n, f i) % 6 = (∑ i ∈ Finset.range n, f i ^ 3) % 6 := by
    induction n with
    | zero => rfl
    | succ n ih =>
      rw [Finset.sum_range_succ, Finset.sum_range_succ]
      have := key (f n)
      omega
  omega

/-- test, level 1. Show that for positive integers a and b, lcm(a, b) = ab if and only if gcd(a, b) = 1. -/
theorem numbertheory_lcm_eq_product_iff (a b : ℕ) (h₀ : 0 < a) (h₁ : 0 < b) :
    Nat.lcm a b = a * b ↔ Nat.gcd a b = 1 := by
  have h := Nat.gcd_mul_lcm a b
  have hab := Nat.mul_pos h₀ h₁
  constructor
  · intro e
    rw [e] at h
    exact Nat.eq_of_mul_eq_mul_right hab (by omega)
  · intro e
    rw [e] at h
    omega

/-- test, level 2. Two natural numbers a < b have greatest common divisor 24 and sum 120. Show that (a, b) is (24, 96)
or (48, 72). -/
theorem numbertheory_gcd_24_sum_120 (a b : ℕ) (h₀ : a < b) (h₁ : Nat.gcd a b = 24) (h₂ : a + b = 120) :
    (a = 24 ∧ b = 96) ∨ (a = 48 ∧ b = 72) := by
  have ha := Nat.gcd_dvd_left a b
  have hb := Nat.gcd_dvd_right a b
  rw [h₁] at ha hb
  obtain ⟨m, rfl⟩ := ha
  obtain ⟨n, rfl⟩ := hb
  have : m = 0 ∨ m = 1 ∨ m = 2 := by omega
  rcases this with rfl | rfl | rfl
  · simp at h₁
    omega
  · omega
  · omega

/-- valid, level 1. Show that gcd(n!, (n + 1)!) = n! for every natural number n. -/
theorem numbertheory_gcd_consecutive_factorials (n : ℕ) : Nat.gcd (n !) ((n + 1)!) = n ! := by
  rw [Nat.factorial_succ, Nat.gcd_mul_left_right]

/-- test, level 1. Show that the values of Euler's totient function at the divisors of 60 add up to 60. -/
theorem numbertheory_totient_sum_60 : ∑ d ∈ Nat.divisors 60, Nat.totient d = 60 := by
  decide +kernel

/-- valid, level 1. Show that there are four primes of the form n, n + 2, n + 6, n + 8 with n > 100. -/
theorem numbertheory_prime_quadruplet_above_100 :
    ∃ n : ℕ, 100 < n ∧ Nat.Prime n ∧ Nat.Prime (n + 2) ∧ Nat.Prime (n + 6) ∧ Nat.Prime (n + 8) := by
  exact ⟨101, by decide⟩

/-- test, level 1. Show that if an integer d divides both n and n² + 6, then d divides 6. -/
theorem numbertheory_dvd_n_and_sqp6 (d n : ℤ) (h₀ : d ∣ n) (h₁ : d ∣ n ^ 2 + 6) : d ∣ 6 := by
  obtain ⟨a, rfl⟩ := h₀
  obtain ⟨b, hb⟩ := h₁
  exact ⟨b - d * a ^ 2, by grind⟩

/-- valid, level 1. Show that for integers x and y, 23 divides 4x + 7y if and only if it divides 9x + 10y. -/
theorem numbertheory_23_dvd_4xp7y_iff (x y : ℤ) : 23 ∣ 4 * x + 7 * y ↔ 23 ∣ 9 * x + 10 * y := by
  omega

/-- test, level 1. The product of three consecutive natural numbers n, n + 1, n + 2 is 1716. Show that n = 11. -/
theorem numbertheory_three_consecutive_1716 (n : ℕ) (h₀ : n * (n + 1) * (n + 2) = 1716) : n = 11 := by
  have h : n < 12 := by
    refine Nat.lt_of_not_le fun h => ?_
    have := Nat.mul_le_mul (Nat.mul_le_mul h (show 13 ≤ n + 1 by omega)) (show 14 ≤ n + 2 by omega)
    omega
  have key : ∀ m < 12, m * (m + 1) * (m + 2) = 1716 → m = 11 := by decide
  exact key n h h₀

/-- valid, level 1. Three primes satisfy p + q = r with p ≤ q. Show that p = 2. -/
theorem numbertheory_prime_sum_of_primes (p q r : ℕ) (h₀ : Nat.Prime p) (h₁ : Nat.Prime q) (h₂ : Nat.Prime r)
    (h₃ : p + q = r) (h₄ : p ≤ q) : p = 2 := by
  have := h₀.eq_two_or_odd
  have := h₁.eq_two_or_odd
  have := h₂.eq_two_or_odd
  have := h₀.two_le
  omega

/-- valid, level 1. Show that the product of two consecutive even integers is divisible by 8. -/
theorem numbertheory_consecutive_evens_8_dvd (n : ℤ) (h₀ : Even n) : 8 ∣ n * (n + 2) := by
  obtain ⟨k, rfl⟩ := h₀
  rcases Int.even_or_odd k with ⟨m, rfl⟩ | ⟨m, rfl⟩
  · exact ⟨m * (2 * m + 1), by grind⟩
  · exact ⟨(2 * m + 1) * (m + 1), by grind⟩

/-- test, level 1. Show that a natural number n with n² < 200 < (n + 1)² exists and is unique. -/
theorem numbertheory_unique_root_of_200 : ∃! n : ℕ, n ^ 2 < 200 ∧ 200 < (n + 1) ^ 2 := by
  refine ⟨14, by decide, ?_⟩
  rintro n ⟨h1, h2⟩
  have a : n < 15 := by
    refine Nat.lt_of_not_le fun h => ?_
    have := Nat.mul_le_mul h h
    grind
  have key : ∀ m < 15, 200 < (m + 1) ^ 2 → m = 14 := by decide
  exact key n a h2

/-- valid, level 2. Let a, b, c be odd integers. Show that ax² + bx + c = 0 has no integer solution x. -/
theorem numbertheory_odd_quadratic_no_root (a b c x : ℤ) (h₀ : Odd a) (h₁ : Odd b) (h₂ : Odd c) :
    a * x ^ 2 + b * x + c ≠ 0 := by
  obtain ⟨k, rfl⟩ := h₀
  obtain ⟨l, rfl⟩ := h₁
  obtain ⟨m, rfl⟩ := h₂
  rcases Int.even_or_odd x with ⟨y, rfl⟩ | ⟨y, rfl⟩ <;> grind

/-- valid, level 3. If 3n + 1 is the square of an integer, show that n + 1 is a sum of three squares of integers. -/
theorem numbertheory_3np1_square_sum_three (n m : ℤ) (h₀ : 3 * n + 1 = m ^ 2) :
    ∃ a b c : ℤ, n + 1 = a ^ 2 + b ^ 2 + c ^ 2 := by
  obtain ⟨q, hq⟩ : ∃ q, m = 3 * q ∨ m = 3 * q + 1 ∨ m = 3 * q - 1 := ⟨(m + 1) / 3, by omega⟩
  rcases hq with rfl | rfl | rfl
  · grind
  · exact ⟨q, q, q + 1, by grind⟩
  · exact ⟨q, q, q - 1, by grind⟩

/-- test, level 2. Show that 2ⁿ + 1 is not prime if n is odd and n ≥ 3. -/
theorem numbertheory_2pownp1_odd_not_prime (n : ℕ) (h₀ : Odd n) (h₁ : 3 ≤ n) : ¬ Nat.Prime (2 ^ n + 1) := by
  obtain ⟨k, rfl⟩ := h₀
  intro h
  have h3 : ∀ j : ℕ, 2 ^ (2 * j + 1) % 3 = 2 := by
    intro j
    induction j with
    | zero => decide
    | succ j ih =>
      have e : 2 ^ (2 * (j + 1) + 1) = 4 * 2 ^ (2 * j + 1) := by grind
      omega
  have hk := h3 k
  have h8 := Nat.pow_le_pow_right (show 0 < 2 by decide) h₁
  generalize 2 ^ (2 * k + 1) = t at *
  have := h.2 3 (by omega)
  omega

/-- test, level 3. Show that 1 + 2 + ... + n divides 1³ + 2³ + ... + n³ for every natural number n. -/
theorem numbertheory_sum_dvd_sum_cubes (n : ℕ) :
    ∑ i ∈ Finset.Icc 1 n, i ∣ ∑ i ∈ Finset.Icc 1 n, i ^ 3 := by
  have h1 : 2 * ∑ i ∈ Finset.Icc 1 n, i = n * (n + 1) := by
    induction n with
    | zero => decide
    | succ n ih => rw [Finset.sum_Icc_succ_top (by omega)]; grind
  have h2 : 4 * ∑ i ∈ Finset.Icc 1 n, i ^ 3 = n ^ 2 * (n + 1) ^ 2 := by
    clear h1
    induction n with
    | zero => decide
    | succ n ih => rw [Finset.sum_Icc_succ_top (by omega)]; grind
  refine ⟨∑ i ∈ Finset.Icc 1 n, i, ?_⟩
  grind

/-- test, level 2. Show that 3600 is the least positive perfect square that is a multiple of 360. -/
theorem numbertheory_least_square_multiple_360 : IsLeast {n : ℕ | 0 < n ∧ IsSquare n ∧ 360 ∣ n} 3600 := by
  constructor
  · exact ⟨by decide, ⟨60, by decide⟩, by decide⟩
  · rintro n ⟨h0, ⟨r, rfl⟩, h⟩
    have key : ∀ r < 60, 360 ∣ r * r → r = 0 := by decide
    rcases Nat.lt_or_ge r 60 with hr | hr
    · have := key r hr h
      subst this
      omega
    · exact Nat.mul_le_mul hr hr

/-- valid, level 2. Show that 64 is the least integer greater than 1 that is both the square and the cube of a natural
number. -/
theorem numbertheory_least_square_and_cube :
    IsLeast {n : ℕ | 1 < n ∧ (∃ a : ℕ, n = a ^ 2) ∧ ∃ b : ℕ, n = b ^ 3} 64 := by
  constructor
  · exact ⟨by decide, ⟨8, by decide⟩, ⟨4, by decide⟩⟩
  · rintro n ⟨h1, ⟨a, ha⟩, ⟨b, hb⟩⟩
    refine Nat.le_of_not_lt fun h => ?_
    have a8 : a < 8 := by
      refine Nat.lt_of_not_le fun h' => ?_
      have := Nat.pow_le_pow_left h' 2
      omega
    have b4 : b < 4 := by
      refine Nat.lt_of_not_le fun h' => ?_
      have := Nat.pow_le_pow_left h' 3
      omega
    have key : ∀ a < 8, ∀ b < 4, 1 < a ^ 2 → a ^ 2 ≠ b ^ 3 := by decide
    exact key a a8 b b4 (ha ▸ h1) (ha ▸ hb)

/-- test, level 1. Show that the product of all positive divisors of 18 is 18³. -/
theorem numbertheory_product_divisors_18 : ∏ d ∈ Nat.divisors 18, d = 18 ^ 3 := by
  decide

/-- valid, level 2. A sequence of natural numbers satisfies a(n+2) = 5a(n+1) + a(n), and a(0), a(1) are coprime. Show
that any two consecutive terms are coprime. -/
theorem numbertheory_linear_recurrence_coprime (a : ℕ → ℕ) (h₀ : Nat.Coprime (a 0) (a 1))
    (h₁ : ∀ n, a (n + 2) = 5 * a (n + 1) + a n) (n : ℕ) : Nat.Coprime (a n) (a (n + 1)) := by
  induction n with
  | zero => exact h₀
  | succ n ih =>
    rw [Nat.Coprime, h₁, Nat.add_comm (5 * _), Nat.gcd_add_mul_right_right, Nat.gcd_comm]
    exact ih

/-- valid, level 3. An odd prime p is the sum of the consecutive positive integers a, a + 1, ..., a + m with m ≥ 1.
Show that m = 1. -/
theorem numbertheory_prime_sum_consecutive (p a m : ℕ) (h₀ : Nat.Prime p) (h₁ : Odd p) (h₂ : 1 ≤ a) (h₃ : 1 ≤ m)
    (h₄ : p = ∑ i ∈ Finset.range (m + 1), (a + i)) : m = 1 := by
  have hs : ∀ n : ℕ, 2 * ∑ i ∈ Finset.range (n + 1), (a + i) = (n + 1) * (2 * a + n) := by
    intro n
    induction n with
    | zero => simp
    | succ n ih => rw [Finset.sum_range_succ]; grind
  have e : 2 * p = (m + 1) * (2 * a + m) := by rw [h₄, hs m]
  have hp := h₀.two_le
  have ho := Nat.odd_iff.1 h₁
  rcases h₀.dvd_mul.1 ⟨2, by rw [← e, Nat.mul_comm]⟩ with ⟨c, hc⟩ | ⟨c, hc⟩
  · exfalso
    rw [hc] at e
    have h2 : 2 = c * (2 * a + m) := by
      apply Nat.eq_of_mul_eq_mul_left h₀.pos
      grind
    have hc0 : 0 < c := Nat.pos_of_ne_zero fun h => by simp [h] at h2
    have := Nat.le_mul_of_pos_left (2 * a + m) hc0
    omega
  · rw [hc] at e
    have h2 : 2 = c * (m + 1) := by
      apply Nat.eq_of_mul_eq_mul_left h₀.pos
      grind
    have hc0 : 0 < c := Nat.pos_of_ne_zero fun h => by simp [h] at h2
    have := Nat.le_mul_of_pos_left (m + 1) hc0
    omega

/-- valid, level 3. The least common multiple of two positive integers is five times their greatest common divisor.
Show that one of them is five times the other. -/
theorem numbertheory_lcm_eq_5gcd (a b : ℕ) (h₀ : 0 < a) (h₁ : 0 < b) (h₂ : Nat.lcm a b = 5 * Nat.gcd a b) :
    a = 5 * b ∨ b = 5 * a := by
  have h := Nat.gcd_mul_lcm a b
  have hg := Nat.gcd_pos_of_pos_left b h₀
  obtain ⟨x, hx⟩ := Nat.gcd_dvd_left a b
  obtain ⟨y, hy⟩ := Nat.gcd_dvd_right a b
  rw [h₂] at h
  generalize Nat.gcd a b = g at *
  subst hx hy
  have h5 : x * y = 5 := by
    apply Nat.eq_of_mul_eq_mul_left (Nat.mul_pos hg hg)
    grind
  have h5p : Nat.Prime 5 := by decide
  rcases h5p.2 x ⟨y, h5.symm⟩ with rfl | rfl
  · right
    have : y = 5 := by omega
    subst this
    omega
  · left
    have : y = 1 := by omega
    subst this
    omega

/-- test, level 2. Show that n! + 1 and (n + 1)! + n are coprime for every natural number n. -/
theorem numbertheory_factorialp1_coprime (n : ℕ) : Nat.Coprime (n ! + 1) ((n + 1)! + n) := by
  have h1 := Nat.gcd_dvd_left (n ! + 1) ((n + 1)! + n)
  have h2 := Nat.gcd_dvd_right (n ! + 1) ((n + 1)! + n)
  have e : (n + 1)! + n + 1 = (n + 1) * (n ! + 1) := by
    rw [Nat.factorial_succ]
    grind
  have h3 := Nat.dvd_mul_left_of_dvd h1 (n + 1)
  rw [← e] at h3
  exact Nat.dvd_one.1 ((Nat.dvd_add_right h2).1 h3)

/-- valid, level 2. Let p, q, r be primes greater than 3. Show that p² + q² + r² is not prime. -/
theorem numbertheory_three_prime_squares_not_prime (p q r : ℕ) (h₀ : Nat.Prime p) (h₁ : Nat.Prime q) (h₂ : Nat.Prime r)
    (h₃ : 3 < p) (h₄ : 3 < q) (h₅ : 3 < r) : ¬ Nat.Prime (p ^ 2 + q ^ 2 + r ^ 2) := by
  have key : ∀ s : ℕ, Nat.Prime s → 3 < s → s ^ 2 % 3 = 1 := by
    intro s hs h
    have h3 : s % 3 ≠ 0 := fun h3 => by have := hs.2 3 (by omega); omega
    have : s % 3 = 1 ∨ s % 3 = 2 := by omega
    rcases this with e | e <;> simp [Nat.pow_mod, e]
  have hp := key p h₀ h₃
  have hq := key q h₁ h₄
  have hr := key r h₂ h₅
  have hp2 := Nat.pow_le_pow_left (show 4 ≤ p from h₃) 2
  intro h
  have := h.2 3 (by omega)
  omega

/-- test, level 3. Integers a, b, c satisfy a² + 2b² = c². Show that 6 divides bc. -/
theorem numbertheory_asqp2bsq_eq_csq (a b c : ℤ) (h₀ : a ^ 2 + 2 * b ^ 2 = c ^ 2) : 6 ∣ b * c := by
  have h3 : b * c % 3 = 0 := by
    have ha : a % 3 = 0 ∨ a % 3 = 1 ∨ a % 3 = 2 := by omega
    have hb : b % 3 = 0 ∨ b % 3 = 1 ∨ b % 3 = 2 := by omega
    have hc : c % 3 = 0 ∨ c % 3 = 1 ∨ c % 3 = 2 := by omega
    have h : (a ^ 2 + 2 * b ^ 2) % 3 = c ^ 2 % 3 := by rw [h₀]
    rcases ha with ha | ha | ha <;> rcases hb with hb | hb | hb <;> rcases hc with hc | hc | hc <;>
      simp [pow_two, Int.add_emod, Int.mul_emod, ha, hb, hc] at h ⊢
  have h2 : b * c % 2 = 0 := by
    rcases Int.even_or_odd b with ⟨y, rfl⟩ | ⟨y, rfl⟩
    · simp [Int.mul_emod, Int.add_emod, show (y + y) % 2 = 0 by omega]
    · exfalso
      rcases Int.even_or_odd a with ⟨x, rfl⟩ | ⟨x, rfl⟩ <;> rcases Int.even_or_odd c with ⟨z, rfl⟩ | ⟨z, rfl⟩
      · have e : 2 * (x ^ 2 + 2 * y ^ 2 + 2 * y - z ^ 2) = -1 := by grind
        omega
      · have e : 2 * (2 * x ^ 2 + 4 * y ^ 2 + 4 * y + 1 - 2 * z ^ 2 - 2 * z) = 1 := by grind
        omega
      · have e : 2 * (2 * x ^ 2 + 2 * x + 4 * y ^ 2 + 4 * y + 1 - 2 * z ^ 2) = -1 := by grind
        omega
      · have e : 4 * (x ^ 2 + x + 2 * y ^ 2 + 2 * y - z ^ 2 - z) = -2 := by grind
        omega
  omega

/-- valid, level 3. Show that the product of two integers of the form x² + 3xy + y² is again of this form. -/
theorem numbertheory_form_1_3_1_product (a b c d : ℤ) :
    ∃ u v : ℤ, (a ^ 2 + 3 * a * b + b ^ 2) * (c ^ 2 + 3 * c * d + d ^ 2) = u ^ 2 + 3 * u * v + v ^ 2 := by
  exists a * c - b * d, a * d + b * c + 3 * b * d
  grind

/-- valid, level 3. Let p be a prime and let a, b be natural numbers with a³ = pb³. Show that b = 0. -/
theorem numbertheory_acube_eq_p_bcube (p a b : ℕ) (h₀ : Nat.Prime p) (h₁ : a ^ 3 = p * b ^ 3) : b = 0 := by
  induction b using Nat.strongRecOn generalizing a with
  | ind b ih =>
    by_cases hb : b = 0
    · exact hb
    · exfalso
      obtain ⟨c, rfl⟩ := h₀.dvd_of_dvd_pow ⟨b ^ 3, h₁⟩
      have h2 : b ^ 3 = p * (p * c ^ 3) := by
        apply Nat.eq_of_mul_eq_mul_left h₀.pos
        grind
      obtain ⟨d, rfl⟩ := h₀.dvd_of_dvd_pow ⟨p * c ^ 3, h2⟩
      have h3 : c ^ 3 = p * d ^ 3 := by
        apply Nat.eq_of_mul_eq_mul_left (Nat.mul_pos h₀.pos h₀.pos)
        grind
      have hd : 0 < d := Nat.pos_of_ne_zero fun h => hb (by simp [h])
      have h4 := Nat.mul_le_mul_right d h₀.two_le
      have := ih d (by omega) c h3
      omega

/-- valid, level 3. Show that an integer n is of the form x² - 4y² with integers x, y if and only if n ≡ 1 modulo 4, or
4 divides n and n does not leave remainder 8 on division by 16. -/
theorem numbertheory_xsq_sub_4ysq_iff (n : ℤ) :
    (∃ x y : ℤ, n = x ^ 2 - 4 * y ^ 2) ↔ n % 4 = 1 ∨ (4 ∣ n ∧ n % 16 ≠ 8) := by
  constructor
  · rintro ⟨x, y, rfl⟩
    rcases Int.even_or_odd x with ⟨a, rfl⟩ | ⟨a, rfl⟩
    · right
      have e : (a + a) ^ 2 - 4 * y ^ 2 = 4 * (a ^ 2 - y ^ 2) := by grind
      rw [e]
      refine ⟨⟨_, rfl⟩, fun h => ?_⟩
      have h4 : (a ^ 2 - y ^ 2) % 4 = 2 := by omega
      rcases Int.even_or_odd a with ⟨u, rfl⟩ | ⟨u, rfl⟩ <;> rcases Int.even_or_odd y with ⟨v, rfl⟩ | ⟨v, rfl⟩ <;> grind
    · left
      have e : (2 * a + 1) ^ 2 - 4 * y ^ 2 = 4 * (a ^ 2 + a - y ^ 2) + 1 := by grind
      omega
  · intro h
    have h' : n % 4 = 1 ∨ n % 16 = 0 ∨ n % 8 = 4 := by omega
    rcases h' with h | h | h
    · obtain ⟨k, rfl⟩ : ∃ k, n = 4 * k + 1 := ⟨n / 4, by omega⟩
      exact ⟨2 * k + 1, k, by grind⟩
    · obtain ⟨k, rfl⟩ : ∃ k, n = 16 * k := ⟨n / 16, by omega⟩
      exact ⟨2 * (k + 1), k - 1, by grind⟩
    · obtain ⟨k, rfl⟩ : ∃ k, n = 8 * k + 4 := ⟨n / 8, by omega⟩
      exact ⟨2 * (k + 1), k, by grind⟩

/-- valid, level 2. Natural numbers n and m satisfy 2ⁿ + 3 = m². Show that n = 0 and m = 2. -/
theorem numbertheory_2pownp3_eq_sq (n m : ℕ) (h₀ : 2 ^ n + 3 = m ^ 2) : n = 0 ∧ m = 2 := by
  have hn : n ≤ 1 := by
    refine Nat.le_of_not_lt fun h => ?_
    obtain ⟨k, rfl⟩ : ∃ k, n = k + 2 := ⟨n - 2, by omega⟩
    have e : 2 ^ (k + 2) = 4 * 2 ^ k := by grind
    have hm : m ^ 2 % 4 = 3 := by omega
    have : m % 4 = 0 ∨ m % 4 = 1 ∨ m % 4 = 2 ∨ m % 4 = 3 := by omega
    rcases this with r | r | r | r <;> simp [Nat.pow_mod, r] at hm
  have hm : m < 3 := by
    refine Nat.lt_of_not_le fun h => ?_
    have h9 := Nat.pow_le_pow_left h 2
    have h2 := Nat.pow_le_pow_right (show 0 < 2 by decide) hn
    omega
  have hn' : n < 2 := by omega
  have key : ∀ n < 2, ∀ m < 3, 2 ^ n + 3 = m ^ 2 → n = 0 ∧ m = 2 := by decide
  exact key n hn' m hm h₀

/-- test, level 3. Find all natural numbers a and b with 7ᵃ + 1 = 2ᵇ: show that they are (0, 1) and (1, 3). -/
theorem numbertheory_7powap1_eq_2powb (a b : ℕ) : 7 ^ a + 1 = 2 ^ b ↔ (a = 0 ∧ b = 1) ∨ (a = 1 ∧ b = 3) := by
  constructor
  · intro h
    have h16 : ∀ n : ℕ, 7 ^ n % 16 = 1 ∨ 7 ^ n % 16 = 7 := by
      intro n
      induction n with
      | zero => decide
      | succ n ih => rw [Nat.pow_succ]; omega
    have ha := h16 a
    have hb : b ≤ 3 := by
      refine Nat.le_of_not_lt fun hb => ?_
      obtain ⟨k, rfl⟩ : ∃ k, b = k + 4 := ⟨b - 4, by omega⟩
      have e : 2 ^ (k + 4) = 16 * 2 ^ k := by grind
      omega
    have ha' : a ≤ 1 := by
      refine Nat.le_of_not_lt fun h2 => ?_
      have h49 := Nat.pow_le_pow_right (show 0 < 7 by decide) (show 2 ≤ a from h2)
      have h8 := Nat.pow_le_pow_right (show 0 < 2 by decide) hb
      omega
    have key : ∀ a < 2, ∀ b < 4, 7 ^ a + 1 = 2 ^ b → (a = 0 ∧ b = 1) ∨ (a = 1 ∧ b = 3) := by decide
    exact key a (by omega) b (by omega) h
  · rintro (⟨rfl, rfl⟩ | ⟨rfl, rfl⟩) <;> decide

/-- test, level 2. Let a and b be coprime natural numbers. Show that a² + ab + b² and ab are coprime. -/
theorem numbertheory_coprime_quadratic_product (a b : ℕ) (h₀ : Nat.Coprime a b) :
    Nat.Coprime (a ^ 2 + a * b + b ^ 2) (a * b) := by
  have key : ∀ x y : ℕ, Nat.Coprime x y → Nat.Coprime (x ^ 2 + x * y + y ^ 2) x := by
    intro x y h
    have e : x ^ 2 + x * y + y ^ 2 = y ^ 2 + x * (x + y) := by grind
    rw [e, Nat.Coprime, Nat.gcd_add_mul_left_left]
    exact Nat.Coprime.pow_left 2 h.symm
  have h1 := key a b h₀
  have h2 := key b a h₀.symm
  have e : b ^ 2 + b * a + a ^ 2 = a ^ 2 + a * b + b ^ 2 := by grind
  rw [e] at h2
  exact Nat.Coprime.mul_right h1 h2

/-- test, level 3. If 3n = a² + 2b² with integers a and b, show that n = x² + 2y² for some integers x and y. -/
theorem numbertheory_3n_asqp2bsq (n a b : ℤ) (h₀ : 3 * n = a ^ 2 + 2 * b ^ 2) : ∃ x y : ℤ, n = x ^ 2 + 2 * y ^ 2 := by
  have h : (a - b) * (a + b) % 3 = 0 := by
    have e : (a - b) * (a + b) = 3 * (n - b ^ 2) := by grind
    omega
  have h3 : (a - b) % 3 = 0 ∨ (a + b) % 3 = 0 := by
    have ha : (a - b) % 3 = 0 ∨ (a - b) % 3 = 1 ∨ (a - b) % 3 = 2 := by omega
    have hb : (a + b) % 3 = 0 ∨ (a + b) % 3 = 1 ∨ (a + b) % 3 = 2 := by omega
    rcases ha with ha | ha | ha <;> rcases hb with hb | hb | hb <;> simp [Int.mul_emod, ha, hb] at h ⊢
  rcases h3 with h3 | h3
  · obtain ⟨k, rfl⟩ : ∃ k, a = b + 3 * k := ⟨(a - b) / 3, by omega⟩
    exact ⟨b + k, k, by grind⟩
  · obtain ⟨k, rfl⟩ : ∃ k, a = 3 * k - b := ⟨(a + b) / 3, by omega⟩
    exact ⟨b - k, k, by grind⟩
