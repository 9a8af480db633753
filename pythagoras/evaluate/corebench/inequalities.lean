-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Inequalities over ℕ, ℤ and ℚ: squares, means, ordered numbers, bounds, and least and greatest values. -/

/-- valid, level 1. For rational a and b, show that a² + b² + 5 ≥ 2a + 4b. -/
theorem inequality_two_shifted_squares (a b : ℚ) : a ^ 2 + b ^ 2 + 5 ≥ 2 * a + 4 * b := by
  have h1 := sq_nonneg (a - 1)
  have h2 := sq_nonneg (b - 2)
  grind

/-- test, level 2. For integers a and b, show that a⁴ + b⁴ + 2 ≥ 4ab. -/
theorem inequality_quartics_plus_two (a b : ℤ) : 4 * a * b ≤ a ^ 4 + b ^ 4 + 2 := by
  have h1 := sq_nonneg (a ^ 2 - b ^ 2)
  have h2 := sq_nonneg (a * b - 1)
  grind

/-- valid, level 3. For nonnegative rational a and b, show that a³b² + a²b³ ≤ a⁵ + b⁵. -/
theorem inequality_fifth_powers (a b : ℚ) (h₀ : 0 ≤ a) (h₁ : 0 ≤ b) :
    a ^ 3 * b ^ 2 + a ^ 2 * b ^ 3 ≤ a ^ 5 + b ^ 5 := by
  have h2 : 0 ≤ a ^ 2 + a * b + b ^ 2 := by
    have := mul_nonneg h₀ h₁
    have := sq_nonneg a
    have := sq_nonneg b
    grind
  have h3 : 0 ≤ a + b := by grind
  have := mul_nonneg (mul_nonneg h3 (sq_nonneg (a - b))) h2
  grind

/-- test, level 2. For positive rational a and b, show that a + b ≤ a²/b + b²/a. -/
theorem inequality_squares_over_each_other (a b : ℚ) (h₀ : 0 < a) (h₁ : 0 < b) : a + b ≤ a ^ 2 / b + b ^ 2 / a := by
  have e : a ^ 2 / b + b ^ 2 / a - (a + b) = (a + b) * (a - b) ^ 2 * (a * b)⁻¹ := by grind
  have h2 : 0 < (a * b)⁻¹ := Rat.inv_pos.2 (mul_pos h₀ h₁)
  have h3 : 0 ≤ a + b := by grind
  have := mul_nonneg (mul_nonneg h3 (sq_nonneg (a - b))) (Rat.le_of_lt h2)
  grind

/-- valid, level 2. Show that 6 is the least value of x + 9/x for positive rational x. -/
theorem inequality_least_x_plus_nine_over_x : IsLeast {v : ℚ | ∃ x : ℚ, 0 < x ∧ v = x + 9 / x} 6 := by
  constructor
  · exact ⟨3, by decide +kernel, by decide +kernel⟩
  · rintro v ⟨x, hx, rfl⟩
    have e : x + 9 / x - 6 = (x - 3) ^ 2 * x⁻¹ := by grind
    have := mul_nonneg (sq_nonneg (x - 3)) (Rat.le_of_lt (Rat.inv_pos.2 hx))
    grind

/-- test, level 3. Nonnegative rational numbers a and b have sum 1. Show that ab² ≤ 4/27. -/
theorem inequality_a_b_squared_on_segment (a b : ℚ) (h₀ : 0 ≤ a) (h₁ : 0 ≤ b) (h₂ : a + b = 1) :
    a * b ^ 2 ≤ 4 / 27 := by
  have e : a = 1 - b := by grind
  subst e
  have := mul_nonneg (sq_nonneg (b - 2 / 3)) (show 0 ≤ b + 1 / 3 by grind)
  grind

