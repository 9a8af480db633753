-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Counting: cardinalities, numbers of solutions, pigeonhole, colourings, existence and uniqueness. -/

/-- valid, level 1. There are exactly 13 natural numbers below 1000 that leave the remainder 3 on division by 7 and the
remainder 5 on division by 11. -/
theorem counting_residue_pairs_below_thousand :
    ((Finset.range 1000).filter (fun n => n % 7 = 3 ∧ n % 11 = 5)).card = 13 := by
  decide +kernel

/-- test, level 1. Exactly 8 integers x satisfy |x| + |x - 3| ≤ 7. -/
theorem counting_integers_with_two_distances : {x : ℤ | |x| + |x - 3| ≤ 7}.ncard = 8 := by
  have h : {x : ℤ | |x| + |x - 3| ≤ 7} = ↑(Finset.Icc (-2 : ℤ) 5) := by
    ext x
    simp only [Set.mem_setOf_eq, Finset.mem_coe, Finset.mem_Icc]
    grind
  rw [h, Set.ncard_coe_finset]
  decide

/-- valid, level 1. There is exactly one function f from the integers to the integers with 2 f(x) + f(-x) = 3x^2 + x for
all x. -/
theorem counting_unique_reflection_equation :
    ∃! f : ℤ → ℤ, ∀ x, 2 * f x + f (-x) = 3 * x ^ 2 + x := by
  refine ⟨fun x => x ^ 2 + x, fun x => by grind, fun f hf => ?_⟩
  funext x
  have h1 := hf x
  have h2 := hf (-x)
  rw [Int.neg_neg] at h2
  grind

/-- test, level 1. For every positive integer n there is exactly one natural number k with n^2 < k^2 < (n + 2)^2. -/
theorem counting_unique_square_between (n : ℕ) (h₀ : 0 < n) : ∃! k, n ^ 2 < k ^ 2 ∧ k ^ 2 < (n + 2) ^ 2 := by
  refine ⟨n + 1, ⟨Nat.pow_lt_pow_left (by omega) (by decide), Nat.pow_lt_pow_left (by omega) (by decide)⟩, ?_⟩
  rintro k ⟨h1, h2⟩
  have h3 : n < k := Nat.lt_of_not_le fun h => absurd (Nat.pow_le_pow_left h 2) (by omega)
  have h4 : k < n + 2 := Nat.lt_of_not_le fun h => absurd (Nat.pow_le_pow_left h 2) (by omega)
  omega

/-- valid, level 1. Of the ordered pairs (x, y) of numbers from 1 to 6, exactly 15 have a product divisible by 6
(counted as the sum over x of the number of fitting y). -/
theorem counting_dice_product_multiple_of_six :
    ∑ x ∈ Finset.Icc 1 6, ((Finset.Icc 1 6).filter (fun y => 6 ∣ x * y)).card = 15 := by
  decide

/-- test, level 1. Of the numbers below 2^8, exactly F(6)^2 have no two ones two places apart in binary (the bitwise and
of x and x / 4, rounded down, is 0), where F is the Fibonacci sequence. -/
theorem counting_binary_strings_no_ones_two_apart :
    ((Finset.range (2 ^ 8)).filter (fun x => x &&& (x / 4) = 0)).card = Nat.fib 6 ^ 2 := by
  decide +kernel

/-- valid, level 1. Exactly 2 of the numbers from 10 to 999 are equal to twice the sum of the squares of their decimal
digits. -/
theorem counting_twice_digit_square_sum :
    ((Finset.Icc 10 999).filter (fun n => 2 * ((Nat.digits 10 n).map (· ^ 2)).sum = n)).card = 2 := by
  decide +kernel

/-- test, level 1. The numbers 3i + 5 for i = 0, ..., 7 can be given signs e(i) = 1 or -1 so that both the signed sum of
the numbers and the signed sum of their squares are 0. -/
theorem counting_signs_progression_two_balances : ∃ e : Fin 8 → ℤ, (∀ i, e i = 1 ∨ e i = -1) ∧
    ∑ i : Fin 8, e i * (3 * (i.val : ℤ) + 5) = 0 ∧ ∑ i : Fin 8, e i * (3 * (i.val : ℤ) + 5) ^ 2 = 0 := by
  refine ⟨fun i => if i.val = 0 ∨ i.val = 3 ∨ i.val = 5 ∨ i.val = 6 then 1 else -1, ?_, ?_, ?_⟩ <;> decide

/-- valid, level 1. The natural numbers can be coloured with two colours so that for no positive x and y with x + 2y ≤
10 the numbers x, y and x + 2y all have the same colour. -/
theorem counting_ten_coloured_without_x_plus_two_y : ∃ c : ℕ → Bool, ∀ x y, 0 < x → 0 < y → x + 2 * y ≤ 10 →
    ¬ (c x = c y ∧ c y = c (x + 2 * y)) := by
  refine ⟨fun n => decide (3 ≤ n ∧ n ≤ 8), fun x y hx hy hxy => ?_⟩
  grind

