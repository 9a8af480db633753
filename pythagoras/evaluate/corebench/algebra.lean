-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Algebra: equations and systems over ℕ, ℤ and ℚ, identities, word problems, absolute values and floors. -/

/-- valid, level 1. A jacket costs 80 coins. It is reduced by a quarter, then a tax of one tenth of the reduced price
is added, and finally a coupon of 6 coins is used. Show that 60 coins are paid. -/
theorem algebra_jacket_discount_tax_coupon :
    let price : ℚ := 80
    let reduced := price - price / 4
    let taxed := reduced + reduced / 10
    taxed - 6 = 60 := by
  grind

/-- test, level 1. A traveller spends half of her coins and one more, then a third of what is left and two more, and
then has 10 coins. Show that she had 38 coins in the beginning. -/
theorem algebra_traveller_coins (x : ℚ)
    (h₀ : let a := x - (x / 2 + 1)
          let b := a - (a / 3 + 2)
          b = 10) : x = 38 := by
  grind

/-- test, level 2. Positive integers x, y, z satisfy xy + z = 20 and x + yz = 13. Show that x = 9 and y = z = 2. -/
theorem algebra_two_mixed_products (x y z : ℤ) (h₀ : 0 < x ∧ 0 < y ∧ 0 < z) (h₁ : x * y + z = 20)
    (h₂ : x + y * z = 13) : x = 9 ∧ y = 2 ∧ z = 2 := by
  have e : (y - 1) * (x - z) = 7 := by grind
  have hd : y - 1 ≤ 7 := Int.le_of_dvd (by decide) ⟨_, e.symm⟩
  have : y = 1 ∨ y = 2 ∨ y = 3 ∨ y = 4 ∨ y = 5 ∨ y = 6 ∨ y = 7 ∨ y = 8 := by omega
  rcases this with rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl <;> omega

/-- valid, level 3. Find all pairs of natural numbers whose squares differ by 45: x² = y² + 45 holds exactly for
(7, 2), (9, 6) and (23, 22). -/
theorem algebra_squares_differ_by_fortyfive (x y : ℕ) :
    x ^ 2 = y ^ 2 + 45 ↔ (x = 7 ∧ y = 2) ∨ (x = 9 ∧ y = 6) ∨ (x = 23 ∧ y = 22) := by
  constructor
  · intro h
    have hxy : y < x := by
      refine Nat.lt_of_not_le fun hle => ?_
      have := Nat.mul_le_mul hle hle
      grind
    obtain ⟨d, rfl⟩ : ∃ d, x = y + d := ⟨x - y, by omega⟩
    have e : d * (2 * y + d) = 45 := by grind
    have hd : d ≤ 6 := by
      refine Nat.le_of_not_lt fun h7 => ?_
      have := Nat.mul_le_mul h7 (show 7 ≤ 2 * y + d by omega)
      omega
    have : d = 0 ∨ d = 1 ∨ d = 2 ∨ d = 3 ∨ d = 4 ∨ d = 5 ∨ d = 6 := by omega
    rcases this with rfl | rfl | rfl | rfl | rfl | rfl | rfl <;> omega
  · rintro (⟨rfl, rfl⟩ | ⟨rfl, rfl⟩ | ⟨rfl, rfl⟩) <;> rfl

/-- valid, level 3. Show that no positive rational number x satisfies x⌊x⌋ = 15. -/
theorem algebra_x_floor_x_never_fifteen (x : ℚ) (h₀ : 0 < x) : x * (⌊x⌋ : ℚ) ≠ 15 := by
  intro h
  obtain ⟨h1, h2⟩ := Int.floor_eq_iff.1 (rfl : ⌊x⌋ = ⌊x⌋)
  generalize ⌊x⌋ = n at *
  have hn : 0 ≤ n := by
    refine Int.not_lt.1 fun hneg => ?_
    have : (n : ℚ) ≤ ((-1 : ℤ) : ℚ) := Rat.intCast_le_intCast.2 (by omega)
    grind
  have hn' : n ≤ 3 := by
    refine Int.not_lt.1 fun hbig => ?_
    have h4 : ((4 : ℤ) : ℚ) ≤ n := Rat.intCast_le_intCast.2 (by omega)
    have := mul_nonneg (show (0 : ℚ) ≤ n - 4 by grind) (show (0 : ℚ) ≤ x - 4 by grind)
    grind
  have : n = 0 ∨ n = 1 ∨ n = 2 ∨ n = 3 := by omega
  rcases this with rfl | rfl | rfl | rfl <;> grind

