-- Theorems that check on top of `pythagoras/lean/headers/core.lean`; one definition or lemma each.
-- Items are separated by blank lines; no item needs another.

-- Sets

theorem set_mem_builder : (3 : ℕ) ∈ {n : ℕ | n % 2 = 1} := by decide

theorem set_mem_literal : (2 : ℤ) ∈ ({1, 2, 3} : Set ℤ) := by simp

theorem set_ext : ({1, 2} : Set ℕ) = {2, 1} := by ext x; simp; omega

theorem set_sep (S : Set ℕ) (h : 4 ∈ S) : 4 ∈ {n ∈ S | n % 2 = 0} := by simp [h]

theorem set_pattern : ((2, 1) : ℕ × ℕ) ∈ {(x, y) : ℕ × ℕ | x > y} := by simp

theorem set_union_inter (A B C : Set ℤ) : A ∩ (B ∪ C) = (A ∩ B) ∪ (A ∩ C) := by ext x; simp; grind

theorem set_diff (S : Set ℕ) (u v : ℕ) (h : v ∈ S \ {u}) : v ≠ u := by simp at h; exact h.2

theorem set_subset : ({1, 2} : Set ℕ) ⊆ Set.Icc 1 5 := by intro x hx; simp at hx ⊢; omega

theorem set_interval (x : ℚ) (h : x ∈ Set.Ioo (0 : ℚ) 1) : 0 < x + x := by simp at h; grind

theorem set_range : (9 : ℕ) ∈ Set.range (fun n : ℕ => n ^ 2) := ⟨3, rfl⟩

theorem set_empty (S : Set ℕ) (h : ∀ x, ¬ x ∈ S) : S = ∅ := by ext x; simp [h x]

theorem set_ncard : Set.ncard (↑({1, 2, 3} : Finset ℕ) : Set ℕ) = 3 := by rw [Set.ncard_coe_finset]; rfl

-- Least and greatest elements

theorem least_mod : IsLeast {x : ℕ | 30 * x ≡ 42 [MOD 47]} 39 := by
  constructor
  · decide
  · intro x hx; simp at hx; omega

theorem least_value (S : Set ℕ) (u : ℕ) (h : ∀ n, n ∈ S ↔ 0 < n ∧ 14 * n % 100 = 46) (hu : IsLeast S u) : u = 39 := by
  have h1 := (h u).1 hu.1
  have h2 := hu.2 ((h 39).2 (by decide))
  omega

theorem greatest_range : IsGreatest {n : ℤ | 3 * n ≤ 20} 6 := by
  constructor
  · decide
  · intro x hx; simp at hx; omega

theorem bounds_mem : (5 : ℕ) ∈ upperBounds {n : ℕ | n < 6} := by simp; omega

-- Finsets

theorem finset_ext : ({1, 2} : Finset ℕ) = {2, 1} := by decide

theorem finset_ext_simp : ({1, 2} : Finset ℕ) = {2, 1} := by ext x; simp; omega

theorem finset_duplicates : ({1, 1, 2} : Finset ℕ).card = 2 := by decide

theorem finset_mem_range (x : ℕ) : x ∈ Finset.range 5 ↔ x < 5 := by simp

theorem finset_mem_Icc_int (x : ℤ) (h : x ∈ Finset.Icc (-2) 2) : x ^ 2 ≤ 4 := by
  revert x; decide

theorem finset_Ico_card : (Finset.Ico 3 10).card = 7 := by rfl

theorem finset_Ioo_int : Finset.Ioo (-2 : ℤ) 2 = {-1, 0, 1} := by decide

theorem finset_Ioc_eq : Finset.Ioc 0 3 = Finset.Icc 1 3 := by ext x; simp; omega

theorem finset_filter_card : Finset.card (Finset.filter (fun x => x % 19 = 7) (Finset.Icc 100 999)) = 48 := by
  decide +kernel

theorem finset_filter_dot : ((Finset.range 10).filter fun x => x % 3 = 0).card = 4 := by rfl

theorem finset_sep : {x ∈ Finset.range 5 | x % 2 = 0} = {0, 2, 4} := by decide

theorem finset_sep_mem (x : ℕ) : x ∈ {x ∈ Finset.range 5 | x % 2 = 0} ↔ x < 5 ∧ x % 2 = 0 := by simp

theorem finset_union : (Finset.range 3 ∪ {5, 6}).card = 5 := by decide