/-- test, level 1. Three players play each other once without draws: the truth values a, b, c say whether the first
beats the second, the second beats the third, and the third beats the first. Then either each of them wins exactly one
game, or one of them wins two. -/
theorem counting_three_player_tournament (a b c : Bool) :
    (a.toNat + (!c).toNat = 1 ∧ b.toNat + (!a).toNat = 1 ∧ c.toNat + (!b).toNat = 1) ∨
      a.toNat + (!c).toNat = 2 ∨ b.toNat + (!a).toNat = 2 ∨ c.toNat + (!b).toNat = 2 := by
  revert a b c
  decide

/-- test, level 2. For every n, exactly 4n of the numbers 0, 1, ..., 6n - 1 are divisible by 2 or by 3. -/
theorem counting_multiples_of_two_or_three (n : ℕ) :
    ((Finset.range (6 * n)).filter (fun k => 2 ∣ k ∨ 3 ∣ k)).card = 4 * n := by
  rw [Finset.card_eq_sum_ones, Finset.sum_filter]
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [show 6 * (n + 1) = 6 * n + 1 + 1 + 1 + 1 + 1 + 1 by omega]
    simp only [Finset.sum_range_succ, ih]
    rw [if_pos (by omega), if_neg (by omega), if_pos (by omega), if_pos (by omega), if_pos (by omega),
      if_neg (by omega)]
    omega

/-- valid, level 2. Exactly 4 integers x satisfy x^2 + 10 < 7x + 4. -/
theorem counting_quadratic_inequality_integers : {x : ℤ | x ^ 2 + 10 < 7 * x + 4}.ncard = 4 := by
  have h : {x : ℤ | x ^ 2 + 10 < 7 * x + 4} = ↑(Finset.Icc (2 : ℤ) 5) := by
    ext x
    simp only [Set.mem_setOf_eq, Finset.mem_coe, Finset.mem_Icc]
    constructor
    · intro h
      constructor
      · false_or_by_contra
        have := Int.mul_nonneg (show 0 ≤ 1 - x by omega) (show 0 ≤ 6 - x by omega)
        grind
      · false_or_by_contra
        have := Int.mul_nonneg (show 0 ≤ x - 6 by omega) (show 0 ≤ x - 1 by omega)
        grind
    · intro h
      have := Int.mul_nonneg (show 0 ≤ x - 2 by omega) (show 0 ≤ 5 - x by omega)
      grind
  rw [h, Set.ncard_coe_finset]
  decide

/-- test, level 2. There are exactly 8 ordered pairs of coprime natural numbers whose product is 360. -/
theorem counting_coprime_factorisations_of_360 : {(x, y) : ℕ × ℕ | x * y = 360 ∧ Nat.Coprime x y}.ncard = 8 := by
  have h : {(x, y) : ℕ × ℕ | x * y = 360 ∧ Nat.Coprime x y} =
      ↑(((Nat.divisors 360).filter fun d => Nat.Coprime d (360 / d)).image fun d => (d, 360 / d)) := by
    ext ⟨x, y⟩
    simp only [Set.mem_setOf_eq, Finset.mem_coe, Finset.mem_image, Finset.mem_filter, Nat.mem_divisors, Prod.mk.injEq]
    constructor
    · rintro ⟨h, hc⟩
      have e : 360 / x = y := by
        rw [← h, Nat.mul_div_cancel_left _ (Nat.pos_of_ne_zero fun e => by simp [e] at h)]
      exact ⟨x, ⟨⟨⟨y, h.symm⟩, by decide⟩, by rw [e]; exact hc⟩, rfl, e⟩
    · rintro ⟨d, ⟨⟨hd, -⟩, hc⟩, rfl, rfl⟩
      exact ⟨Nat.mul_div_cancel' hd, hc⟩
  rw [h, Set.ncard_coe_finset]
  decide +kernel

/-- valid, level 2. For every N there are natural numbers with N < x < y < z and x^2 + y^2 = z^2 + 1. -/
theorem counting_near_pythagorean_triples (N : ℕ) :
    ∃ x y z, N < x ∧ x < y ∧ y < z ∧ x ^ 2 + y ^ 2 = z ^ 2 + 1 := by
  refine ⟨2 * (N + 3) + 1, (N + 3) * (N + 4) - 1, (N + 3) * (N + 4) + 1, by omega, ?_, by omega, ?_⟩
  · have : (N + 3) * (N + 4) = N * N + 7 * N + 12 := by grind
    have : N * N + 7 * N + 12 - 1 = N * N + 7 * N + 11 := by omega
    have := Nat.zero_le (N * N)
    omega
  · have h : (N + 3) * (N + 4) = N * N + 7 * N + 11 + 1 := by grind
    rw [h, Nat.add_sub_cancel]
    grind