/-- test, level 1. For a rational number x, show that the distances from x to -2 and to 3 add up to 5 exactly when x
lies between -2 and 3. -/
theorem algebra_abs_sum_equals_gap (x : ℚ) : |x + 2| + |x - 3| = 5 ↔ -2 ≤ x ∧ x ≤ 3 := by
  grind

/-- valid, level 2. Solve ||x| - 3| = 1 over the integers: the set of solutions is {-4, -2, 2, 4}. -/
theorem algebra_nested_abs_solutions : {x : ℤ | |(|x| - 3)| = 1} = {-4, -2, 2, 4} := by
  ext x
  simp only [Set.mem_setOf_eq, Set.mem_insert_iff, Set.mem_singleton_iff]
  grind

/-- test, level 2. Show that for every n ≥ 1 the number n⁴ + 5n² + 9 is a product of two different factors that are
both greater than 1. -/
theorem algebra_quartic_trinomial_splits (n : ℕ) (h₀ : 1 ≤ n) :
    ∃ a b : ℕ, 1 < a ∧ a < b ∧ a * b = n ^ 4 + 5 * n ^ 2 + 9 := by
  obtain ⟨k, rfl⟩ : ∃ k, n = k + 1 := ⟨n - 1, by omega⟩
  refine ⟨(k + 1) * k + 3, (k + 1) * (k + 2) + 3, ?_, ?_, ?_⟩ <;> grind

/-- valid, level 2. Positive integers x, y, z satisfy x + y = z², y + z = x² and z + x = y². Show that all three are
2. -/
theorem algebra_cyclic_sums_are_squares (x y z : ℤ) (h₀ : 0 < x ∧ 0 < y ∧ 0 < z)
    (h₁ : x + y = z ^ 2) (h₂ : y + z = x ^ 2) (h₃ : z + x = y ^ 2) : x = 2 ∧ y = 2 ∧ z = 2 := by
  obtain ⟨hx, hy, hz⟩ := h₀
  have e1 : (x - z) * (x + z + 1) = 0 := by grind
  have e2 : (y - z) * (y + z + 1) = 0 := by grind
  have : x = z := by rcases Int.mul_eq_zero.1 e1 with h | h <;> omega
  have : y = z := by rcases Int.mul_eq_zero.1 e2 with h | h <;> omega
  have e3 : z * (z - 2) = 0 := by grind
  rcases Int.mul_eq_zero.1 e3 with h | h <;> omega

/-- test, level 3. Rational numbers satisfy x² + y² + z² = xy + yz + zx and x + 2y + 3z = 12. Show that each of them is
2. -/
theorem algebra_equal_by_sum_of_squares (x y z : ℚ) (h₀ : x ^ 2 + y ^ 2 + z ^ 2 = x * y + y * z + z * x)
    (h₁ : x + 2 * y + 3 * z = 12) : x = 2 ∧ y = 2 ∧ z = 2 := by
  have a := sq_nonneg (x - y)
  have b := sq_nonneg (y - z)
  have c := sq_nonneg (z - x)
  have e1 : (x - y) ^ 2 = 0 := Rat.le_antisymm (by grind) a
  have e2 : (y - z) ^ 2 = 0 := Rat.le_antisymm (by grind) b
  have e3 : x - y = 0 := by grind
  have e4 : y - z = 0 := by grind
  grind

/-- valid, level 2. Find all integer solutions of x² + 2xy + 2y² - 4y + 4 = 0: only x = -2, y = 2. -/
theorem algebra_two_hidden_squares (x y : ℤ) : x ^ 2 + 2 * x * y + 2 * y ^ 2 - 4 * y + 4 = 0 ↔ x = -2 ∧ y = 2 := by
  constructor
  · intro h
    have a := sq_nonneg (x + y)
    have b := sq_nonneg (y - 2)
    have e1 : (y - 2) ^ 2 = 0 := Int.le_antisymm (by grind) b
    have e2 : (x + y) ^ 2 = 0 := Int.le_antisymm (by grind) a
    rw [pow_two, Int.mul_eq_zero] at e1 e2
    omega
  · rintro ⟨rfl, rfl⟩
    rfl

/-- test, level 2. Show that exactly one rational number x satisfies (x - 1)² + (x - 3)² = 2. -/
theorem algebra_unique_double_root : ∃! x : ℚ, (x - 1) ^ 2 + (x - 3) ^ 2 = 2 := by
  refine ⟨2, by grind, fun y hy => ?_⟩
  have : (y - 2) ^ 2 = 0 := by grind
  grind