/-- valid, level 2. Rational numbers a, b, c are the sides of a triangle: each is less than the sum of the other two.
Show that 3(ab + bc + ca) ≤ (a + b + c)² < 4(ab + bc + ca). -/
theorem inequality_triangle_square_of_perimeter (a b c : ℚ) (h₀ : a < b + c) (h₁ : b < c + a) (h₂ : c < a + b) :
    3 * (a * b + b * c + c * a) ≤ (a + b + c) ^ 2 ∧ (a + b + c) ^ 2 < 4 * (a * b + b * c + c * a) := by
  have ha : 0 < a := by grind
  have hb : 0 < b := by grind
  have hc : 0 < c := by grind
  constructor
  · have := sq_nonneg (a - b)
    have := sq_nonneg (b - c)
    have := sq_nonneg (c - a)
    grind
  · have := mul_pos ha (show 0 < b + c - a by grind)
    have := mul_pos hb (show 0 < c + a - b by grind)
    have := mul_pos hc (show 0 < a + b - c by grind)
    grind

/-- test, level 1. For rational x, y and z, show that the distance from x to z is at most the distance from x to y plus
the distance from y to z, and at least their difference. -/
theorem inequality_triangle_on_the_line (x y z : ℚ) :
    |x - z| ≤ |x - y| + |y - z| ∧ |x - y| - |y - z| ≤ |x - z| := by
  grind

/-- valid, level 2. Show that 2n² + 1 ≤ 3ⁿ for every natural number n. -/
theorem inequality_three_pow_beats_square (n : ℕ) : 2 * n ^ 2 + 1 ≤ 3 ^ n := by
  induction n with
  | zero => decide
  | succ n ih =>
    have : n ≤ n * n := Nat.le_mul_self n
    rw [Nat.pow_succ]
    grind

/-- test, level 2. For integers a < b < c, show that (a - b)² + (b - c)² + (c - a)² is at least 6. -/
theorem inequality_distinct_integers_spread (a b c : ℤ) (h₀ : a < b) (h₁ : b < c) :
    6 ≤ (a - b) ^ 2 + (b - c) ^ 2 + (c - a) ^ 2 := by
  obtain ⟨p, rfl⟩ : ∃ p, b = a + 1 + p := ⟨b - a - 1, by omega⟩
  obtain ⟨q, rfl⟩ : ∃ q, c = a + 1 + p + 1 + q := ⟨c - (a + 1 + p) - 1, by omega⟩
  have hp : 0 ≤ p := by omega
  have hq : 0 ≤ q := by omega
  have := mul_nonneg hp hq
  have := mul_nonneg hp hp
  have := mul_nonneg hq hq
  grind

/-- valid, level 2. Let a ≤ b ≤ c be rational numbers. Show that a²b + b²c + c²a ≤ ab² + bc² + ca². -/
theorem inequality_ordered_cyclic_cubics (a b c : ℚ) (h₀ : a ≤ b) (h₁ : b ≤ c) :
    a ^ 2 * b + b ^ 2 * c + c ^ 2 * a ≤ a * b ^ 2 + b * c ^ 2 + c * a ^ 2 := by
  have := mul_nonneg (mul_nonneg (show 0 ≤ b - a by grind) (show 0 ≤ c - b by grind)) (show 0 ≤ c - a by grind)
  grind

/-- test, level 3. Show that 3/2 is the least value of 1/x + 2/y for positive rational x and y with x + 2y = 6. -/
theorem inequality_least_reciprocals_on_line :
    IsLeast {v : ℚ | ∃ x y : ℚ, 0 < x ∧ 0 < y ∧ x + 2 * y = 6 ∧ v = 1 / x + 2 / y} (3 / 2) := by
  constructor
  · exact ⟨2, 2, by decide +kernel, by decide +kernel, by decide +kernel, by decide +kernel⟩
  · rintro v ⟨x, y, hx, hy, h, rfl⟩
    have e : 1 / x + 2 / y - 3 / 2 = 3 * (y - 2) ^ 2 * (x * y)⁻¹ := by grind
    have := mul_nonneg (sq_nonneg (y - 2)) (Rat.le_of_lt (Rat.inv_pos.2 (mul_pos hx hy)))
    grind