/-- test, level 2. There is exactly one sequence f of natural numbers with f(0) = 1 and f(n + 1) = f(n) + 2n + 3 for all
n. -/
theorem counting_unique_recursive_squares :
    ∃! f : ℕ → ℕ, f 0 = 1 ∧ ∀ n, f (n + 1) = f n + 2 * n + 3 := by
  refine ⟨fun n => (n + 1) ^ 2, ⟨rfl, fun n => by grind⟩, ?_⟩
  rintro f ⟨h0, h1⟩
  funext n
  induction n with
  | zero => exact h0
  | succ n ih => rw [h1, ih]; grind

/-- valid, level 2. In every finite set of natural numbers, the number of even elements plus the number of odd elements
is the number of all elements. -/
theorem counting_complementary_filters (s : Finset ℕ) :
    (s.filter (fun n => Even n)).card + (s.filter (fun n => Odd n)).card = s.card := by
  rw [Finset.card_eq_sum_ones, Finset.card_eq_sum_ones, Finset.card_eq_sum_ones, Finset.sum_filter,
    Finset.sum_filter, ← Finset.sum_add_distrib]
  refine Finset.sum_congr rfl fun i _ => ?_
  by_cases h : Even i
  · have : ¬ Odd i := by simp [h]
    simp [h, this]
  · have : Odd i := by simpa using h
    simp [h, this]

/-- test, level 2. The largest natural number that is not of the form 5a + 8b with natural numbers a and b is 27. -/
theorem counting_largest_unpayable_five_eight :
    IsGreatest {n : ℕ | ¬ ∃ a b : ℕ, n = 5 * a + 8 * b} 27 := by
  constructor
  · rintro ⟨a, b, h⟩
    omega
  · intro n hn
    false_or_by_contra
    apply hn
    have h : n % 5 = 0 ∨ n % 5 = 1 ∨ n % 5 = 2 ∨ n % 5 = 3 ∨ n % 5 = 4 := by omega
    rcases h with h | h | h | h | h
    · exact ⟨n / 5, 0, by omega⟩
    · exact ⟨(n - 16) / 5, 2, by omega⟩
    · exact ⟨(n - 32) / 5, 4, by omega⟩
    · exact ⟨(n - 8) / 5, 1, by omega⟩
    · exact ⟨(n - 24) / 5, 3, by omega⟩

/-- valid, level 2. Among any four integers a(0), ..., a(3) there are two, a(i) and a(j) with i < j, whose squares
differ by a multiple of 8. -/
theorem counting_squares_difference_eight (a : Fin 4 → ℤ) : ∃ i j : Fin 4, i < j ∧ 8 ∣ a j ^ 2 - a i ^ 2 := by
  have sq8 : ∀ x : ℤ, x ^ 2 % 8 = 0 ∨ x ^ 2 % 8 = 1 ∨ x ^ 2 % 8 = 4 := by
    intro x
    have h : x % 8 = 0 ∨ x % 8 = 1 ∨ x % 8 = 2 ∨ x % 8 = 3 ∨ x % 8 = 4 ∨ x % 8 = 5 ∨ x % 8 = 6 ∨ x % 8 = 7 := by omega
    rw [Int.pow_succ, Int.pow_succ, Int.pow_zero, Int.one_mul, Int.mul_emod]
    rcases h with h | h | h | h | h | h | h | h <;> rw [h] <;> decide
  have h0 := sq8 (a 0)
  have h1 := sq8 (a 1)
  have h2 := sq8 (a 2)
  have h3 := sq8 (a 3)
  have key : 8 ∣ a 1 ^ 2 - a 0 ^ 2 ∨ 8 ∣ a 2 ^ 2 - a 0 ^ 2 ∨ 8 ∣ a 3 ^ 2 - a 0 ^ 2 ∨ 8 ∣ a 2 ^ 2 - a 1 ^ 2 ∨
      8 ∣ a 3 ^ 2 - a 1 ^ 2 ∨ 8 ∣ a 3 ^ 2 - a 2 ^ 2 := by
    generalize a 0 ^ 2 = w at *
    generalize a 1 ^ 2 = x at *
    generalize a 2 ^ 2 = y at *
    generalize a 3 ^ 2 = z at *
    omega
  rcases key with h | h | h | h | h | h
  · exact ⟨0, 1, by decide, h⟩
  · exact ⟨0, 2, by decide, h⟩
  · exact ⟨0, 3, by decide, h⟩
  · exact ⟨1, 2, by decide, h⟩
  · exact ⟨1, 3, by decide, h⟩
  · exact ⟨2, 3, by decide, h⟩