/-- valid, level 3. Integers a and b satisfy a² = ab + b². Show that both are zero. -/
theorem algebra_golden_form_only_zero (a b : ℤ) (h₀ : a ^ 2 = a * b + b ^ 2) : a = 0 ∧ b = 0 := by
  have key : ∀ n : ℕ, ∀ a b : ℤ, a.natAbs + b.natAbs ≤ n → a ^ 2 = a * b + b ^ 2 → a = 0 ∧ b = 0 := by
    intro n
    induction n with
    | zero => intro a b h _; omega
    | succ n ih =>
      intro a b hn h
      have e : a * a = a * b + b * b := by grind
      have e2 : (a * a) % 2 = (a * b + b * b) % 2 := by rw [e]
      have hab : a % 2 = 0 ∧ b % 2 = 0 := by
        rw [Int.mul_emod, Int.add_emod, Int.mul_emod a b, Int.mul_emod b b] at e2
        rcases Int.emod_two_eq a with ha | ha <;> rcases Int.emod_two_eq b with hb | hb <;>
          simp [ha, hb] at e2 ⊢
      obtain ⟨c, rfl⟩ : ∃ c, a = 2 * c := ⟨a / 2, by omega⟩
      obtain ⟨d, rfl⟩ : ∃ d, b = 2 * d := ⟨b / 2, by omega⟩
      by_cases h0 : c = 0 ∧ d = 0
      · omega
      · have := ih c d (by omega) (by grind)
        omega
  exact key _ a b (Nat.le_refl _) h₀

/-- valid, level 1. Three painters who work at steady rates need a, b and c days for a house alone. The first and the
second together need 12/5 days, the second and the third 3 days, the first and the third 4 days. Show that a = 6, b = 4
and c = 12. -/
theorem algebra_three_painters (a b c : ℚ) (h₀ : 1 / a + 1 / b = 5 / 12) (h₁ : 1 / b + 1 / c = 1 / 3)
    (h₂ : 1 / a + 1 / c = 1 / 4) : a = 6 ∧ b = 4 ∧ c = 12 := by
  grind

/-- test, level 3. Nonzero rational numbers satisfy a / b = b / c = c / a. Show that a = b and b = c. -/
theorem algebra_cyclic_ratios_equal (a b c : ℚ) (ha : a ≠ 0) (hb : b ≠ 0) (hc : c ≠ 0)
    (h₀ : a / b = b / c) (h₁ : b / c = c / a) : a = b ∧ b = c := by
  have e1 : a * c = b ^ 2 := by grind
  have e2 : a * b = c ^ 2 := by grind
  have e3 : (b - c) * (b ^ 2 + b * c + c ^ 2) = 0 := by grind
  have p : 0 < b ^ 2 + b * c + c ^ 2 := by
    have h1 := sq_nonneg (2 * b + c)
    have h2 := sq_nonneg c
    have h3 : c ^ 2 ≠ 0 := by grind
    have h4 : 0 < c ^ 2 := by grind
    grind
  have q : b ^ 2 + b * c + c ^ 2 ≠ 0 := by grind
  have : b - c = 0 := (Rat.mul_eq_zero.1 e3).resolve_right q
  grind

/-- valid, level 3. The distinct nonzero rational numbers x, y, z satisfy x + 4/y = y + 4/z = z + 4/x. Show that
(xyz)² = 64. -/
theorem algebra_cyclic_four_over (x y z : ℚ) (hx : x ≠ 0) (hy : y ≠ 0) (hz : z ≠ 0) (hxy : x ≠ y) (hyz : y ≠ z)
    (hzx : z ≠ x) (h₀ : x + 4 / y = y + 4 / z) (h₁ : y + 4 / z = z + 4 / x) : (x * y * z) ^ 2 = 64 := by
  grind

/-- test, level 2. The integer x satisfies ⌊x/2⌋ + ⌊x/3⌋ = x exactly when x is one of 0, -2, -3, -4, -5, -7 (the
quotients are integer division, rounding down). -/
theorem algebra_half_plus_third_rounded (x : ℤ) :
    x / 2 + x / 3 = x ↔ x ∈ ({0, -2, -3, -4, -5, -7} : Set ℤ) := by
  simp only [Set.mem_insert_iff, Set.mem_singleton_iff]
  omega

/-- valid, level 1. Show that the two-digit numbers that equal four times the sum of their digits are 12, 24, 36 and
48. -/
theorem algebra_four_times_digit_sum :
    {n : ℕ | 10 ≤ n ∧ n < 100 ∧ n = 4 * (n / 10 + n % 10)} = {12, 24, 36, 48} := by
  ext n
  simp only [Set.mem_setOf_eq, Set.mem_insert_iff, Set.mem_singleton_iff]
  omega

