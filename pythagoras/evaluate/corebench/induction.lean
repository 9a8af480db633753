-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Induction: sums and products, divisibility, Fibonacci numbers, binomials, recurrences, inequalities. -/

/-- valid, level 1. For every natural number n, the number 2 · 26^n + 15 · 9^n is divisible by 17. -/
theorem induction_seventeen_dvd_two_powers (n : ℕ) : 17 ∣ 2 * 26 ^ n + 15 * 9 ^ n := by
  induction n with
  | zero => decide
  | succ n ih => rw [Nat.pow_succ, Nat.pow_succ]; omega

/-- test, level 1. For every natural number n, 7^n + 30n leaves the remainder 1 on division by 36. -/
theorem induction_seven_pow_mod_thirtysix (n : ℕ) : (7 ^ n + 30 * n) % 36 = 1 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Nat.pow_succ]; omega

/-- valid, level 1. For every n, the Fibonacci numbers satisfy F(n) + F(n + 4) = 3 F(n + 2). -/
theorem induction_fib_neighbours_sum_triple (n : ℕ) :
    Nat.fib n + Nat.fib (n + 4) = 3 * Nat.fib (n + 2) := by
  rw [Nat.fib_add_two, Nat.fib_add_two, Nat.fib_add_two]
  grind

/-- test, level 1. For every natural number n, the number 16^(5n + 1) leaves the remainder 16 on division by 100. -/
theorem induction_last_two_digits_six (n : ℕ) : 16 ^ (5 * n + 1) % 100 = 16 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [show 5 * (n + 1) + 1 = 5 * n + 1 + 5 by omega, Nat.pow_add]
    omega

/-- valid, level 1. Let f be a sequence of natural numbers with f(n) < f(n + 1) for all n, all of whose values are even.
Then 2n ≤ f(n) for every n. -/
theorem induction_even_valued_strictly_increasing (f : ℕ → ℕ) (h₀ : ∀ n, f n < f (n + 1)) (h₁ : ∀ n, Even (f n))
    (n : ℕ) : 2 * n ≤ f n := by
  induction n with
  | zero => omega
  | succ n ih =>
    have := h₀ n
    have h2 := Nat.even_iff.1 (h₁ n)
    have h3 := Nat.even_iff.1 (h₁ (n + 1))
    omega

/-- test, level 1. Rational numbers satisfy x(0) = 1 and x(n + 1) = (x(n) + 6)/3 for all n. Then x(n) < x(n + 1) and x(n
+ 1) < 3 for every n. -/
theorem induction_averaging_toward_three (x : ℕ → ℚ) (h₀ : x 0 = 1) (h₁ : ∀ n, x (n + 1) = (x n + 6) / 3) (n : ℕ) :
    x n < x (n + 1) ∧ x (n + 1) < 3 := by
  have h : x n < 3 := by
    induction n with
    | zero => rw [h₀]; decide +kernel
    | succ n ih => rw [h₁]; grind
  rw [h₁]
  clear h₁
  grind

/-- valid, level 1. For every n, the sum of (i^2 + i + 1) · i! over 0 ≤ i < n equals n · n!. -/
theorem induction_sum_quadratic_times_factorial (n : ℕ) :
    ∑ i ∈ Finset.range n, (i ^ 2 + i + 1) * i ! = n * n ! := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_range_succ, ih, Nat.factorial_succ]; grind

/-- test, level 1. Let f be a function on the natural numbers with f(0) = 0 and f(n) = f(n / 2) + (n mod 2) for all n,
where n / 2 is rounded down. Then f(2^k - 1) = k for every k. -/
theorem induction_binary_digit_sum_all_ones (f : ℕ → ℕ) (h₀ : f 0 = 0) (h₁ : ∀ n, f n = f (n / 2) + n % 2) (k : ℕ) :
    f (2 ^ k - 1) = k := by
  induction k with
  | zero => exact h₀
  | succ k ih =>
    have hp : 0 < 2 ^ k := Nat.pow_pos (by decide)
    rw [h₁, Nat.pow_succ, show (2 ^ k * 2 - 1) / 2 = 2 ^ k - 1 by omega, ih]
    omega

/-- valid, level 1. For every n, the sum of (i + 1)(3i + 2) over 0 ≤ i < n equals n^2 (n + 1). -/
theorem induction_sum_product_linear_factors (n : ℕ) :
    ∑ i ∈ Finset.range n, (i + 1) * (3 * i + 2) = n ^ 2 * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_range_succ, ih]; grind

/-- test, level 1. Suppose L(0) = 1 and L(n + 1) = L(n) + (3n + 1) for all n, in the natural numbers. Then 2 L(n) + n =
3n^2 + 2 for every n. -/
theorem induction_growing_by_arithmetic_steps (L : ℕ → ℕ) (h₀ : L 0 = 1) (h₁ : ∀ n, L (n + 1) = L n + (3 * n + 1))
    (n : ℕ) : 2 * L n + n = 3 * n ^ 2 + 2 := by
  induction n with
  | zero => simp [h₀]
  | succ n ih => rw [h₁]; grind