/-- test, level 2. However the natural numbers are coloured with two colours, there are positive x and y (perhaps equal)
with x + 2y ≤ 11 such that x, y and x + 2y have the same colour. -/
theorem counting_two_colours_x_y_x_plus_two_y (c : ℕ → Bool) :
    ∃ x y, 0 < x ∧ 0 < y ∧ x + 2 * y ≤ 11 ∧ c x = c y ∧ c y = c (x + 2 * y) := by
  have key : ∀ c1 c3 c4 c9 c11 : Bool, (c1 = c1 ∧ c1 = c3) ∨ (c9 = c1 ∧ c1 = c11) ∨ (c3 = c3 ∧ c3 = c9) ∨
      (c1 = c4 ∧ c4 = c9) ∨ (c3 = c4 ∧ c4 = c11) := by decide
  rcases key (c 1) (c 3) (c 4) (c 9) (c 11) with h | h | h | h | h
  · exact ⟨1, 1, by decide, by decide, by decide, h⟩
  · exact ⟨9, 1, by decide, by decide, by decide, h⟩
  · exact ⟨3, 3, by decide, by decide, by decide, h⟩
  · exact ⟨1, 4, by decide, by decide, by decide, h⟩
  · exact ⟨3, 4, by decide, by decide, by decide, h⟩

/-- valid, level 2. Let f be a map from a set of four elements to a set of three, and g a map back. Then g(f(i)) ≠ i for
some i. -/
theorem counting_no_retraction_through_three (f : Fin 4 → Fin 3) (g : Fin 3 → Fin 4) : ∃ i, g (f i) ≠ i := by
  false_or_by_contra
  rename_i h
  have h1 : ∀ i, g (f i) = i := fun i => Decidable.byContradiction fun hn => h ⟨i, hn⟩
  have inj : ∀ i j, f i = f j → i = j := fun i j e => by rw [← h1 i, ← h1 j, e]
  have key : ∀ a b c d : Fin 3, a = b ∨ a = c ∨ a = d ∨ b = c ∨ b = d ∨ c = d := by decide
  rcases key (f 0) (f 1) (f 2) (f 3) with e | e | e | e | e | e <;> exact absurd (inj _ _ e) (by decide)

/-- test, level 2. The least positive integer with exactly 10 divisors is 48. -/
theorem counting_least_with_ten_divisors : IsLeast {n : ℕ | 0 < n ∧ (Nat.divisors n).card = 10} 48 := by
  constructor
  · exact ⟨by decide, by decide +kernel⟩
  · rintro n ⟨h0, h1⟩
    false_or_by_contra
    have key : ∀ m ∈ Finset.range 48, (Nat.divisors m).card ≠ 10 := by decide +kernel
    exact key n (by simp; omega) h1

/-- valid, level 2. If 1 ≤ a < b < c < d ≤ 7 are natural numbers, then two of a, b, c, d differ by 1 or by 4. -/
theorem counting_four_of_seven_difference (a b c d : ℕ) (h₀ : 1 ≤ a) (h₁ : a < b) (h₂ : b < c) (h₃ : c < d)
    (h₄ : d ≤ 7) : ∃ x ∈ [b - a, c - a, d - a, c - b, d - b, d - c], x = 1 ∨ x = 4 := by
  have key : ∀ a ∈ Finset.Icc 1 7, ∀ b ∈ Finset.Icc 1 7, ∀ c ∈ Finset.Icc 1 7, ∀ d ∈ Finset.Icc 1 7,
      a < b → b < c → c < d → ∃ x ∈ [b - a, c - a, d - a, c - b, d - b, d - c], x = 1 ∨ x = 4 := by decide +kernel
  exact key a (by simp; omega) b (by simp; omega) c (by simp; omega) d (by simp; omega) h₁ h₂ h₃

/-- test, level 2. For every k there is a natural number n such that none of the k numbers n, n + 1, ..., n + k - 1 is a
perfect square. -/
theorem counting_run_without_squares (k : ℕ) : ∃ n, ∀ i, i < k → ¬ IsSquare (n + i) := by
  refine ⟨k ^ 2 + 1, fun i hi ⟨r, hr⟩ => ?_⟩
  rcases Nat.lt_or_ge k r with h | h
  · have := Nat.mul_le_mul h h
    grind
  · have := Nat.mul_le_mul h h
    grind

/-- valid, level 2. Let p(0, n) = 1 and p(m, 0) = 1 for all m and n, and p(m + 1, n + 1) = p(m, n + 1) + p(m + 1, n) +
p(m, n), in the natural numbers. Then p(2, n) = 2n^2 + 2n + 1 for every n. -/
theorem counting_king_paths_two_rows (p : ℕ → ℕ → ℕ) (h₀ : ∀ n, p 0 n = 1) (h₁ : ∀ m, p m 0 = 1)
    (h₂ : ∀ m n, p (m + 1) (n + 1) = p m (n + 1) + p (m + 1) n + p m n) (n : ℕ) :
    p 2 n = 2 * n ^ 2 + 2 * n + 1 := by
  have one : ∀ k, p 1 k = 2 * k + 1 := by
    intro k
    induction k with
    | zero => exact h₁ 1
    | succ k ih => rw [h₂ 0 k, h₀, h₀, ih]; omega
  induction n with
  | zero => exact h₁ 2
  | succ n ih => rw [h₂ 1 n, one, one, ih]; grind