/-- test, level 2. Start with a rational number x other than 0, 1, -1 and replace a number t by (t - 1)/(t + 1) again
and again. Show that after four steps the number is x again. -/
theorem algebra_moebius_period_four (x : ℚ) (h₀ : x ≠ 0) (h₁ : x ≠ 1) (h₂ : x ≠ -1) :
    let y := (x - 1) / (x + 1)
    let z := (y - 1) / (y + 1)
    let w := (z - 1) / (z + 1)
    (w - 1) / (w + 1) = x := by
  intro y z w
  have hx : x + 1 ≠ 0 := by grind
  have hy : y * (x + 1) = x - 1 := by grind
  have hz : z = -1 / x := by
    have : y + 1 ≠ 0 := by grind
    grind
  have hw : w * (x - 1) = -(x + 1) := by
    have : z + 1 ≠ 0 := by grind
    grind
  have : w + 1 ≠ 0 := by grind
  grind

/-- valid, level 2. For rational a, b, c put u = (a - b)/(1 + ab), v = (b - c)/(1 + bc), w = (c - a)/(1 + ca), where no
denominator is zero. Show that u + v + w = uvw. -/
theorem algebra_tangent_differences (a b c u v w : ℚ) (h₀ : 1 + a * b ≠ 0) (h₁ : 1 + b * c ≠ 0) (h₂ : 1 + c * a ≠ 0)
    (h₃ : u = (a - b) / (1 + a * b)) (h₄ : v = (b - c) / (1 + b * c)) (h₅ : w = (c - a) / (1 + c * a)) :
    u + v + w = u * v * w := by
  grind

/-- test, level 1. The sum of eight consecutive natural numbers, the first of which is n, is 100 exactly when n = 9. -/
theorem algebra_eight_consecutive_hundred (n : ℕ) : ∑ i ∈ Finset.range 8, (n + i) = 100 ↔ n = 9 := by
  simp only [Finset.sum_range_succ, Finset.sum_range_zero]
  omega

/-- valid, level 3. Let k be an integer. Show that x² - kx + k + 5 = 0 has an integer root x exactly when k is -5, -3,
7 or 9. -/
theorem algebra_quadratic_parameter_integer_root (k : ℤ) :
    (∃ x : ℤ, x ^ 2 - k * x + k + 5 = 0) ↔ k = -5 ∨ k = -3 ∨ k = 7 ∨ k = 9 := by
  constructor
  · rintro ⟨x, h⟩
    have e : (x - 1) * (k - x - 1) = 6 := by grind
    have hd : x - 1 ∣ 6 := ⟨_, e.symm⟩
    have h1 : x - 1 ≤ 6 := Int.le_of_dvd (by omega) hd
    have h2 : -(x - 1) ≤ 6 := Int.le_of_dvd (by omega) (Int.neg_dvd.2 hd)
    have : x = -5 ∨ x = -4 ∨ x = -3 ∨ x = -2 ∨ x = -1 ∨ x = 0 ∨ x = 1 ∨ x = 2 ∨ x = 3 ∨ x = 4 ∨ x = 5 ∨ x = 6 ∨
      x = 7 := by omega
    clear hd h1 h2
    rcases this with rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl <;> omega
  · rintro (rfl | rfl | rfl | rfl)
    · exact ⟨0, by decide⟩
    · exact ⟨-1, by decide⟩
    · exact ⟨3, by decide⟩
    · exact ⟨2, by decide⟩

/-- test, level 3. For a rational number m, show that x² + mx + 4 is nonnegative for every rational x exactly when
m² ≤ 16. -/
theorem algebra_quadratic_always_nonneg (m : ℚ) : (∀ x : ℚ, 0 ≤ x ^ 2 + m * x + 4) ↔ m ^ 2 ≤ 16 := by
  constructor
  · intro h
    have := h (-m / 2)
    grind
  · intro h x
    have := sq_nonneg (2 * x + m)
    grind

/-- valid, level 2. Show that there are rational numbers A and B such that (5x + 1)/((x - 1)(x + 2)) = A/(x - 1) +
B/(x + 2) for every rational x other than 1 and -2. -/
theorem algebra_partial_fractions : ∃ A B : ℚ, ∀ x : ℚ, x ≠ 1 → x ≠ -2 →
    (5 * x + 1) / ((x - 1) * (x + 2)) = A / (x - 1) + B / (x + 2) := by
  refine ⟨2, 3, fun x h1 h2 => ?_⟩
  have : x - 1 ≠ 0 := by grind
  have : x + 2 ≠ 0 := by grind
  grind