/-- valid, level 1. For every n, the sum of 2 · 3^i + 4 · 5^i over 1 ≤ i ≤ n, plus 8, equals 3^(n + 1) + 5^(n + 1). -/
theorem induction_sum_mixed_powers (n : ℕ) :
    ∑ i ∈ Finset.Icc 1 n, (2 * 3 ^ i + 4 * 5 ^ i) + 8 = 3 ^ (n + 1) + 5 ^ (n + 1) := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [Finset.sum_Icc_succ_top (by omega), Nat.pow_succ 3 (n + 1), Nat.pow_succ 5 (n + 1)]
    omega

/-- test, level 1. If all the integers in a list are odd, then their sum and the length of the list leave the same
remainder on division by 2. -/
theorem induction_odd_list_parity (l : List ℤ) (h₀ : ∀ x ∈ l, Odd x) : l.sum % 2 = (l.length : ℤ) % 2 := by
  induction l with
  | nil => rfl
  | cons a l ih =>
    have h1 := Int.odd_iff.1 (h₀ a (by simp))
    have h2 := ih fun x hx => h₀ x (by simp [hx])
    simp only [List.sum_cons, List.length_cons]
    omega

/-- valid, level 1. For every n, four times the sum of i · 3^i over 0 ≤ i < n, plus 3^(n + 1), equals 2n · 3^n + 3. -/
theorem induction_sum_i_mul_three_pow (n : ℕ) :
    4 * ∑ i ∈ Finset.range n, i * 3 ^ i + 3 ^ (n + 1) = 2 * n * 3 ^ n + 3 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_range_succ]; grind

/-- test, level 1. Integers satisfy s(0) = 5 and s(n + 1) = s(n)^2 - 2 s(n) + 2 for all n. Then for every n, three times
the product of s(0), ..., s(n - 1) equals s(n) - 2. -/
theorem induction_shifted_square_recursion (s : ℕ → ℤ) (h₀ : s 0 = 5) (h₁ : ∀ n, s (n + 1) = s n ^ 2 - 2 * s n + 2)
    (n : ℕ) : 3 * ∏ i ∈ Finset.range n, s i = s n - 2 := by
  induction n with
  | zero => simp [h₀]
  | succ n ih => rw [Finset.prod_range_succ, ← Int.mul_assoc, ih, h₁]; grind

/-- valid, level 1. A function f on the natural numbers with natural values satisfies f(m + n) = f(m) + f(n) + 2mn for
all m and n, and f(1) = 4. Then f(n) = n^2 + 3n for every n. -/
theorem induction_quadratic_cauchy (f : ℕ → ℕ) (h₀ : ∀ m n, f (m + n) = f m + f n + 2 * m * n) (h₁ : f 1 = 4)
    (n : ℕ) : f n = n ^ 2 + 3 * n := by
  induction n with
  | zero =>
    have h := h₀ 0 0
    simp at h ⊢
    exact h
  | succ n ih => rw [h₀, ih, h₁]; grind

/-- test, level 2. The alternating sum 1 - 2 + 3 - 4 + ... of the first 2n positive integers, that is of (-1)^i (i + 1)
over 0 ≤ i < 2n, equals -n. -/
theorem induction_alternating_sum_even_length (n : ℕ) :
    ∑ i ∈ Finset.range (2 * n), (-1 : ℤ) ^ i * ((i : ℤ) + 1) = -(n : ℤ) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have e : (-1 : ℤ) ^ (2 * n) = 1 := by rw [Int.pow_mul]; exact Int.one_pow
    rw [show 2 * (n + 1) = 2 * n + 1 + 1 by omega, Finset.sum_range_succ, Finset.sum_range_succ, ih, Int.pow_succ, e]
    grind

/-- valid, level 2. For every n, the Fibonacci number F(6n) is divisible by 8. -/
theorem induction_eight_dvd_fib_six_mul (n : ℕ) : 8 ∣ Nat.fib (6 * n) := by
  induction n with
  | zero => decide
  | succ n ih =>
    have h : Nat.fib (6 * (n + 1)) = 5 * Nat.fib (6 * n) + 8 * Nat.fib (6 * n + 1) := by
      rw [show 6 * (n + 1) = 6 * n + 6 by omega]; grind
    omega

/-- test, level 2. For every natural number n, 6 · 4^n ≤ (n + 3)!. -/
theorem induction_four_pow_le_factorial_add_three (n : ℕ) : 6 * 4 ^ n ≤ (n + 3)! := by
  induction n with
  | zero => decide
  | succ n ih =>
    rw [Nat.pow_succ, show n + 1 + 3 = (n + 3) + 1 by omega, Nat.factorial_succ]
    calc 6 * (4 ^ n * 4) = 4 * (6 * 4 ^ n) := by grind
      _ ≤ (n + 3 + 1) * (n + 3)! := Nat.mul_le_mul (by omega) ih