theorem finset_inter_sdiff (s t : Finset ℕ) : (s ∩ t) ∪ (s \ t) = s := by ext x; simp; grind

theorem finset_image : (Finset.range 7).image (fun n => n * n % 7) = {0, 1, 2, 4} := by decide

theorem finset_forall : ∀ x ∈ Finset.range 20, x * x % 4 = 0 ∨ x * x % 4 = 1 := by decide

theorem finset_exists : ∃ x ∈ Finset.Icc 1 40, x ^ 2 = 1369 := by decide

theorem finset_card_of_mem_iff (S : Finset ℕ) (h : ∀ x, x ∈ S ↔ 0 < x ∧ x ^ 2 < 20) : S.card = 4 := by
  have : S = {1, 2, 3, 4} := by
    ext x
    rw [h]
    constructor
    · intro ⟨h1, h2⟩
      have : x < 5 := by
        rcases Nat.lt_or_ge x 5 with h | h
        · exact h
        · have := Nat.pow_le_pow_left h 2
          omega
      simp; omega
    · intro hx
      simp at hx
      rcases hx with rfl | rfl | rfl | rfl <;> decide
  rw [this]; rfl

theorem finset_induction (s : Finset ℕ) : ∑ k ∈ s, 2 * k = 2 * ∑ k ∈ s, k := by
  induction s using Finset.induction_on with
  | empty => rfl
  | insert a s h ih => rw [Finset.sum_insert h, Finset.sum_insert h, ih]; omega

theorem finset_univ : (Finset.univ : Finset (Fin 4)).card = 4 := by rfl

-- Sums and products

theorem sum_odd (n : ℕ) : ∑ k ∈ Finset.range n, (2 * k + 1) = n ^ 2 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_range_succ, ih]; grind

theorem sum_gauss (n : ℕ) : 2 * ∑ k ∈ Finset.range (n + 1), k = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_range_succ, Nat.mul_add, ih]; grind

theorem sum_in_notation : ∑ k in Finset.range 5, k = 10 := by decide

theorem sum_Icc_decide : (∑ k ∈ Finset.Icc 1 9, 11 ^ k) % 100 = 59 := by decide

theorem sum_Icc_top (n : ℕ) : ∑ k ∈ Finset.Icc 1 n, (2 * k - 1) = n ^ 2 := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.sum_Icc_succ_top (by omega), ih]; grind

theorem sum_body_strength (n : ℕ) : ∑ k ∈ Finset.range n, k + 1 = (∑ k ∈ Finset.range n, k) + 1 := rfl

theorem sum_rat (n : ℕ) : ∑ _k ∈ Finset.range n, (1 : ℚ) / 2 = n / 2 := by
  induction n with
  | zero => decide +kernel
  | succ n ih => rw [Finset.sum_range_succ, ih, Rat.natCast_add]; grind

theorem sum_simp : ∑ k ∈ Finset.range 4, (k : ℤ) ^ 2 = 14 := by simp [Finset.sum_range_succ]

theorem sum_filter_decide : ∑ k ∈ Finset.filter (fun x => x % 8 = 5 ∧ x % 6 = 3) (Finset.range 50), k = 66 := by decide

theorem sum_with : ∑ k ∈ Finset.range 10 with k % 2 = 1, k = 25 := by decide

theorem sum_add (s : Finset ℕ) (f g : ℕ → ℤ) : ∑ i ∈ s, (f i + g i) = ∑ i ∈ s, f i + ∑ i ∈ s, g i :=
  Finset.sum_add_distrib

theorem sum_mul_left (s : Finset ℕ) (f : ℕ → ℚ) : 3 * ∑ i ∈ s, f i = ∑ i ∈ s, 3 * f i := Finset.mul_sum s f 3

theorem sum_congr_mod : ∑ k ∈ Finset.range 6, k % 3 = 6 := by rfl

theorem sum_univ_fin : ∑ i : Fin 5, (i : ℕ) = 10 := by decide

theorem sum_cast (n : ℕ) : ((∑ k ∈ Finset.range n, k : ℕ) : ℤ) = ∑ k ∈ Finset.range n, (k : ℤ) := by simp

theorem prod_range (n : ℕ) : ∏ k ∈ Finset.range n, (k + 1) = n ! := by
  induction n with
  | zero => rfl
  | succ n ih => rw [Finset.prod_range_succ, ih, Nat.factorial_succ, Nat.mul_comm]

theorem prod_decide : ∏ k ∈ Finset.Icc 1 6, k = 720 := by decide