/-- test, level 2. Show that for all integers a and b the number a⁴ + b⁴ + (a - b)⁴ is twice a perfect square. -/
theorem algebra_fourth_powers_twice_square (a b : ℤ) : ∃ k : ℤ, a ^ 4 + b ^ 4 + (a - b) ^ 4 = 2 * k ^ 2 := by
  exact ⟨a ^ 2 - a * b + b ^ 2, by grind⟩

/-- valid, level 2. Rational numbers x > y with positive sum satisfy x² + y² = 29 and xy = 10. Show that x = 5 and
y = 2. -/
theorem algebra_sum_squares_and_product (x y : ℚ) (h₀ : y < x) (h₁ : 0 < x + y) (h₂ : x ^ 2 + y ^ 2 = 29)
    (h₃ : x * y = 10) : x = 5 ∧ y = 2 := by
  have e1 : (x + y - 7) * (x + y + 7) = 0 := by grind
  have e2 : (x - y - 3) * (x - y + 3) = 0 := by grind
  have n1 : x + y + 7 ≠ 0 := by grind
  have n2 : x - y + 3 ≠ 0 := by grind
  have e3 := (Rat.mul_eq_zero.1 e1).resolve_right n1
  have e4 := (Rat.mul_eq_zero.1 e2).resolve_right n2
  grind

/-- test, level 3. Integers x and y satisfy x³ + 3xy² = 14 and 3x²y + y³ = 13. Show that x = 2 and y = 1. -/
theorem algebra_cubic_system_add_subtract (x y : ℤ) (h₀ : x ^ 3 + 3 * x * y ^ 2 = 14)
    (h₁ : 3 * x ^ 2 * y + y ^ 3 = 13) : x = 2 ∧ y = 1 := by
  have e1 : (x + y) ^ 3 = 27 := by grind
  have e2 : (x - y) ^ 3 = 1 := by grind
  have f1 : (x + y - 3) * ((x + y) ^ 2 + 3 * (x + y) + 9) = 0 := by grind
  have f2 : (x - y - 1) * ((x - y) ^ 2 + (x - y) + 1) = 0 := by grind
  have p1 := sq_nonneg (2 * (x + y) + 3)
  have p2 := sq_nonneg (2 * (x - y) + 1)
  have g1 : x + y - 3 = 0 := (Int.mul_eq_zero.1 f1).resolve_right (by grind)
  have g2 : x - y - 1 = 0 := (Int.mul_eq_zero.1 f2).resolve_right (by grind)
  omega

/-- valid, level 3. Positive rational numbers x and y satisfy x³ + 8y³ + 27 = 18xy. Show that x = 3 and y = 3/2. -/
theorem algebra_cubes_equal_triple_product (x y : ℚ) (h₀ : 0 < x) (h₁ : 0 < y)
    (h₂ : x ^ 3 + 8 * y ^ 3 + 27 = 18 * x * y) : x = 3 ∧ y = 3 / 2 := by
  have e : (x + 2 * y + 3) * ((x - 2 * y) ^ 2 + (x - 3) ^ 2 + (2 * y - 3) ^ 2) = 0 := by grind
  have n : x + 2 * y + 3 ≠ 0 := by grind
  have s := (Rat.mul_eq_zero.1 e).resolve_left n
  have a := sq_nonneg (x - 2 * y)
  have b := sq_nonneg (x - 3)
  have c := sq_nonneg (2 * y - 3)
  have e1 : (x - 3) ^ 2 = 0 := Rat.le_antisymm (by grind) b
  have e2 : (2 * y - 3) ^ 2 = 0 := Rat.le_antisymm (by grind) c
  have : x - 3 = 0 := by grind
  have : 2 * y - 3 = 0 := by grind
  grind

/-- test, level 3. Natural numbers 0 < x ≤ y ≤ z satisfy xyz = 2(x + y + z). Show that (x, y, z) is (1, 3, 8),
(1, 4, 5) or (2, 2, 4). -/
theorem algebra_product_is_twice_sum (x y z : ℕ) (h₀ : 0 < x) (h₁ : x ≤ y) (h₂ : y ≤ z)
    (h₃ : x * y * z = 2 * (x + y + z)) :
    (x = 1 ∧ y = 3 ∧ z = 8) ∨ (x = 1 ∧ y = 4 ∧ z = 5) ∨ (x = 2 ∧ y = 2 ∧ z = 4) := by
  have hxy : x * y ≤ 6 := by
    refine Nat.le_of_not_lt fun h => ?_
    have := Nat.mul_le_mul_right z h
    omega
  have hx : x ≤ 2 := by
    refine Nat.le_of_not_lt fun h => ?_
    have := Nat.mul_le_mul h (Nat.le_trans h h₁)
    omega
  have hy : y ≤ 6 := Nat.le_trans (Nat.le_mul_of_pos_left y h₀) hxy
  have hx' : x = 1 ∨ x = 2 := by omega
  have hy' : y = 1 ∨ y = 2 ∨ y = 3 ∨ y = 4 ∨ y = 5 ∨ y = 6 := by omega
  rcases hx' with rfl | rfl <;> rcases hy' with rfl | rfl | rfl | rfl | rfl | rfl <;> omega