/-- valid, level 2. Over the rationals, the sum of 1/((3i + 1)(3i + 4)) over 0 ≤ i < n equals n/(3n + 1). -/
theorem induction_sum_reciprocal_step_three (n : ℕ) :
    ∑ i ∈ Finset.range n, 1 / ((3 * (i : ℚ) + 1) * (3 * (i : ℚ) + 4)) = (n : ℚ) / (3 * n + 1) := by
  induction n with
  | zero => decide +kernel
  | succ n ih =>
    have h : (0 : ℚ) ≤ (n : ℚ) := Rat.natCast_nonneg
    rw [Finset.sum_range_succ, ih, Rat.natCast_add]
    have h1 : 3 * (n : ℚ) + 1 ≠ 0 := by grind
    have h2 : 3 * (n : ℚ) + 4 ≠ 0 := by grind
    grind

/-- test, level 2. For every n, the sum of F(i) F(i + 1) over 0 ≤ i < 2n is the square of the Fibonacci number F(2n). -/
theorem induction_sum_fib_products (n : ℕ) :
    ∑ i ∈ Finset.range (2 * n), Nat.fib i * Nat.fib (i + 1) = Nat.fib (2 * n) ^ 2 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have h2 := @Nat.fib_add_two (2 * n)
    rw [show 2 * (n + 1) = 2 * n + 1 + 1 by omega, Finset.sum_range_succ, Finset.sum_range_succ, ih,
      show 2 * n + 1 + 1 = 2 * n + 2 by omega, h2]
    grind

/-- valid, level 2. For every n, the Fibonacci numbers satisfy F(n + 3) F(n) - F(n + 1) F(n + 2) = (-1)^(n + 1) in the
integers. -/
theorem induction_fib_four_term_determinant (n : ℕ) :
    (Nat.fib (n + 3) : ℤ) * Nat.fib n - Nat.fib (n + 1) * Nat.fib (n + 2) = (-1) ^ (n + 1) := by
  induction n with
  | zero => decide
  | succ n ih =>
    have h2 := @Nat.fib_add_two n
    have h3 := @Nat.fib_add_two (n + 1)
    have h4 := @Nat.fib_add_two (n + 2)
    rw [show n + 1 + 3 = n + 2 + 2 by omega, show n + 1 + 2 = n + 3 by omega, show n + 1 + 1 = n + 2 by omega, h4]
    rw [Int.pow_succ, ← ih]
    rw [show n + 3 = n + 1 + 2 by omega, h3, show n + 1 + 1 = n + 2 by omega, h2]
    grind

/-- test, level 2. For every n, the Fibonacci numbers F(n) and F(n + 2) are coprime. -/
theorem induction_fib_coprime_two_apart (n : ℕ) : Nat.Coprime (Nat.fib n) (Nat.fib (n + 2)) := by
  have key : ∀ m, Nat.Coprime (Nat.fib m) (Nat.fib (m + 1)) := by
    intro m
    induction m with
    | zero => decide
    | succ m ih =>
      have h := Nat.gcd_add_self_right (Nat.fib (m + 1)) (Nat.fib m)
      rw [Nat.gcd_comm (Nat.fib (m + 1)) (Nat.fib m)] at h
      exact h.trans ih
  have h := Nat.gcd_self_add_right (Nat.fib n) (Nat.fib (n + 1))
  exact h.trans (key n)

/-- valid, level 2. A sequence of natural numbers has a(0) = 1 and a(n + 1) = a(n)^2 + 2 for all n. No term of it is
divisible by 5. -/
theorem induction_square_plus_two_not_dvd_five (a : ℕ → ℕ) (h₀ : a 0 = 1) (h₁ : ∀ n, a (n + 1) = a n ^ 2 + 2)
    (n : ℕ) : ¬ 5 ∣ a n := by
  have key : a n % 5 = 1 ∨ a n % 5 = 3 := by
    induction n with
    | zero => omega
    | succ n ih =>
      rw [h₁, Nat.add_mod, Nat.pow_mod]
      rcases ih with h | h <;> rw [h] <;> decide
  omega

/-- test, level 2. For every n, six times the double sum of j over all 0 ≤ j ≤ i < n, plus n, equals n^3. -/
theorem induction_nested_sum_tetrahedral (n : ℕ) :
    6 * ∑ i ∈ Finset.range n, ∑ j ∈ Finset.range (i + 1), j + n = n ^ 3 := by
  have h : ∀ i, 2 * ∑ j ∈ Finset.range (i + 1), j = i * (i + 1) := by
    intro i
    induction i with
    | zero => rfl
    | succ i ih => rw [Finset.sum_range_succ, Nat.mul_add, ih]; grind
  induction n with
  | zero => rfl
  | succ n ih =>
    have := h n
    rw [Finset.sum_range_succ]
    grind