/-- valid, level 2. Show that 150 is the greatest product xy of natural numbers with 2x + 3y = 60. -/
theorem inequality_greatest_product_two_three : IsGreatest {p : ℕ | ∃ x y : ℕ, 2 * x + 3 * y = 60 ∧ p = x * y} 150 := by
  constructor
  · exact ⟨15, 10, rfl, rfl⟩
  · rintro p ⟨x, y, h, rfl⟩
    obtain ⟨t, rfl⟩ : ∃ t, y = 2 * t := ⟨y / 2, by omega⟩
    have ht : t ≤ 10 := by omega
    obtain rfl : x = 30 - 3 * t := by omega
    have : ∀ t : ℕ, t < 11 → (30 - 3 * t) * (2 * t) ≤ 150 := by decide
    exact this t (by omega)

/-- valid, level 1. Show that 15 is the least integer whose sevenfold is greater than 100. -/
theorem inequality_least_seven_times_over_hundred : IsLeast {x : ℤ | 100 < 7 * x} 15 := by
  constructor
  · show (100 : ℤ) < 7 * 15
    decide
  · intro x (hx : 100 < 7 * x)
    omega

/-- test, level 1. For a rational number x with 0 < x < 1, show that x³ < x². -/
theorem inequality_cube_below_square (x : ℚ) (h₀ : 0 < x) (h₁ : x < 1) : x ^ 3 < x ^ 2 := by
  have := mul_pos (mul_pos h₀ h₀) (show 0 < 1 - x by grind)
  grind

/-- valid, level 1. For rational a < b, show that a < (2a + b)/3 < (a + 2b)/3 < b. -/
theorem inequality_points_of_trisection (a b : ℚ) (h₀ : a < b) :
    a < (2 * a + b) / 3 ∧ (2 * a + b) / 3 < (a + 2 * b) / 3 ∧ (a + 2 * b) / 3 < b := by
  grind

/-- test, level 1. For integers a, b, c, show that three times the smallest is at most a + b + c, which is at most
three times the largest. -/
theorem inequality_min_mean_max (a b c : ℤ) :
    3 * min a (min b c) ≤ a + b + c ∧ a + b + c ≤ 3 * max a (max b c) := by
  omega

/-- valid, level 1. Show that 5 is the least value of |x - 1| + |x - 4| + |x - 6| for rational x. -/
theorem inequality_least_sum_of_distances : IsLeast {v : ℚ | ∃ x : ℚ, v = |x - 1| + |x - 4| + |x - 6|} 5 := by
  constructor
  · exact ⟨4, by decide +kernel⟩
  · rintro v ⟨x, rfl⟩
    grind

/-- test, level 1. Show that 6 is the greatest value of min(x + 4, 10 - 2x) for integer x. -/
theorem inequality_greatest_of_a_minimum : IsGreatest {v : ℤ | ∃ x : ℤ, v = min (x + 4) (10 - 2 * x)} 6 := by
  constructor
  · exact ⟨2, by decide⟩
  · rintro v ⟨x, rfl⟩
    omega

/-- valid, level 1. Integers a and b have sum 20. Show that ab ≤ 100, with equality only for a = b = 10. -/
theorem inequality_product_with_sum_twenty (a b : ℤ) (h₀ : a + b = 20) :
    a * b ≤ 100 ∧ (a * b = 100 → a = 10 ∧ b = 10) := by
  obtain rfl : b = 20 - a := by omega
  have := sq_nonneg (a - 10)
  refine ⟨by grind, fun h => ?_⟩
  have e : (a - 10) * (a - 10) = 0 := by grind
  rcases Int.mul_eq_zero.1 e with h | h <;> omega

/-- test, level 1. For every natural number n ≥ 3, show that 2n + 1 < n². -/
theorem inequality_square_beats_line (n : ℕ) (h₀ : 3 ≤ n) : 2 * n + 1 < n ^ 2 := by
  obtain ⟨k, rfl⟩ : ∃ k, n = k + 3 := ⟨n - 3, by omega⟩
  grind