/-- valid, level 3. Show that the rational numbers x with 3⌊x⌋ = x + 4(x - ⌊x⌋) are exactly 0, 7/5 and 14/5. -/
theorem algebra_floor_and_fractional_part (x : ℚ) :
    3 * (⌊x⌋ : ℚ) = x + 4 * (x - ⌊x⌋) ↔ x = 0 ∨ x = 7 / 5 ∨ x = 14 / 5 := by
  constructor
  · intro h
    obtain ⟨h1, h2⟩ := Int.floor_eq_iff.1 (rfl : ⌊x⌋ = ⌊x⌋)
    generalize ⌊x⌋ = n at *
    have a : 0 ≤ n := by
      refine Int.not_lt.1 fun hn => ?_
      have : (n : ℚ) ≤ ((-1 : ℤ) : ℚ) := Rat.intCast_le_intCast.2 (by omega)
      grind
    have b : n ≤ 2 := by
      refine Int.not_lt.1 fun hn => ?_
      have : ((3 : ℤ) : ℚ) ≤ n := Rat.intCast_le_intCast.2 hn
      grind
    have : n = 0 ∨ n = 1 ∨ n = 2 := by omega
    rcases this with rfl | rfl | rfl <;> grind
  · rintro (rfl | rfl | rfl) <;> decide +kernel

/-- test, level 2. Show that the integers x with |x² - 10| < 7 are exactly -4, -3, -2, 2, 3 and 4. -/
theorem algebra_square_near_ten : {x : ℤ | |x ^ 2 - 10| < 7} = {-4, -3, -2, 2, 3, 4} := by
  ext x
  simp only [Set.mem_setOf_eq, Set.mem_insert_iff, Set.mem_singleton_iff, abs_lt]
  constructor
  · rintro ⟨h1, h2⟩
    have h3 : x < 5 := by
      refine Int.not_le.1 fun h => ?_
      have := mul_nonneg (show 0 ≤ x - 5 by omega) (show 0 ≤ x + 5 by omega)
      grind
    have h4 : -5 < x := by
      refine Int.not_le.1 fun h => ?_
      have := mul_nonneg (show 0 ≤ -x - 5 by omega) (show 0 ≤ -x + 5 by omega)
      grind
    have : x = -4 ∨ x = -3 ∨ x = -2 ∨ x = -1 ∨ x = 0 ∨ x = 1 ∨ x = 2 ∨ x = 3 ∨ x = 4 := by omega
    rcases this with rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl | rfl <;> omega
  · rintro (rfl | rfl | rfl | rfl | rfl | rfl) <;> decide

/-- valid, level 2. For a rational number x, show that ⌊x⌋ + ⌈x⌉ = 7 exactly when 3 < x < 4. -/
theorem algebra_floor_plus_ceil_seven (x : ℚ) : ⌊x⌋ + ⌈x⌉ = 7 ↔ 3 < x ∧ x < 4 := by
  constructor
  · intro h
    obtain ⟨h1, h2⟩ := Int.floor_eq_iff.1 (rfl : ⌊x⌋ = ⌊x⌋)
    obtain ⟨h3, h4⟩ := Int.ceil_eq_iff.1 (rfl : ⌈x⌉ = ⌈x⌉)
    have e : ⌈x⌉ = 7 - ⌊x⌋ := by omega
    rw [e] at h3 h4
    generalize ⌊x⌋ = n at *
    have e2 : ((7 - n : ℤ) : ℚ) = 7 - n := by rw [Rat.intCast_sub]; rfl
    rw [e2] at h3 h4
    have a : n ≤ 3 := by
      refine Int.not_lt.1 fun h => ?_
      have : ((4 : ℤ) : ℚ) ≤ n := Rat.intCast_le_intCast.2 h
      grind
    have b : 3 ≤ n := by
      refine Int.not_lt.1 fun h => ?_
      have : (n : ℚ) ≤ ((2 : ℤ) : ℚ) := Rat.intCast_le_intCast.2 (by omega)
      grind
    have : n = 3 := by omega
    subst this
    grind
  · rintro ⟨h1, h2⟩
    have e1 : ⌊x⌋ = 3 := Int.floor_eq_iff.2 (by grind)
    have e2 : ⌈x⌉ = 4 := Int.ceil_eq_iff.2 (by grind)
    omega