/-- valid, level 2. Every natural number n ≥ 10 is greater than the sum of its decimal digits. -/
theorem induction_digit_sum_le_self (n : ℕ) (h₀ : 10 ≤ n) : (Nat.digits 10 n).sum < n := by
  have key : ∀ m, (Nat.digits 10 m).sum ≤ m := by
    intro m
    induction m using Nat.strongRecOn with
    | ind m ih =>
      by_cases h : m = 0
      · subst h; decide
      · have := ih (m / 10) (by omega)
        rw [Nat.digits_def' (by decide) (by omega), List.sum_cons]
        omega
  have := key (n / 10)
  rw [Nat.digits_def' (by decide) (by omega), List.sum_cons]
  omega

/-- test, level 2. A function f on the natural numbers has f(2n) = n and f(2n + 1) = 2n for all n. Starting from any n
and applying f repeatedly, one reaches 0. -/
theorem induction_halving_game_terminates (f : ℕ → ℕ) (h₀ : ∀ n, f (2 * n) = n) (h₁ : ∀ n, f (2 * n + 1) = 2 * n)
    (n : ℕ) : ∃ k, f^[k] n = 0 := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    by_cases h : n = 0
    · exact ⟨0, h⟩
    have hlt : f n < n := by
      rcases Nat.even_or_odd n with ⟨r, hr⟩ | ⟨r, hr⟩
      · rw [show n = 2 * r by omega, h₀]; omega
      · rw [hr, h₁]; omega
    obtain ⟨k, hk⟩ := ih _ hlt
    exact ⟨k + 1, hk⟩

/-- valid, level 2. An integer sequence has a(0) = 1, a(1) = 6 and a(n + 2) = 4 a(n + 1) - 4 a(n) for all n. Then a(n) =
(2n + 1) · 2^n for every n. -/
theorem induction_double_root_recurrence (a : ℕ → ℤ) (h₀ : a 0 = 1) (h₁ : a 1 = 6)
    (h₂ : ∀ n, a (n + 2) = 4 * a (n + 1) - 4 * a n) (n : ℕ) : a n = (2 * n + 1) * 2 ^ n := by
  have key : ∀ n : ℕ, a n = (2 * n + 1) * 2 ^ n ∧ a (n + 1) = (2 * n + 3) * 2 ^ (n + 1) := by
    intro n
    induction n with
    | zero => simp [h₀, h₁]
    | succ n ih => exact ⟨by rw [ih.2]; grind, by rw [h₂, ih.1, ih.2]; grind⟩
  exact (key n).1

/-- test, level 2. For every positive integer n there is a natural number k with k! ≤ n < (k + 1)!. -/
theorem induction_factorial_floor (n : ℕ) (h₀ : 0 < n) : ∃ k, k ! ≤ n ∧ n < (k + 1)! := by
  induction n, h₀ using Nat.le_induction with
  | base => exact ⟨1, by decide⟩
  | succ n h ih =>
    obtain ⟨k, h1, h2⟩ := ih
    by_cases h3 : n + 1 < (k + 1)!
    · exact ⟨k, by omega, h3⟩
    · refine ⟨k + 1, by omega, ?_⟩
      have e := Nat.factorial_succ (k + 1)
      have hp := Nat.factorial_pos (k + 1)
      have h4 : 2 * (k + 1)! ≤ (k + 1 + 1) * (k + 1)! := Nat.mul_le_mul_right _ (by omega)
      rw [e]
      omega

/-- valid, level 2. For every integer x and every n, (x - 1) times the product of x^(2 · 3^i) + x^(3^i) + 1 over 0 ≤ i <
n equals x^(3^n) - 1. -/
theorem induction_triple_exponent_product (x : ℤ) (n : ℕ) :
    (x - 1) * ∏ i ∈ Finset.range n, (x ^ (2 * 3 ^ i) + x ^ 3 ^ i + 1) = x ^ 3 ^ n - 1 := by
  have diff_of_cubes : ∀ t : ℤ, (t - 1) * (t ^ 2 + t + 1) = t ^ 3 - 1 := by grind
  induction n with
  | zero => simp [Int.pow_succ]
  | succ n ih =>
    rw [Finset.prod_range_succ, ← Int.mul_assoc, ih, Nat.pow_succ, Nat.mul_comm 2, Int.pow_mul, Int.pow_mul,
      diff_of_cubes]

/-- test, level 2. Every natural number is congruent to the sum of its digits in base 7 modulo 6. -/
theorem induction_base_seven_digit_sum (n : ℕ) : (Nat.digits 7 n).sum ≡ n [MOD 6] := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    by_cases h : n = 0
    · subst h; rfl
    · have := ih (n / 7) (by omega)
      rw [Nat.digits_def' (by decide) (by omega), List.sum_cons]
      omega

/-- valid, level 2. For every natural number n, six times the binomial C(n + 1, 3), plus n, equals n^3. -/
theorem induction_cube_from_binomial (n : ℕ) : 6 * Nat.choose (n + 1) 3 + n = n ^ 3 := by
  have two : ∀ m, 2 * Nat.choose m 2 + m = m ^ 2 := by
    intro m
    induction m with
    | zero => rfl
    | succ m ih => rw [Nat.choose_succ_succ, Nat.choose_one_right]; grind
  induction n with
  | zero => rfl
  | succ n ih =>
    have h := two (n + 1)
    rw [Nat.choose_succ_succ (n + 1) 2]
    grind

/-- test, level 2. For every n, the product of 4i + 2 over 0 ≤ i < n, times n!, equals (2n)!. -/
theorem induction_product_four_i_plus_two (n : ℕ) :
    (∏ i ∈ Finset.range n, (4 * i + 2)) * n ! = (2 * n)! := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Finset.prod_range_succ, show 2 * (n + 1) = 2 * n + 1 + 1 by omega, Nat.factorial_succ, Nat.factorial_succ,
      Nat.factorial_succ, ← ih]
    grind

/-- valid, level 3. For every natural number n ≥ 17, n^4 < 2^n. -/
theorem induction_fourth_power_lt_two_pow (n : ℕ) (h₀ : 17 ≤ n) : n ^ 4 < 2 ^ n := by
  induction n, h₀ using Nat.le_induction with
  | base => decide
  | succ n h ih =>
    have h1 : 17 * n ^ 3 ≤ n ^ 4 := by
      rw [show n ^ 4 = n * n ^ 3 by grind]; exact Nat.mul_le_mul_right _ h
    have h2 : 17 * n ^ 2 ≤ n ^ 3 := by
      rw [show n ^ 3 = n * n ^ 2 by grind]; exact Nat.mul_le_mul_right _ h
    have h3 : 17 * n ≤ n ^ 2 := by
      rw [show n ^ 2 = n * n by grind]; exact Nat.mul_le_mul_right _ h
    have h4 : (n + 1) ^ 4 = n ^ 4 + 4 * n ^ 3 + 6 * n ^ 2 + 4 * n + 1 := by grind
    have h5 : 2 ^ (n + 1) = 2 * 2 ^ n := by grind
    grind

/-- test, level 3. Over the rationals, the product of (i + 1)(i + 4)/((i + 2)(i + 3)) over 0 ≤ i < n equals (n + 3)/(3(n
+ 1)). -/
theorem induction_prod_rational_telescope (n : ℕ) :
    ∏ i ∈ Finset.range n, (((i : ℚ) + 1) * ((i : ℚ) + 4) / (((i : ℚ) + 2) * ((i : ℚ) + 3))) =
      ((n : ℚ) + 3) / (3 * ((n : ℚ) + 1)) := by
  induction n with
  | zero => decide +kernel
  | succ n ih =>
    have h : (0 : ℚ) ≤ (n : ℚ) := Rat.natCast_nonneg
    rw [Finset.prod_range_succ, ih, Rat.natCast_add]
    have h1 : (n : ℚ) + 1 ≠ 0 := by grind
    have h2 : (n : ℚ) + 2 ≠ 0 := by grind
    have h3 : (n : ℚ) + 3 ≠ 0 := by grind
    grind

/-- valid, level 3. Rational numbers satisfy s(0) = 3 and s(n + 1) = s(n)(s(n) - 1) + 1 for all n. Then for every n the
sum of 1/s(i) over 0 ≤ i < n equals 1/2 - 1/(s(n) - 1). -/
theorem induction_egyptian_fraction_recursion (s : ℕ → ℚ) (h₀ : s 0 = 3) (h₁ : ∀ n, s (n + 1) = s n * (s n - 1) + 1)
    (n : ℕ) : ∑ i ∈ Finset.range n, 1 / s i = 1 / 2 - 1 / (s n - 1) := by
  have hs : ∀ m, 3 ≤ s m := by
    intro m
    induction m with
    | zero => grind
    | succ m ih =>
      have := Rat.mul_nonneg (show (0 : ℚ) ≤ s m - 3 by grind) (show (0 : ℚ) ≤ s m - 1 by grind)
      grind
  induction n with
  | zero => rw [h₀, Finset.sum_range_zero]; decide +kernel
  | succ n ih =>
    have h := hs n
    have h1 : s n ≠ 0 := by grind
    have h2 : s n - 1 ≠ 0 := by grind
    rw [Finset.sum_range_succ, ih, h₁]
    grind

/-- test, level 3. For every n there is a natural number x such that 2^n divides 3x + 1. -/
theorem induction_two_pow_dvd_three_mul_add_one (n : ℕ) : ∃ x : ℕ, 2 ^ n ∣ 3 * x + 1 := by
  induction n with
  | zero => exact ⟨0, by decide⟩
  | succ n ih =>
    obtain ⟨x, c, hc⟩ := ih
    rcases Nat.even_or_odd c with ⟨d, hd⟩ | ⟨d, hd⟩
    · exact ⟨x, d, by rw [Nat.pow_succ]; grind⟩
    · exact ⟨x + 2 ^ n, d + 2, by rw [Nat.pow_succ]; grind⟩

/-- valid, level 3. For every rational x ≥ 0 and every natural n, (1 + x)^n ≥ 1 + nx + (n(n - 1)/2) x^2. -/
theorem induction_second_order_bernoulli (x : ℚ) (n : ℕ) (h₀ : 0 ≤ x) :
    1 + n * x + (n : ℚ) * (n - 1) / 2 * x ^ 2 ≤ (1 + x) ^ n := by
  induction n with
  | zero => grind
  | succ n ih =>
    have h := Rat.mul_nonneg (show (0 : ℚ) ≤ (1 + x) ^ n - (1 + n * x + (n : ℚ) * (n - 1) / 2 * x ^ 2) by grind)
      (show (0 : ℚ) ≤ 1 + x by grind)
    have h2 : (0 : ℚ) ≤ (n : ℚ) * (n - 1) := by
      cases n with
      | zero => decide +kernel
      | succ n =>
        rw [Rat.natCast_add]
        have := @Rat.natCast_nonneg n
        exact Rat.mul_nonneg (by grind) (by grind)
    have h3 := Rat.mul_nonneg h2 (Rat.mul_nonneg h₀ (Rat.mul_nonneg h₀ h₀))
    rw [Rat.pow_succ (1 + x) n, Rat.natCast_add]
    generalize (1 + x) ^ n = t at *
    generalize (n : ℚ) = m at *
    have e : ((1 : ℕ) : ℚ) = 1 := rfl
    rw [e, Rat.le_iff_sub_nonneg]
    have h4 : t * (1 + x) - (1 + (m + 1) * x + (m + 1) * (m + 1 - 1) / 2 * x ^ 2) =
      (t - (1 + m * x + m * (m - 1) / 2 * x ^ 2)) * (1 + x) + m * (m - 1) * (x * (x * x)) * (1 / 2) := by grind
    rw [h4]
    exact Rat.add_nonneg h (Rat.mul_nonneg h3 (by decide +kernel))

/-- test, level 3. For integers a(0), a(1), ... and every n, the sum of the partial sums a(0) + ... + a(i) over 0 ≤ i <
n equals the sum of (n - i) a(i) over 0 ≤ i < n. -/
theorem induction_sum_of_partial_sums (a : ℕ → ℤ) (n : ℕ) :
    ∑ i ∈ Finset.range n, ∑ j ∈ Finset.range (i + 1), a j = ∑ i ∈ Finset.range n, ((n : ℤ) - i) * a i := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have h : ∑ i ∈ Finset.range n, (((n + 1 : ℕ) : ℤ) - i) * a i =
        ∑ i ∈ Finset.range n, ((n : ℤ) - i) * a i + ∑ i ∈ Finset.range n, a i := by
      rw [← Finset.sum_add_distrib]
      exact Finset.sum_congr rfl fun i _ => by grind
    rw [Finset.sum_range_succ, ih, Finset.sum_range_succ, Finset.sum_range_succ, h]
    grind

/-- valid, level 3. For every n there is an integer x such that 7^n divides x^2 + x + 1. -/
theorem induction_cyclotomic_seven_adic (n : ℕ) : ∃ x : ℤ, 7 ^ n ∣ x ^ 2 + x + 1 := by
  have key : ∃ x : ℤ, x % 7 = 2 ∧ 7 ^ (n + 1) ∣ x ^ 2 + x + 1 := by
    induction n with
    | zero => exact ⟨2, by decide⟩
    | succ n ih =>
      obtain ⟨x, hx, c, hc⟩ := ih
      have e1 : (7 : ℤ) ^ (n + 1) = 7 ^ n * 7 := Int.pow_succ ..
      have e2 : (7 : ℤ) ^ (n + 1 + 1) = 7 ^ n * 7 * 7 := by rw [Int.pow_succ, e1]
      rw [e1] at hc
      rw [e2]
      generalize (7 : ℤ) ^ n = p at *
      obtain ⟨y, hy⟩ : ∃ y, x = 7 * y + 2 := ⟨x / 7, by omega⟩
      refine ⟨x + 28 * (p * c), by omega, c * (8 * y + 3) + 16 * p * c ^ 2, ?_⟩
      calc (x + 28 * (p * c)) ^ 2 + (x + 28 * (p * c)) + 1
          = (x ^ 2 + x + 1) + 28 * (p * c) * (2 * x + 1) + (28 * (p * c)) ^ 2 := by grind
        _ = p * 7 * 7 * (c * (8 * y + 3) + 16 * p * c ^ 2) := by rw [hc, hy]; grind
  obtain ⟨x, -, c, hc⟩ := key
  exact ⟨x, 7 * c, by grind⟩

/-- test, level 3. For every n, the sum of 1/(i + 1) over 0 ≤ i < 3^n is at least 1 + 2n/3 (over the rationals). -/
theorem induction_harmonic_sum_power_of_three (n : ℕ) :
    1 + 2 * (n : ℚ) / 3 ≤ ∑ i ∈ Finset.range (3 ^ n), 1 / ((i : ℚ) + 1) := by
  have third : ∀ t : ℚ, t ≠ 0 → 2 * t * (1 / (3 * t)) = 2 / 3 := by
    intro t ht
    grind
  have recip : ∀ a b : ℚ, 0 < b → b ≤ a → 1 / a ≤ 1 / b := by
    intro a b hb hab
    have ha : 0 < a := by grind
    have h1 := Rat.mul_nonneg (Rat.le_of_lt (Rat.mul_pos (Rat.inv_pos.2 ha) (Rat.inv_pos.2 hb)))
      (show 0 ≤ a - b by grind)
    have h2 := Rat.mul_inv_cancel a (by grind)
    have h3 := Rat.mul_inv_cancel b (by grind)
    have h4 : a⁻¹ * b⁻¹ * (a - b) = 1 / b - 1 / a := by
      rw [Rat.div_def, Rat.div_def]
      generalize a⁻¹ = c at *
      generalize b⁻¹ = d at *
      grind
    rw [h4] at h1
    grind
  have inner : ∀ m k : ℕ, k ≤ 2 * m → 0 < m →
      ∑ i ∈ Finset.range m, 1 / ((i : ℚ) + 1) + (k : ℚ) * (1 / (3 * m)) ≤
        ∑ i ∈ Finset.range (m + k), 1 / ((i : ℚ) + 1) := by
    intro m k hk hm
    induction k with
    | zero => simp; grind
    | succ k ih =>
      have h := ih (by omega)
      have hm' : (0 : ℚ) < m := by exact_mod_cast hm
      have hk' : (k : ℚ) + 1 ≤ 2 * m := by exact_mod_cast hk
      have hk0 : (0 : ℚ) ≤ k := Rat.natCast_nonneg
      have h2 := recip (3 * (m : ℚ)) ((m : ℚ) + k + 1) (by grind) (by grind)
      rw [show m + (k + 1) = m + k + 1 by omega, Finset.sum_range_succ, Rat.natCast_add, Rat.natCast_add]
      clear recip third ih
      generalize (1 / (3 * (m : ℚ))) = u at *
      generalize (∑ i ∈ Finset.range m, 1 / ((i : ℚ) + 1)) = S at *
      generalize (∑ i ∈ Finset.range (m + k), 1 / ((i : ℚ) + 1)) = T at *
      have e : ((1 : ℕ) : ℚ) = 1 := rfl
      rw [e]
      generalize 1 / ((m : ℚ) + k + 1) = v at *
      generalize (k : ℚ) = q at *
      grind
  induction n with
  | zero => decide +kernel
  | succ n ih =>
    have h := inner (3 ^ n) (2 * 3 ^ n) (Nat.le_refl _) (Nat.pow_pos (by decide))
    have h2 : ((3 ^ n : ℕ) : ℚ) ≠ 0 := by
      have : 3 ^ n ≠ 0 := Nat.pos_iff_ne_zero.1 (Nat.pow_pos (by decide))
      exact_mod_cast this
    rw [Rat.natCast_mul, show ((2 : ℕ) : ℚ) = 2 from rfl, third _ h2] at h
    rw [Nat.pow_succ, show 3 ^ n * 3 = 3 ^ n + 2 * 3 ^ n by omega, Rat.natCast_add]
    refine Rat.le_trans ?_ h
    clear inner h h2 third recip
    generalize (∑ i ∈ Finset.range (3 ^ n), 1 / ((i : ℚ) + 1)) = S at *
    grind

/-- valid, level 3. Let A(0) = 0, A(2n) = 3A(n) and A(2n + 1) = 3A(n) + 1 for all n, in the natural numbers. Then A(2^k
+ l) = 3^k + A(l) whenever 0 ≤ l < 2^k. -/
theorem induction_binary_read_in_base_three (A : ℕ → ℕ) (h₀ : A 0 = 0) (h₁ : ∀ n, A (2 * n) = 3 * A n)
    (h₂ : ∀ n, A (2 * n + 1) = 3 * A n + 1) (k l : ℕ) (h₃ : l < 2 ^ k) : A (2 ^ k + l) = 3 ^ k + A l := by
  induction k generalizing l with
  | zero =>
    have : l = 0 := by simpa using h₃
    subst this
    have h := h₂ 0
    simp [h₀] at *
    exact h
  | succ k ih =>
    have e2 := Nat.pow_succ 2 k
    have e3 := Nat.pow_succ 3 k
    rcases Nat.even_or_odd l with ⟨r, hr⟩ | ⟨r, hr⟩
    · have h := ih r (by omega)
      rw [show 2 ^ (k + 1) + l = 2 * (2 ^ k + r) by omega, h₁, h, show l = 2 * r by omega, h₁]
      omega
    · have h := ih r (by omega)
      rw [show 2 ^ (k + 1) + l = 2 * (2 ^ k + r) + 1 by omega, h₂, h, hr, h₂]
      omega

/-- test, level 3. For every n, the product of the rationals 1 - (1/2)^(i + 2) over 0 ≤ i < n is at least 1/2 + (1/2)^(n
+ 1). -/
theorem induction_product_stays_above_half (n : ℕ) :
    1 / 2 + (1 / 2) ^ (n + 1) ≤ ∏ i ∈ Finset.range n, (1 - (1 / 2 : ℚ) ^ (i + 2)) := by
  have pw : ∀ m : ℕ, 0 ≤ (1 / 2 : ℚ) ^ m ∧ (1 / 2 : ℚ) ^ m ≤ 1 := by
    intro m
    induction m with
    | zero => decide +kernel
    | succ m ih =>
      rw [Rat.pow_succ]
      generalize (1 / 2 : ℚ) ^ m = t at *
      grind
  induction n with
  | zero => decide +kernel
  | succ n ih =>
    have h := pw n
    rw [Finset.prod_range_succ]
    generalize (∏ i ∈ Finset.range n, (1 - (1 / 2 : ℚ) ^ (i + 2))) = P at *
    have e1 : (1 / 2 : ℚ) ^ (n + 1) = (1 / 2) ^ n * (1 / 2) := Rat.pow_succ ..
    have e2 : (1 / 2 : ℚ) ^ (n + 2) = (1 / 2) ^ n * (1 / 2) * (1 / 2) := by rw [Rat.pow_succ, e1]
    rw [show n + 1 + 1 = n + 2 by omega, e2]
    rw [e1] at ih
    generalize (1 / 2 : ℚ) ^ n = t at *
    have h1 := Rat.mul_nonneg (show 0 ≤ P - (1 / 2 + t * (1 / 2)) by grind)
      (show 0 ≤ 1 - t * (1 / 2) * (1 / 2) by grind)
    have h2 := Rat.mul_nonneg h.1 (show 0 ≤ 1 - t by grind)
    have h3 : P * (1 - t * (1 / 2) * (1 / 2)) - (1 / 2 + t * (1 / 2) * (1 / 2)) =
      (P - (1 / 2 + t * (1 / 2))) * (1 - t * (1 / 2) * (1 / 2)) + t * (1 - t) * (1 / 8) := by grind
    rw [Rat.le_iff_sub_nonneg, h3]
    exact Rat.add_nonneg h1 (Rat.mul_nonneg h2 (by decide +kernel))

/-- valid, level 3. The Fibonacci number F(n) is divisible by 5 exactly if n is divisible by 5. -/
theorem induction_five_dvd_fib_iff (n : ℕ) : 5 ∣ Nat.fib n ↔ 5 ∣ n := by
  have step : ∀ m, Nat.fib (m + 5) = 3 * Nat.fib m + 5 * Nat.fib (m + 1) := by
    intro m
    have h2 := @Nat.fib_add_two m
    have h3 := @Nat.fib_add_two (m + 1)
    have h4 := @Nat.fib_add_two (m + 2)
    have h5 := @Nat.fib_add_two (m + 3)
    grind
  have key : ∀ k r, 5 ∣ Nat.fib (5 * k + r) ↔ 5 ∣ Nat.fib r := by
    intro k r
    induction k with
    | zero => rw [Nat.mul_zero, Nat.zero_add]
    | succ k ih =>
      rw [show 5 * (k + 1) + r = 5 * k + r + 5 by omega, step]
      omega
  have h := key (n / 5) (n % 5)
  rw [show 5 * (n / 5) + n % 5 = n by omega] at h
  rw [h]
  have h5 : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
  rcases h5 with e | e | e | e | e <;> rw [e]
  · exact ⟨fun _ => by omega, fun _ => by decide⟩
  all_goals exact ⟨fun hd => absurd hd (by decide), fun hd => by omega⟩

/-- test, level 3. If 2m ≤ k(k + 1), then m is a sum of distinct numbers from 1 to k: there is a finite set s of natural
numbers between 1 and k whose sum is m. -/
theorem induction_subset_sums_fill_triangle (k m : ℕ) (h₀ : 2 * m ≤ k * (k + 1)) :
    ∃ s : Finset ℕ, (∀ i ∈ s, 1 ≤ i ∧ i ≤ k) ∧ ∑ i ∈ s, i = m := by
  induction k generalizing m with
  | zero => exact ⟨∅, by simp, by simp; omega⟩
  | succ k ih =>
    by_cases h : 2 * m ≤ k * (k + 1)
    · obtain ⟨s, hs, e⟩ := ih m h
      exact ⟨s, fun i hi => ⟨(hs i hi).1, by have := (hs i hi).2; omega⟩, e⟩
    · have e1 : (k + 1) * (k + 1 + 1) = k * (k + 1) + 2 * (k + 1) := by grind
      have hk : k + 1 ≤ m := by
        rcases Nat.lt_or_ge k 2 with h2 | h2
        · rcases (show k = 0 ∨ k = 1 by omega) with rfl | rfl <;> omega
        · have := Nat.mul_le_mul_right (k + 1) h2
          omega
      obtain ⟨s, hs, e⟩ := ih (m - (k + 1)) (by omega)
      have hn : ¬ k + 1 ∈ s := fun hm => by have := (hs _ hm).2; omega
      refine ⟨insert (k + 1) s, fun i hi => ?_, ?_⟩
      · rcases Finset.mem_insert.1 hi with rfl | hi
        · omega
        · have := hs i hi
          omega
      · rw [Finset.sum_insert hn, e]
        omega