/-- test, level 2. Show that 2 is the least value of x² - 4xy + 5y² - 6y + 11 for rational x and y. -/
theorem inequality_least_of_quadratic_form :
    IsLeast {v : ℚ | ∃ x y : ℚ, v = x ^ 2 - 4 * x * y + 5 * y ^ 2 - 6 * y + 11} 2 := by
  constructor
  · exact ⟨6, 3, by decide +kernel⟩
  · rintro v ⟨x, y, rfl⟩
    have := sq_nonneg (x - 2 * y)
    have := sq_nonneg (y - 3)
    grind

/-- test, level 2. Show that 2 is the least value of |20m - 15n + 7| for integers m and n. -/
theorem inequality_least_distance_to_lattice : IsLeast {d : ℤ | ∃ m n : ℤ, d = |20 * m - 15 * n + 7|} 2 := by
  constructor
  · exact ⟨-1, -1, by decide⟩
  · rintro d ⟨m, n, rfl⟩
    rcases abs_cases (20 * m - 15 * n + 7) with ⟨h, _⟩ | ⟨h, _⟩ <;> rw [h] <;> omega

/-- valid, level 3. Let x, y, z be rational numbers between -1 and 1. Show that |x + y + z - xyz| ≤ 2. -/
theorem inequality_sum_minus_product_on_cube (x y z : ℚ) (h₀ : x ∈ Set.Icc (-1) 1) (h₁ : y ∈ Set.Icc (-1) 1)
    (h₂ : z ∈ Set.Icc (-1) 1) : |x + y + z - x * y * z| ≤ 2 := by
  obtain ⟨a, a'⟩ := h₀
  obtain ⟨b, b'⟩ := h₁
  obtain ⟨c, c'⟩ := h₂
  have ha : 0 ≤ 1 + x := by grind
  have hb : 0 ≤ 1 + y := by grind
  have hc : 0 ≤ 1 + z := by grind
  have ha' : 0 ≤ 1 - x := by grind
  have hb' : 0 ≤ 1 - y := by grind
  have hc' : 0 ≤ 1 - z := by grind
  have p1 := mul_nonneg (mul_nonneg ha hb) hc
  have p2 := mul_nonneg (mul_nonneg ha hb) hc'
  have p3 := mul_nonneg (mul_nonneg ha hb') hc
  have p4 := mul_nonneg (mul_nonneg ha' hb) hc
  have p5 := mul_nonneg (mul_nonneg ha' hb') hc'
  have p6 := mul_nonneg (mul_nonneg ha' hb') hc
  have p7 := mul_nonneg (mul_nonneg ha' hb) hc'
  have p8 := mul_nonneg (mul_nonneg ha hb') hc'
  rw [abs_le]
  constructor <;> grind

/-- valid, level 3. A sequence of integers has a₀ ≥ 1 and aᵢ₊₁ ≥ aᵢ + 2 for all i. Show that the sum of its first n
terms is at least n². -/
theorem inequality_sum_of_sparse_sequence (a : ℕ → ℤ) (h₀ : 1 ≤ a 0) (h₁ : ∀ i, a i + 2 ≤ a (i + 1)) (n : ℕ) :
    (n : ℤ) ^ 2 ≤ ∑ i ∈ Finset.range n, a i := by
  have key : ∀ i : ℕ, 2 * (i : ℤ) + 1 ≤ a i := by
    intro i
    induction i with
    | zero => exact h₀
    | succ i ih =>
      have := h₁ i
      omega
  induction n with
  | zero => exact Int.le_refl 0
  | succ n ih =>
    have h := key n
    rw [Finset.sum_range_succ, Int.natCast_add, Int.natCast_one, pow_two, Int.add_mul, Int.mul_add]
    rw [pow_two] at ih
    omega

/-- valid, level 3. Show that 13 is the greatest value of 5x + 12y for rational x and y with x² + y² = 1. -/
theorem inequality_greatest_linear_on_circle :
    IsGreatest {v : ℚ | ∃ x y : ℚ, x ^ 2 + y ^ 2 = 1 ∧ v = 5 * x + 12 * y} 13 := by
  constructor
  · exact ⟨5 / 13, 12 / 13, by decide +kernel, by decide +kernel⟩
  · rintro v ⟨x, y, h, rfl⟩
    have := sq_nonneg (x - 5 / 13)
    have := sq_nonneg (y - 12 / 13)
    grind

/-- test, level 3. Show that 294 is the greatest product of three natural numbers with sum 20. -/
theorem inequality_greatest_product_sum_twenty :
    IsGreatest {p : ℕ | ∃ a b c : ℕ, a + b + c = 20 ∧ p = a * b * c} 294 := by
  constructor
  · exact ⟨6, 7, 7, rfl, rfl⟩
  · rintro p ⟨a, b, c, h, rfl⟩
    have key : ∀ a : ℕ, a < 21 → ∀ b : ℕ, b < 21 → a * b * (20 - a - b) ≤ 294 := by decide +kernel
    have := key a (by omega) b (by omega)
    rwa [show c = 20 - a - b by omega]

/-- test, level 3. Show that the sum of (2i + 1)/3ⁱ over all natural numbers i < n is less than 3, for every n. -/
theorem inequality_sum_odd_over_three_pow (n : ℕ) : ∑ i ∈ Finset.range n, (2 * (i : ℚ) + 1) / 3 ^ i < 3 := by
  have hp : ∀ n : ℕ, (0 : ℚ) < 3 ^ n := fun n => Rat.pow_pos (by decide +kernel)
  have key : ∑ i ∈ Finset.range n, (2 * (i : ℚ) + 1) / 3 ^ i = 3 - 3 * (n + 1) / 3 ^ n := by
    induction n with
    | zero => decide +kernel
    | succ n ih =>
      rw [Finset.sum_range_succ, ih, Rat.pow_succ, Rat.natCast_add]
      have := hp n
      have : (3 : ℚ) ^ n ≠ 0 := by grind
      have : ((1 : ℕ) : ℚ) = 1 := rfl
      grind
  rw [key]
  have h1 : (0 : ℚ) ≤ n := Rat.natCast_nonneg
  have := mul_pos (show (0 : ℚ) < 3 * (n + 1) by grind) (Rat.inv_pos.2 (hp n))
  grind

/-- test, level 3. For rational x and y, show that x² + xy + y² ≥ 3(x + y - 1), with equality only for x = y = 1. -/
theorem inequality_shifted_norm_form (x y : ℚ) :
    3 * (x + y - 1) ≤ x ^ 2 + x * y + y ^ 2 ∧ (x ^ 2 + x * y + y ^ 2 = 3 * (x + y - 1) → x = 1 ∧ y = 1) := by
  have h1 := sq_nonneg (2 * (x - 1) + (y - 1))
  have h2 := sq_nonneg (y - 1)
  refine ⟨by grind, fun h => ?_⟩
  have e1 : (y - 1) ^ 2 = 0 := Rat.le_antisymm (by grind) h2
  have e2 : (2 * (x - 1) + (y - 1)) ^ 2 = 0 := Rat.le_antisymm (by grind) h1
  have : y - 1 = 0 := by grind
  have : 2 * (x - 1) + (y - 1) = 0 := by grind
  grind

/-- valid, level 3. Show that 12 is the least value of x² + 16/x for positive rational x. -/
theorem inequality_least_square_plus_reciprocal : IsLeast {v : ℚ | ∃ x : ℚ, 0 < x ∧ v = x ^ 2 + 16 / x} 12 := by
  constructor
  · exact ⟨2, by decide +kernel, by decide +kernel⟩
  · rintro v ⟨x, hx, rfl⟩
    have e : x ^ 2 + 16 / x - 12 = (x - 2) ^ 2 * (x + 4) * x⁻¹ := by grind
    have := mul_nonneg (mul_nonneg (sq_nonneg (x - 2)) (show 0 ≤ x + 4 by grind)) (Rat.le_of_lt (Rat.inv_pos.2 hx))
    grind