/-- test, level 3. Show that a rational number x satisfies 4⌊x⌋² - 12⌊x⌋ + 5 < 0 exactly when 1 ≤ x < 3. -/
theorem algebra_quadratic_in_floor (x : ℚ) : 4 * ⌊x⌋ ^ 2 - 12 * ⌊x⌋ + 5 < 0 ↔ 1 ≤ x ∧ x < 3 := by
  have key : ∀ n : ℤ, 4 * n ^ 2 - 12 * n + 5 < 0 ↔ n = 1 ∨ n = 2 := by
    intro n
    constructor
    · intro h
      have h1 : 1 ≤ n := by
        refine Int.not_lt.1 fun h => ?_
        have := mul_nonneg (show 0 ≤ -n by omega) (show 0 ≤ 3 - n by omega)
        grind
      have h2 : n ≤ 2 := by
        refine Int.not_lt.1 fun h => ?_
        have := mul_nonneg (show 0 ≤ n by omega) (show 0 ≤ n - 3 by omega)
        grind
      omega
    · rintro (rfl | rfl) <;> decide
  rw [key, Int.floor_eq_iff, Int.floor_eq_iff]
  grind

/-- valid, level 3. Show that for every integer N there are integers a, b, c > N with a² + b² = c³. -/
theorem algebra_two_squares_make_a_cube (N : ℤ) : ∃ a b c : ℤ, N < a ∧ N < b ∧ N < c ∧ a ^ 2 + b ^ 2 = c ^ 3 := by
  obtain ⟨t, h1, h2⟩ : ∃ t : ℤ, 1 ≤ t ∧ N ≤ t := by
    by_cases h : N ≤ 1
    · exact ⟨1, by omega, h⟩
    · exact ⟨N, by omega, by omega⟩
  have p := mul_nonneg (show 0 ≤ t - 1 by omega) (show 0 ≤ t by omega)
  have q := mul_nonneg (show 0 ≤ t - 1 by omega) (show 0 ≤ t * t by grind)
  refine ⟨t * (t ^ 2 + 1), t ^ 2 + 1, t ^ 2 + 1, ?_, ?_, ?_, ?_⟩ <;> grind

/-- test, level 2. Rational numbers satisfy x + y + z = 4, xy + yz + zx = 1 and xyz = -6. Show that x is -1, 2 or 3. -/
theorem algebra_symmetric_system_roots (x y z : ℚ) (h₀ : x + y + z = 4) (h₁ : x * y + y * z + z * x = 1)
    (h₂ : x * y * z = -6) : x = -1 ∨ x = 2 ∨ x = 3 := by
  have e : (x + 1) * ((x - 2) * (x - 3)) = 0 := by grind
  rcases Rat.mul_eq_zero.1 e with h | h
  · grind
  · rcases Rat.mul_eq_zero.1 h with h | h <;> grind

/-- test, level 3. Show that the rational solutions of x = y² + 3/16, y = x² + 3/16 are exactly (1/4, 1/4) and
(3/4, 3/4). -/
theorem algebra_two_parabolas_meet (x y : ℚ) :
    x = y ^ 2 + 3 / 16 ∧ y = x ^ 2 + 3 / 16 ↔ (x = 1 / 4 ∧ y = 1 / 4) ∨ (x = 3 / 4 ∧ y = 3 / 4) := by
  constructor
  · rintro ⟨h1, h2⟩
    have e : (x - y) * (x + y + 1) = 0 := by grind
    have p := sq_nonneg x
    have q := sq_nonneg y
    have r : x + y + 1 ≠ 0 := by grind
    have := (Rat.mul_eq_zero.1 e).resolve_right r
    have e2 : (x - 1 / 4) * (x - 3 / 4) = 0 := by grind
    rcases Rat.mul_eq_zero.1 e2 with h | h
    · left; grind
    · right; grind
  · rintro (⟨rfl, rfl⟩ | ⟨rfl, rfl⟩) <;> decide +kernel

/-- valid, level 2. Show that x = 4 is the only rational solution of x|x| = 3x + 4. -/
theorem algebra_x_abs_x (x : ℚ) : x * |x| = 3 * x + 4 ↔ x = 4 := by
  constructor
  · intro h
    rcases abs_cases x with ⟨h1, h2⟩ | ⟨h1, h2⟩ <;> rw [h1] at h
    · have e : (x - 4) * (x + 1) = 0 := by grind
      have n : x + 1 ≠ 0 := by grind
      have := (Rat.mul_eq_zero.1 e).resolve_right n
      grind
    · have := sq_nonneg (2 * x + 3)
      grind
  · rintro rfl
    decide +kernel