-- Parity

theorem even_nat : Even 10 := by decide

theorem even_witness (n : ℕ) (h : Even n) : ∃ k, n = 2 * k := by obtain ⟨r, hr⟩ := h; exact ⟨r, by omega⟩

theorem odd_int : Odd (-3 : ℤ) := by decide

theorem even_add_one (n : ℕ) (h : Odd n) : Even (n + 1) := by grind

theorem even_product (n : ℤ) : Even (n * (n + 1)) := by
  rw [Int.even_mul, Int.even_iff, Int.even_iff]; omega

theorem odd_square (n : ℕ) (h : Odd n) : Odd (n * n) := Nat.odd_mul.2 ⟨h, h⟩

theorem not_even (n : ℕ) : ¬ Even n ↔ Odd n := by simp

-- Primes

theorem prime_small : Nat.Prime 97 := by decide

theorem prime_thousands : Nat.Prime 7919 := by decide

theorem prime_kernel : Nat.Prime 104729 := by decide +kernel

theorem not_prime : ¬ Nat.Prime 7917 := by decide

theorem prime_count : ((Finset.range 30).filter Nat.Prime).card = 10 := by decide

theorem prime_two_le (p : ℕ) (h : p.Prime) : 1 < p := h.two_le

theorem prime_divisor (p : ℕ) (h : p.Prime) (h3 : 3 ∣ p) : p = 3 := by
  have := h.eq_one_or_self_of_dvd 3 h3; omega

theorem prime_dvd_mul (p a b : ℕ) (h : p.Prime) (hd : p ∣ a * b) (ha : ¬ p ∣ a) : p ∣ b :=
  (h.dvd_mul.1 hd).resolve_left ha

theorem prime_dvd_square (p n : ℕ) (h : p.Prime) (hd : p ∣ n ^ 2) : p ∣ n := h.dvd_of_dvd_pow hd

theorem prime_odd (p : ℕ) (h : p.Prime) (h2 : p ≠ 2) : Odd p := Nat.odd_iff.2 (h.eq_two_or_odd.resolve_left h2)

theorem prime_factor_exists : ∃ p, Nat.Prime p ∧ p ∣ 91 := ⟨7, by decide⟩

theorem prime_iff_prime (p : ℕ) (h : p.Prime) : _root_.Prime p := Nat.prime_iff.1 h

-- Congruences

theorem modEq_decide : 171 ≡ 80 [MOD 7] := by decide