/-- test, level 2. Every pair i < j of natural numbers has one of two colours e(i, j). Then there are i < j < k < 5 such
that (i, j) and (j, k) have the same colour. -/
theorem counting_monotone_two_step_path (e : ℕ → ℕ → Bool) : ∃ i j k, i < j ∧ j < k ∧ k < 5 ∧ e i j = e j k := by
  have key : ∀ e01 e02 e03 e12 e13 e14 e23 e24 e34 : Bool, e01 = e12 ∨ e01 = e13 ∨ e01 = e14 ∨ e02 = e23 ∨ e02 = e24 ∨
      e03 = e34 ∨ e12 = e23 ∨ e12 = e24 ∨ e13 = e34 ∨ e23 = e34 := by decide
  rcases key (e 0 1) (e 0 2) (e 0 3) (e 1 2) (e 1 3) (e 1 4) (e 2 3) (e 2 4) (e 3 4) with
    h | h | h | h | h | h | h | h | h | h
  · exact ⟨0, 1, 2, by decide, by decide, by decide, h⟩
  · exact ⟨0, 1, 3, by decide, by decide, by decide, h⟩
  · exact ⟨0, 1, 4, by decide, by decide, by decide, h⟩
  · exact ⟨0, 2, 3, by decide, by decide, by decide, h⟩
  · exact ⟨0, 2, 4, by decide, by decide, by decide, h⟩
  · exact ⟨0, 3, 4, by decide, by decide, by decide, h⟩
  · exact ⟨1, 2, 3, by decide, by decide, by decide, h⟩
  · exact ⟨1, 2, 4, by decide, by decide, by decide, h⟩
  · exact ⟨1, 3, 4, by decide, by decide, by decide, h⟩
  · exact ⟨2, 3, 4, by decide, by decide, by decide, h⟩

/-- valid, level 3. The map that takes a pair (a, b) of natural numbers to (a + b)^2 + a is injective: if (a + b)^2 + a
= (c + d)^2 + c, then a = c and b = d. -/
theorem counting_injective_pairing (a b c d : ℕ) (h₀ : (a + b) ^ 2 + a = (c + d) ^ 2 + c) : a = c ∧ b = d := by
  have key : a + b = c + d := by
    rcases Nat.lt_trichotomy (a + b) (c + d) with h | h | h
    · have h1 := Nat.pow_le_pow_left h 2
      have h2 : (a + b).succ ^ 2 = (a + b) ^ 2 + 2 * (a + b) + 1 := by grind
      omega
    · exact h
    · have h1 := Nat.pow_le_pow_left h 2
      have h2 : (c + d).succ ^ 2 = (c + d) ^ 2 + 2 * (c + d) + 1 := by grind
      omega
  rw [key] at h₀
  omega

/-- test, level 3. Twice the number of pairs (x, y) of natural numbers at most n with x + y ≤ n, counted as the sum over
x of the number of fitting y, is (n + 1)(n + 2). -/
theorem counting_pairs_under_diagonal (n : ℕ) :
    2 * ∑ x ∈ Finset.range (n + 1), ((Finset.range (n + 1)).filter (fun y => x + y ≤ n)).card =
      (n + 1) * (n + 2) := by
  have h : ∀ x ∈ Finset.range (n + 1), ((Finset.range (n + 1)).filter (fun y => x + y ≤ n)).card = n + 1 - x := by
    intro x hx
    have e : (Finset.range (n + 1)).filter (fun y => x + y ≤ n) = Finset.range (n + 1 - x) := by
      ext y
      simp only [Finset.mem_range, Finset.mem_filter] at *
      omega
    rw [e, Finset.card_range]
  rw [Finset.sum_congr rfl h]
  have key : ∀ m, m ≤ n + 1 → 2 * ∑ x ∈ Finset.range m, (n + 1 - x) + m * m = m * (2 * n + 3) := by
    intro m hm
    induction m with
    | zero => simp
    | succ m ih =>
      have := ih (by omega)
      rw [Finset.sum_range_succ, Nat.mul_add]
      obtain ⟨r, hr⟩ : ∃ r, n = m + r := ⟨n - m, by omega⟩
      subst hr
      rw [show m + r + 1 - m = r + 1 by omega]
      grind
  have := key (n + 1) (Nat.le_refl _)
  grind