/-- test, level 1. Show that the continued fraction 1 + 1/(2 + 1/(3 + 1/4)) equals 43/30. -/
theorem algebra_continued_fraction_one_to_four : (1 : ℚ) + 1 / (2 + 1 / (3 + 1 / 4)) = 43 / 30 := by
  decide +kernel

/-- valid, level 1. A quadratic function f(x) = ax² + bx + c with rational coefficients has f(0) = 3, f(1) = 2 and
f(3) = 18. Show that f(5) = 58. -/
theorem algebra_quadratic_three_values (a b c : ℚ) (f : ℚ → ℚ) (h₀ : ∀ x, f x = a * x ^ 2 + b * x + c)
    (h₁ : f 0 = 3) (h₂ : f 1 = 2) (h₃ : f 3 = 18) : f 5 = 58 := by
  rw [h₀] at *
  grind

/-- test, level 3. Let n be a natural number. Show that n² + 5n + 13 is a perfect square exactly when n = 4. -/
theorem algebra_quadratic_squeezed_square (n : ℕ) : IsSquare (n ^ 2 + 5 * n + 13) ↔ n = 4 := by
  constructor
  · rintro ⟨m, h⟩
    have h1 : n + 2 < m := by
      refine Nat.lt_of_not_le fun hle => ?_
      have := Nat.mul_le_mul hle hle
      grind
    have h2 : m < n + 4 := by
      refine Nat.lt_of_not_le fun hle => ?_
      have := Nat.mul_le_mul hle hle
      grind
    obtain rfl : m = n + 3 := by omega
    grind
  · rintro rfl
    exact ⟨7, rfl⟩

/-- valid, level 1. Show that the equation 3(x - 2) = 7 - (x + 1)/2 has exactly one rational solution. -/
theorem algebra_linear_equation_unique : ∃! x : ℚ, 3 * (x - 2) = 7 - (x + 1) / 2 := by
  refine ⟨25 / 7, by grind, fun y hy => ?_⟩
  grind

/-- test, level 1. Rational numbers x and y have sum 5/2 and product 1. Show that the sum of their cubes is 65/8. -/
theorem algebra_cubes_from_sum_and_product (x y : ℚ) (h₀ : x + y = 5 / 2) (h₁ : x * y = 1) :
    x ^ 3 + y ^ 3 = 65 / 8 := by
  grind

/-- valid, level 1. Five numbers with sum s have mean 12. When the number x is removed, the mean of the other four is
10. Show that x = 20. -/
theorem algebra_mean_after_removal (s x : ℚ) (h₀ : s / 5 = 12) (h₁ : (s - x) / 4 = 10) : x = 20 := by
  grind

/-- test, level 1. For integers put a ∘ b = 2ab + a + b. Show that this operation is associative. -/
theorem algebra_circle_operation_assoc :
    let op : ℤ → ℤ → ℤ := fun a b => 2 * a * b + a + b
    ∀ a b c : ℤ, op (op a b) c = op a (op b c) := by
  intro op a b c
  grind

/-- valid, level 1. A cyclist rides a positive distance d at speed 30 and then twice as far at speed 20. Show that the
whole distance divided by the whole time is 45/2. -/
theorem algebra_average_speed_two_legs (d : ℚ) (h₀ : 0 < d) : (d + 2 * d) / (d / 30 + 2 * d / 20) = 45 / 2 := by
  have : d / 30 + 2 * d / 20 = 2 * d / 15 := by grind
  rw [this]
  grind

/-- test, level 1. A rectangle has integer sides l and w with w > 0, l = w + 5 and area 84. Show that w = 7 and
l = 12. -/
theorem algebra_rectangle_area_eightyfour (l w : ℤ) (h₀ : 0 < w) (h₁ : l = w + 5) (h₂ : l * w = 84) :
    w = 7 ∧ l = 12 := by
  have e : (w - 7) * (w + 12) = 0 := by grind
  rcases Int.mul_eq_zero.1 e with h | h <;> omega

/-- valid, level 1. For integers a and b, show that the maximum minus the minimum is |a - b|, and that the maximum
times the minimum is ab. -/
theorem algebra_max_min_difference_product (a b : ℤ) :
    max a b - min a b = |a - b| ∧ max a b * min a b = a * b := by
  grind

/-- test, level 1. Show that there is an integer c with (x - 2)(x² + cx + 4) = x³ - 8 for all integers x. -/
theorem algebra_missing_coefficient : ∃ c : ℤ, ∀ x : ℤ, (x - 2) * (x ^ 2 + c * x + 4) = x ^ 3 - 8 := by
  exact ⟨2, fun x => by grind⟩