theorem modEq_omega (a b : ℕ) (h : a ≡ 5 [MOD 16]) (h' : b ≡ 10 [MOD 16]) : a + b ≡ 15 [MOD 16] := by omega

theorem modEq_pow (a : ℕ) (h : a ≡ 2 [MOD 7]) : a ^ 3 ≡ 1 [MOD 7] := (h.pow 3).trans (by decide)

theorem modEq_int (a : ℤ) (h : a ≡ -1 [ZMOD 5]) : a ≡ 4 [ZMOD 5] := by omega

theorem modEq_int_dvd (a b : ℤ) (h : a ≡ b [ZMOD 9]) : 9 ∣ b - a := Int.modEq_iff_dvd.1 h

theorem zmod_inverse : ((3 : ZMod 31)⁻¹ + 5⁻¹)⁻¹ = 29 := by decide

theorem zmod_zero : (4 : ZMod 0) ≠ 5 := by decide

-- Factorial, binomials, Fibonacci, digits, roots, divisors

theorem factorial_mod : 9! % 10 = 0 := by decide

theorem factorial_gcd : Nat.gcd 20! 200000 = 40000 := by decide

theorem factorial_grows (n : ℕ) (h : 4 ≤ n) : n ^ 2 ≤ n ! := by
  induction n, h using Nat.le_induction with
  | base => decide
  | succ n h ih =>
    rw [Nat.factorial_succ, Nat.pow_two]
    refine Nat.mul_le_mul_left (n + 1) (Nat.le_trans ?_ ih)
    rw [Nat.pow_two]
    exact Nat.le_trans (by omega : n + 1 ≤ 2 * n) (Nat.mul_le_mul_right n (by omega))

theorem factorial_parenthesised (n : ℕ) : (n + 1)! = (n + 1) * (n)! := Nat.factorial_succ n

theorem choose_value : Nat.choose 10 3 = 120 := by decide

theorem choose_pascal (n k : ℕ) (h : 0 < n ∧ 0 < k) :
    Nat.choose n k = Nat.choose (n - 1) k + Nat.choose (n - 1) (k - 1) := by
  obtain ⟨m, rfl⟩ : ∃ m, n = m + 1 := ⟨n - 1, by omega⟩
  obtain ⟨j, rfl⟩ : ∃ j, k = j + 1 := ⟨k - 1, by omega⟩
  rw [Nat.choose_succ_succ, Nat.add_comm]; rfl

theorem fib_value : Nat.fib 20 = 6765 := by decide

theorem fib_step (n : ℕ) : Nat.fib (n + 2) = Nat.fib n + Nat.fib (n + 1) := Nat.fib_add_two

theorem digits_value : Nat.digits 10 123 = [3, 2, 1] := by decide

theorem digits_sum : (Nat.digits 10 (2 ^ 20)).sum = 31 := by decide

theorem digits_step (n : ℕ) (h : 0 < n) : Nat.digits 10 n = n % 10 :: Nat.digits 10 (n / 10) :=
  Nat.digits_def' (by decide) h

theorem sqrt_value : Nat.sqrt 196 = 14 := by decide

theorem sqrt_bound (n : ℕ) (h : n ≤ 99) : Nat.sqrt n < 10 := by
  have := Nat.sqrt_le n
  rcases Nat.lt_or_ge (Nat.sqrt n) 10 with h' | h'
  · exact h'
  · have := Nat.mul_le_mul h' h'
    omega

theorem divisors_sum : ∑ k ∈ Nat.divisors 36, k = 91 := by decide

theorem properDivisors_sum : (∑ k ∈ Nat.properDivisors 198, k) = 270 := by decide

theorem divisors_mem (n : ℕ) (h : n ∈ Nat.divisors 12) : n ∣ 12 := by simp at h; exact h

theorem totient_value : Nat.totient 36 = 12 := by decide

-- Absolute value, floor, ceiling, max

theorem abs_value : |(-3 : ℤ)| = 3 := by decide

theorem abs_split (x : ℤ) (h : |x + 4| < 9) : -13 < x := by rw [abs_lt] at h; omega

theorem abs_by_cases (x : ℤ) : |x| * |x| = x * x := by rcases abs_cases x with h | h <;> rw [h.1]; grind

theorem abs_rat (x : ℚ) (h : |x - 1| ≤ 3) : x ≤ 4 := by grind

theorem abs_rat_value : |(-3 / 2 : ℚ)| = 3 / 2 := by grind

theorem abs_nonneg_rat (x : ℚ) : 0 ≤ |x| + |x| := by have := abs_nonneg x; grind

theorem floor_value : ⌊(7 / 2 : ℚ)⌋ = 3 := by decide +kernel

theorem floor_negative : ⌊(-7 / 2 : ℚ)⌋ = -4 := by rw [Int.floor_eq_iff]; grind

theorem ceil_value : ⌈(7 / 2 : ℚ)⌉ = 4 := by decide +kernel

theorem nat_floor_value : ⌊(-7 / 2 : ℚ)⌋₊ = 0 := by decide +kernel

theorem floor_le_self (x : ℚ) : (⌊x⌋ : ℚ) ≤ x := Int.floor_le x

theorem max_value (a b : ℚ) (h : a < b) : max a b = b := by grind

-- Functions, quantifiers, order, algebra names

theorem existsUnique : ∃! x : ℕ, 3 * x = 12 := ⟨4, by decide, fun y h => by dsimp at h; omega⟩

theorem bijective_succ : Function.Bijective (fun n : ℤ => n + 1) :=
  ⟨fun _ _ h => by dsimp at h; omega, fun b => ⟨b - 1, by dsimp; omega⟩⟩

theorem iterate_value : (fun n : ℕ => 2 * n)^[5] 1 = 32 := by decide

theorem strictMono_double : StrictMono (fun n : ℕ => 2 * n) := fun a b h => by dsimp; omega

theorem square_inequality (a b : ℚ) : 2 * a * b ≤ a ^ 2 + b ^ 2 := by
  have := sq_nonneg (a - b); grind

theorem algebra_names (a b : ℤ) : a * b * 1 + 0 = b * a := by rw [mul_one, add_zero, mul_comm]

theorem rat_arithmetic : 1 + 1 / (1 + 1 / (1 + 1)) = (5 : ℚ) / 3 := by decide +kernel

theorem rat_denominator : ((3 : ℚ) / 6).den = 2 := by decide +kernel