/-- valid, level 3. For all natural numbers a and n with n > 0 there are exponents i < j ≤ n such that n divides a^j -
a^i (natural subtraction). -/
theorem counting_equal_powers_mod (a n : ℕ) (h₀ : 0 < n) : ∃ i j, i < j ∧ j ≤ n ∧ n ∣ a ^ j - a ^ i := by
  have pigeon : ∀ (m : ℕ) (f : ℕ → ℕ), (∀ i, i ≤ m → f i < m) → ∃ i j, i < j ∧ j ≤ m ∧ f i = f j := by
    intro m
    induction m with
    | zero => intro f h; exact absurd (h 0 (Nat.le_refl 0)) (by omega)
    | succ m ih =>
      intro f hf
      by_cases hv : ∃ i, i ≤ m ∧ f i = f (m + 1)
      · obtain ⟨i, hi, e⟩ := hv
        exact ⟨i, m + 1, by omega, Nat.le_refl _, e⟩
      have hne : ∀ i, i ≤ m → f i ≠ f (m + 1) := fun i hi e => hv ⟨i, hi, e⟩
      have hlast := hf (m + 1) (Nat.le_refl _)
      obtain ⟨i, j, hij, hj, e⟩ := ih (fun i => if f i = m then f (m + 1) else f i) (by
        intro i hi
        have h1 := hne i hi
        have h2 := hf i (by omega)
        dsimp only
        split <;> omega)
      refine ⟨i, j, hij, by omega, ?_⟩
      have h1 := hne i (by omega)
      have h2 := hne j hj
      split at e <;> split at e <;> omega
  obtain ⟨i, j, hij, hj, e⟩ := pigeon n (fun i => a ^ i % n) fun i _ => Nat.mod_lt _ h₀
  exact ⟨i, j, hij, hj, Nat.dvd_of_mod_eq_zero (Nat.sub_mod_eq_zero_of_mod_eq e.symm)⟩

/-- test, level 3. However the natural numbers are coloured with two colours, there are a and d > 0 with a + 3d ≤ 12
such that a, a + d and a + 3d have the same colour. -/
theorem counting_gap_pattern_one_three (c : ℕ → Bool) :
    ∃ a d, 0 < d ∧ a + 3 * d ≤ 12 ∧ c a = c (a + d) ∧ c (a + d) = c (a + 3 * d) := by
  have key : ∀ c0 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 : Bool,
      ((c4 == c5 && c5 == c7) || (c5 == c6 && c6 == c8) || (c6 == c7 && c7 == c9) || (c7 == c8 && c8 == c10) ||
      (c8 == c9 && c9 == c11) || (c9 == c10 && c10 == c12) || (c0 == c2 && c2 == c6) || (c2 == c4 && c4 == c8) ||
      (c4 == c6 && c6 == c10) || (c6 == c8 && c8 == c12) || (c0 == c3 && c3 == c9) || (c2 == c5 && c5 == c11) ||
      (c3 == c6 && c6 == c12) || (c0 == c4 && c4 == c12)) = true := by decide +kernel
  have h := key (c 0) (c 2) (c 3) (c 4) (c 5) (c 6) (c 7) (c 8) (c 9) (c 10) (c 11) (c 12)
  simp only [Bool.or_eq_true, Bool.and_eq_true, beq_iff_eq, or_assoc] at h
  rcases h with
    h | h | h | h | h | h | h | h | h | h | h | h | h | h
  · exact ⟨4, 1, by decide, by decide, h⟩
  · exact ⟨5, 1, by decide, by decide, h⟩
  · exact ⟨6, 1, by decide, by decide, h⟩
  · exact ⟨7, 1, by decide, by decide, h⟩
  · exact ⟨8, 1, by decide, by decide, h⟩
  · exact ⟨9, 1, by decide, by decide, h⟩
  · exact ⟨0, 2, by decide, by decide, h⟩
  · exact ⟨2, 2, by decide, by decide, h⟩
  · exact ⟨4, 2, by decide, by decide, h⟩
  · exact ⟨6, 2, by decide, by decide, h⟩
  · exact ⟨0, 3, by decide, by decide, h⟩
  · exact ⟨2, 3, by decide, by decide, h⟩
  · exact ⟨3, 3, by decide, by decide, h⟩
  · exact ⟨0, 4, by decide, by decide, h⟩

/-- valid, level 3. For finite sets s and t of natural numbers, the number of elements of (s \ t) ∪ (t \ s), plus twice
the number of elements of s ∩ t, is the sum of the numbers of elements of s and of t. -/
theorem counting_symmetric_difference (s t : Finset ℕ) :
    ((s \ t) ∪ (t \ s)).card + 2 * (s ∩ t).card = s.card + t.card := by
  have ind : ∀ w : Finset ℕ, w ⊆ s ∪ t → w.card = ∑ i ∈ s ∪ t, if i ∈ w then 1 else 0 := by
    intro w hw
    rw [← Finset.sum_filter, ← Finset.card_eq_sum_ones]
    congr 1
    ext a
    have := @hw a
    simp only [Finset.mem_filter]
    exact ⟨fun h => ⟨this h, h⟩, fun h => h.2⟩
  rw [ind s (fun a h => by simp [h]), ind t (fun a h => by simp [h]), ind (s ∩ t) (fun a h => by simp at *; grind),
    ind ((s \ t) ∪ (t \ s)) (fun a h => by simp at *; grind), Finset.mul_sum, ← Finset.sum_add_distrib,
    ← Finset.sum_add_distrib]
  refine Finset.sum_congr rfl fun a ha => ?_
  by_cases h1 : a ∈ s <;> by_cases h2 : a ∈ t <;> simp [h1, h2]

/-- test, level 3. There are exactly 12 pairs of integers (x, y) with x^2 + xy + y^2 = 7. -/
theorem counting_hexagonal_norm_seven : {(x, y) : ℤ × ℤ | x ^ 2 + x * y + y ^ 2 = 7}.ncard = 12 := by
  have bound : ∀ u v : ℤ, u ^ 2 + u * v + v ^ 2 = 7 → -3 ≤ v ∧ v ≤ 3 := by
    intro u v h
    have h1 := sq_nonneg (2 * u + v)
    have h2 : (2 * u + v) ^ 2 + 3 * v ^ 2 = 28 := by grind
    constructor
    · false_or_by_contra
      have := Int.mul_pos (show 0 < -3 - v by omega) (show 0 < 3 - v by omega)
      grind
    · false_or_by_contra
      have := Int.mul_pos (show 0 < v - 3 by omega) (show 0 < v + 3 by omega)
      grind
  have h : {(x, y) : ℤ × ℤ | x ^ 2 + x * y + y ^ 2 = 7} = ↑([(1, 2), (2, 1), (-1, -2), (-2, -1), (1, -3), (-3, 1),
      (-1, 3), (3, -1), (2, -3), (-3, 2), (-2, 3), (3, -2)] : List (ℤ × ℤ)).toFinset := by
    ext ⟨x, y⟩
    simp only [Set.mem_setOf_eq, Finset.mem_coe, List.mem_toFinset]
    constructor
    · intro h
      have hy := bound x y h
      have hx := bound y x (by grind)
      have key : ∀ u ∈ Finset.Icc (-3 : ℤ) 3, ∀ v ∈ Finset.Icc (-3 : ℤ) 3, u ^ 2 + u * v + v ^ 2 = 7 →
        (u, v) ∈ ([(1, 2), (2, 1), (-1, -2), (-2, -1), (1, -3), (-3, 1),
      (-1, 3), (3, -1), (2, -3), (-3, 2), (-2, 3), (3, -2)] : List (ℤ × ℤ)) := by decide +kernel
      exact key x (Finset.mem_Icc.2 hx) y (Finset.mem_Icc.2 hy) h
    · intro h
      simp at h
      rcases h with h | h | h | h | h | h | h | h | h | h | h | h <;> rw [h.1, h.2] <;> decide
  rw [h, Set.ncard_coe_finset]
  decide +kernel

/-- valid, level 3. A sequence of natural numbers has a(i) < a(i + 1) for all i, a(0) > 0 and a(n) ≤ 3n. Then for some i
< n the difference a(i + 1) - a(i) divides 2. -/
theorem counting_small_gap_in_slow_sequence (a : ℕ → ℕ) (n : ℕ) (h₀ : ∀ i, a i < a (i + 1)) (h₁ : 0 < a 0)
    (h₂ : a n ≤ 3 * n) : ∃ i, i < n ∧ (a (i + 1) - a i) ∣ 2 := by
  false_or_by_contra
  rename_i h
  have grow : ∀ i, i ≤ n → 3 * i + 1 ≤ a i := by
    intro i hi
    induction i with
    | zero => omega
    | succ i ih =>
      have h3 := ih (by omega)
      have h4 := h₀ i
      have h5 : ¬ (a (i + 1) - a i) ∣ 2 := fun e => h ⟨i, by omega, e⟩
      have h6 : a (i + 1) - a i ≠ 1 := fun e => h5 (by rw [e]; decide)
      have h7 : a (i + 1) - a i ≠ 2 := fun e => h5 (by rw [e]; decide)
      omega
  have := grow n (Nat.le_refl n)
  omega

/-- test, level 3. For every n, the number 3 · 2^n has exactly 2 odd divisors. -/
theorem counting_odd_divisors_three_times_power (n : ℕ) :
    ((Nat.divisors (3 * 2 ^ n)).filter (fun d => Odd d)).card = 2 := by
  have e : (Nat.divisors (3 * 2 ^ n)).filter (fun d => Odd d) = {1, 3} := by
    ext d
    simp only [Finset.mem_filter, Nat.mem_divisors, Finset.mem_insert, Finset.mem_singleton]
    have hp : 0 < 2 ^ n := Nat.pow_pos (by decide)
    constructor
    · rintro ⟨⟨hd, -⟩, ho⟩
      have hcop : Nat.Coprime d 2 := by
        rw [Nat.coprime_comm, Nat.prime_two.coprime_iff_not_dvd]
        have := Nat.odd_iff.1 ho
        omega
      have h3 := (hcop.pow_right n).dvd_of_dvd_mul_right hd
      exact Nat.prime_three.eq_one_or_self_of_dvd d h3
    · rintro (rfl | rfl)
      · exact ⟨⟨Nat.one_dvd _, by omega⟩, by decide⟩
      · exact ⟨⟨Nat.dvd_mul_right _ _, by omega⟩, by decide⟩
  rw [e]
  decide

/-- valid, level 3. In every game of i against j, with i ≠ j, three points are shared: a(i, j) + a(j, i) = 3 in the
natural numbers; and a(i, i) = 0. Then for every n, twice the sum of all a(i, j) with i < n and j < n, plus 3n, equals
3n^2. -/
theorem counting_round_robin_points (a : ℕ → ℕ → ℕ) (h₀ : ∀ i j, i ≠ j → a i j + a j i = 3) (h₁ : ∀ i, a i i = 0)
    (n : ℕ) : 2 * ∑ i ∈ Finset.range n, ∑ j ∈ Finset.range n, a i j + 3 * n = 3 * n ^ 2 := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have e : ∑ i ∈ Finset.range n, ∑ j ∈ Finset.range (n + 1), a i j =
        ∑ i ∈ Finset.range n, ∑ j ∈ Finset.range n, a i j + ∑ i ∈ Finset.range n, a i n := by
      rw [← Finset.sum_add_distrib]
      exact Finset.sum_congr rfl fun i _ => by rw [Finset.sum_range_succ]
    have e2 : ∑ i ∈ Finset.range n, a i n + ∑ i ∈ Finset.range n, a n i = n * 3 := by
      rw [← Finset.sum_add_distrib, Finset.sum_const_nat (m := 3), Finset.card_range]
      intro i hi
      exact h₀ i n (by simp at hi; omega)
    rw [Finset.sum_range_succ, e, Finset.sum_range_succ, h₁]
    grind

/-- test, level 3. For any three integers a, b, c there are x, y, z in {-1, 0, 1}, not all of them 0, such that 7
divides xa + yb + zc. -/
theorem counting_signed_sum_divisible_by_seven (a b c : ℤ) :
    ∃ x ∈ [-1, 0, 1], ∃ y ∈ [-1, 0, 1], ∃ z ∈ [-1, 0, 1], (x ≠ 0 ∨ y ≠ 0 ∨ z ≠ 0) ∧ 7 ∣ x * a + y * b + z * c := by
  have key : ∀ a ∈ Finset.Icc (0 : ℤ) 6, ∀ b ∈ Finset.Icc (0 : ℤ) 6, ∀ c ∈ Finset.Icc (0 : ℤ) 6,
      ∃ x ∈ [-1, 0, 1], ∃ y ∈ [-1, 0, 1], ∃ z ∈ [-1, 0, 1], (x ≠ 0 ∨ y ≠ 0 ∨ z ≠ 0) ∧
        7 ∣ x * a + y * b + z * c := by decide +kernel
  have r : ∀ t : ℤ, t % 7 ∈ Finset.Icc (0 : ℤ) 6 := fun t => Finset.mem_Icc.2 (by omega)
  obtain ⟨x, hx, y, hy, z, hz, h, k, hk⟩ := key _ (r a) _ (r b) _ (r c)
  refine ⟨x, hx, y, hy, z, hz, h, k + x * (a / 7) + y * (b / 7) + z * (c / 7), ?_⟩
  have ea := Int.emod_add_mul_ediv a 7
  have eb := Int.emod_add_mul_ediv b 7
  have ec := Int.emod_add_mul_ediv c 7
  generalize a / 7 = a1 at *
  generalize b / 7 = b1 at *
  generalize c / 7 = c1 at *
  generalize a % 7 = a0 at *
  generalize b % 7 = b0 at *
  generalize c % 7 = c0 at *
  subst ea eb ec
  grind

/-- test, level 3. Two walkers on the integers each move by exactly 1 in every step. At the start the first is not to
the right of the second, and their distance is even; after n steps the second is not to the right of the first. Then
they are at the same place after k steps for some k ≤ n. -/
theorem counting_two_walkers_meet (f g : ℕ → ℤ) (n : ℕ) (h₀ : f 0 ≤ g 0) (h₁ : g n ≤ f n) (h₂ : Even (g 0 - f 0))
    (h₃ : ∀ i, |f (i + 1) - f i| = 1) (h₄ : ∀ i, |g (i + 1) - g i| = 1) : ∃ k, k ≤ n ∧ f k = g k := by
  have parity : ∀ i, (g i - f i) % 2 = 0 := by
    intro i
    induction i with
    | zero => exact Int.even_iff.1 h₂
    | succ i ih =>
      have a1 := h₃ i
      have a2 := h₄ i
      have b1 := abs_cases (f (i + 1) - f i)
      have b2 := abs_cases (g (i + 1) - g i)
      omega
  induction n with
  | zero => exact ⟨0, Nat.le_refl 0, by omega⟩
  | succ n ih =>
    by_cases h : g n ≤ f n
    · obtain ⟨k, hk, e⟩ := ih h
      exact ⟨k, by omega, e⟩
    · refine ⟨n + 1, Nat.le_refl _, ?_⟩
      have a1 := h₃ n
      have a2 := h₄ n
      have b1 := abs_cases (f (n + 1) - f n)
      have b2 := abs_cases (g (n + 1) - g n)
      have p1 := parity n
      have p2 := parity (n + 1)
      omega
