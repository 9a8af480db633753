-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Functions on ℕ, ℤ and ℚ: functional equations, injective and monotone functions, iterates, given recurrences. -/

/-- valid, level 2. A function f on the rational numbers satisfies f(x) + 2f(1 - x) = 3x² for all x. Show that
f(x) = x² - 4x + 2 for all x. -/
theorem function_reflection_equation (f : ℚ → ℚ) (h₀ : ∀ x, f x + 2 * f (1 - x) = 3 * x ^ 2) (x : ℚ) :
    f x = x ^ 2 - 4 * x + 2 := by
  have h1 := h₀ x
  have h2 := h₀ (1 - x)
  rw [show 1 - (1 - x) = x by grind] at h2
  grind

/-- test, level 2. An injective function f from ℕ to ℕ satisfies f(n) ≤ n for all n. Show that f(n) = n for all n. -/
theorem function_injective_below_identity (f : ℕ → ℕ) (h₀ : Function.Injective f) (h₁ : ∀ n, f n ≤ n) (n : ℕ) :
    f n = n := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    rcases Nat.eq_or_lt_of_le (h₁ n) with h | h
    · exact h
    · have := h₀ (ih (f n) h)
      omega

/-- valid, level 3. Show that there is no function f from the integers to the integers with f(f(f(n))) = n + 1 for all
n. -/
theorem function_no_cube_root_of_successor : ¬ ∃ f : ℤ → ℤ, ∀ n, f (f (f n)) = n + 1 := by
  rintro ⟨f, h⟩
  have step : ∀ n, f (n + 1) = f n + 1 := fun n => by rw [← h n, h (f n)]
  have nat : ∀ k : ℕ, ∀ a : ℤ, f (a + k) = f a + k := by
    intro k
    induction k with
    | zero => intro a; simp
    | succ k ih =>
      intro a
      have := step (a + k)
      rw [ih, Int.add_assoc] at this
      rw [show ((k + 1 : ℕ) : ℤ) = (k : ℤ) + 1 by omega, this]
      omega
  have lin : ∀ n, f n = n + f 0 := by
    intro n
    rcases Int.le_total 0 n with hp | hp
    · have := nat n.toNat 0
      rw [Int.zero_add, Int.toNat_of_nonneg hp] at this
      omega
    · have := nat (-n).toNat n
      rw [Int.toNat_of_nonneg (by omega), show n + -n = 0 by omega] at this
      omega
  have h0 := h 0
  rw [lin (f (f 0)), lin (f 0)] at h0
  omega

/-- test, level 1. A function f on the rational numbers satisfies f(f(x)) = 3x + 2 for all x. Show that f is
injective. -/
theorem function_injective_from_iterate (f : ℚ → ℚ) (h₀ : ∀ x, f (f x) = 3 * x + 2) : Function.Injective f := by
  intro x y hxy
  have h1 := h₀ x
  have h2 := h₀ y
  grind

/-- valid, level 3. A function f from ℕ to ℕ satisfies 3f(n) + 2f(f(n)) = 5n for all n. Show that f(n) = n for all
n. -/
theorem function_weighted_iterate_identity (f : ℕ → ℕ) (h₀ : ∀ n, 3 * f n + 2 * f (f n) = 5 * n) (n : ℕ) :
    f n = n := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    have hn := h₀ n
    rcases Nat.lt_trichotomy (f n) n with h | h | h
    · have := ih (f n) h
      omega
    · exact h
    · have h1 : f (f n) < n := by omega
      have h2 := ih (f (f n)) h1
      have h3 := h₀ (f n)
      rw [h2] at h3
      omega

/-- test, level 3. Let f(x) = 2x + 1 for integers x. Show that n applications of f take x to 2ⁿ(x + 1) - 1. -/
theorem function_iterate_double_plus_one (f : ℤ → ℤ) (h₀ : ∀ x, f x = 2 * x + 1) (n : ℕ) (x : ℤ) :
    f^[n] x = 2 ^ n * (x + 1) - 1 := by
  induction n generalizing x with
  | zero => simp [Nat.iterate]
  | succ n ih =>
    rw [Nat.iterate, ih, h₀, Int.pow_succ]
    grind

/-- valid, level 2. A sequence of integers has a₀ = 0, a₁ = 3 and aₙ₊₂ = 7aₙ₊₁ - 10aₙ. Show that aₙ = 5ⁿ - 2ⁿ. -/
theorem function_recurrence_five_two (a : ℕ → ℤ) (h₀ : a 0 = 0) (h₁ : a 1 = 3)
    (h₂ : ∀ n, a (n + 2) = 7 * a (n + 1) - 10 * a n) (n : ℕ) : a n = 5 ^ n - 2 ^ n := by
  have key : ∀ n, a n = 5 ^ n - 2 ^ n ∧ a (n + 1) = 5 ^ (n + 1) - 2 ^ (n + 1) := by
    intro n
    induction n with
    | zero => exact ⟨h₀, h₁⟩
    | succ n ih =>
      refine ⟨ih.2, ?_⟩
      have := h₂ n
      grind
  exact (key n).1

/-- test, level 2. Two sequences of integers have x₀ = 3, y₀ = 1 and xₙ₊₁ = 5xₙ + 12yₙ, yₙ₊₁ = 2xₙ + 5yₙ. Show that xₙ²
- 6yₙ² = 3 and yₙ > n for all n. -/
theorem function_pell_sequences (x y : ℕ → ℤ) (h₀ : x 0 = 3) (h₁ : y 0 = 1) (h₂ : ∀ n, x (n + 1) = 5 * x n + 12 * y n)
    (h₃ : ∀ n, y (n + 1) = 2 * x n + 5 * y n) (n : ℕ) : x n ^ 2 - 6 * y n ^ 2 = 3 ∧ (n : ℤ) < y n := by
  have key : x n ^ 2 - 6 * y n ^ 2 = 3 ∧ (n : ℤ) < y n ∧ 0 < x n := by
    induction n with
    | zero => rw [h₀, h₁]; decide
    | succ n ih =>
      rw [h₂, h₃]
      obtain ⟨h, h', h''⟩ := ih
      refine ⟨by grind, by omega, by omega⟩
  exact ⟨key.1, key.2.1⟩

/-- valid, level 1. A function on ℕ with integer values satisfies f(n + 3) = f(n + 2) - f(n + 1) + f(n) for all n. Show
that it has period four. -/
theorem function_alternating_period_four (f : ℕ → ℤ) (h₀ : ∀ n, f (n + 3) = f (n + 2) - f (n + 1) + f n) (n : ℕ) :
    f (n + 4) = f n := by
  have h1 := h₀ n
  have h2 := h₀ (n + 1)
  grind

/-- test, level 3. A sequence of nonzero rational numbers satisfies f(n)f(n + 2) = 2f(n + 1) for all n. Show that it
has period six, and that the product of any six consecutive terms is 64. -/
theorem function_quotient_period_six (f : ℕ → ℚ) (h₀ : ∀ n, f n ≠ 0) (h₁ : ∀ n, f n * f (n + 2) = 2 * f (n + 1))
    (n : ℕ) : f (n + 6) = f n ∧ ∏ i ∈ Finset.range 6, f (n + i) = 64 := by
  have three : ∀ n, f n * f (n + 3) = 4 := by
    intro n
    have a := h₀ (n + 1)
    have b := h₀ (n + 2)
    have e := h₁ n
    have e' := h₁ (n + 1)
    simp only [Nat.add_assoc, Nat.reduceAdd] at e'
    grind
  have t0 := three n
  have t1 := three (n + 1)
  have t2 := three (n + 2)
  have t3 := three (n + 3)
  simp only [Nat.add_assoc, Nat.reduceAdd] at t1 t2 t3
  constructor
  · have a := h₀ (n + 3)
    grind
  · simp only [Finset.prod_range_succ, Finset.prod_range_zero, Nat.add_zero]
    grind

/-- valid, level 2. A monotone function f on the integers satisfies f(f(f(x))) = x for all x. Show that f(x) = x for
all x. -/
theorem function_monotone_of_order_three (f : ℤ → ℤ) (h₀ : Monotone f) (h₁ : ∀ x, f (f (f x)) = x) (x : ℤ) :
    f x = x := by
  rcases Int.le_total (f x) x with h | h
  · have a := h₀ h
    have b := h₀ a
    rw [h₁] at b
    omega
  · have a := h₀ h
    have b := h₀ a
    rw [h₁] at b
    omega

/-- test, level 2. Show that every function from ℕ to the integers is the difference of two strictly increasing
functions. -/
theorem function_difference_of_increasing (f : ℕ → ℤ) :
    ∃ g h : ℕ → ℤ, StrictMono g ∧ StrictMono h ∧ ∀ n, f n = g n - h n := by
  have mono : ∀ u : ℕ → ℤ, (∀ n, u n < u (n + 1)) → StrictMono u := by
    intro u hu a b hab
    induction b with
    | zero => omega
    | succ b ih =>
      have := hu b
      rcases Nat.eq_or_lt_of_le (Nat.le_of_lt_succ hab) with rfl | h
      · exact this
      · have := ih h
        omega
  refine ⟨fun n => ∑ i ∈ Finset.range n, (|f (i + 1) - f i| + 1),
    fun n => ∑ i ∈ Finset.range n, (|f (i + 1) - f i| + 1) - f n, mono _ fun n => ?_, mono _ fun n => ?_,
    fun n => by dsimp only; omega⟩
  · dsimp only
    rw [Finset.sum_range_succ]
    grind
  · dsimp only
    rw [Finset.sum_range_succ]
    grind

/-- test, level 1. Let f(x) = (2x + 3)/(x - 2) for rational x. Show that f(f(x)) = x for every rational x other than
2. -/
theorem function_self_inverse_fraction (f : ℚ → ℚ) (h₀ : ∀ x, f x = (2 * x + 3) / (x - 2)) (x : ℚ) (h₁ : x ≠ 2) :
    f (f x) = x := by
  have : x - 2 ≠ 0 := by grind
  rw [h₀ (f x), h₀ x]
  grind

/-- valid, level 1. Show that the function f(x) = x² + x on the integers is neither injective nor surjective. -/
theorem function_square_plus_self_not_injective_surjective (f : ℤ → ℤ) (h₀ : ∀ x, f x = x ^ 2 + x) :
    ¬ Function.Injective f ∧ ¬ Function.Surjective f := by
  constructor
  · intro h
    have := @h 0 (-1) (by rw [h₀, h₀]; decide)
    omega
  · intro h
    obtain ⟨x, hx⟩ := h (-1)
    rw [h₀] at hx
    have := sq_nonneg (2 * x + 1)
    grind

/-- valid, level 1. A function f from ℕ to ℤ satisfies f(m + n) = f(m)f(n) for all m, n, and f(1) = 3. Show that
f(5) = 243. -/
theorem function_exponential_fifth_value (f : ℕ → ℤ) (h₀ : ∀ m n, f (m + n) = f m * f n) (h₁ : f 1 = 3) :
    f 5 = 243 := by
  have h2 := h₀ 1 1
  have h3 := h₀ 2 2
  have h4 := h₀ 4 1
  simp at h2 h3 h4
  grind

/-- test, level 1. Let f be a monotone function from ℕ to the integers. Show that the function f(n) + n is strictly
increasing. -/
theorem function_monotone_plus_identity (f : ℕ → ℤ) (h₀ : Monotone f) : StrictMono (fun n => f n + n) := by
  intro a b hab
  have := h₀ (Nat.le_of_lt hab)
  show f a + a < f b + b
  omega

/-- valid, level 1. A function on ℕ halves even numbers and takes odd n to n + 5. Show that 7 applications take 7 to 1,
and that 5 is a fixed point of the second iterate of f. -/
theorem function_halve_or_add_five (f : ℕ → ℕ) (h₀ : ∀ n, f n = if Even n then n / 2 else n + 5) :
    f^[7] 7 = 1 ∧ f^[2] 5 = 5 := by
  have : f = fun n => if Even n then n / 2 else n + 5 := funext h₀
  rw [this]
  decide

/-- test, level 1. Show that the function x² - 4x is injective on the rational numbers x ≥ 2. -/
theorem function_parabola_branch_injective : Set.InjOn (fun x : ℚ => x ^ 2 - 4 * x) (Set.Ici 2) := by
  intro x hx y hy h
  simp only [Set.mem_Ici] at hx hy h
  have e : (x - y) * (x + y - 4) = 0 := by grind
  rcases Rat.mul_eq_zero.1 e with h | h <;> grind

/-- valid, level 2. Show that the function on ℕ which takes even n to n + 1 and odd n to n - 1 is bijective. -/
theorem function_swap_neighbours_bijective (f : ℕ → ℕ) (h₀ : ∀ n, Even n → f n = n + 1)
    (h₁ : ∀ n, Odd n → f n = n - 1) : Function.Bijective f := by
  have inv : ∀ n, f (f n) = n := by
    intro n
    rcases Nat.even_or_odd n with h | h
    · rw [h₀ n h, h₁ (n + 1) (by grind)]
      omega
    · rw [h₁ n h, h₀ (n - 1) (by grind)]
      grind
  refine ⟨fun a b h => ?_, fun b => ⟨f b, inv b⟩⟩
  rw [← inv a, ← inv b, h]

/-- test, level 2. A function f from ℕ to the integers satisfies f(n + 3) = f(n) and f(n + 5) = f(n) for all n. Show
that f is constant. -/
theorem function_two_coprime_periods (f : ℕ → ℤ) (h₀ : ∀ n, f (n + 3) = f n) (h₁ : ∀ n, f (n + 5) = f n) :
    ∃ c, ∀ n, f n = c := by
  refine ⟨f 0, fun n => ?_⟩
  induction n with
  | zero => rfl
  | succ n ih =>
    have a := h₁ (n + 1)
    have b := h₀ (n + 3)
    have c := h₀ n
    rw [show n + 1 + 5 = n + 3 + 3 by omega] at a
    omega

/-- valid, level 3. A function f on the integers keeps distances: |f(x) - f(y)| = |x - y| for all x, y; and f(0) = 0.
Show that f(x) = x for all x, or f(x) = -x for all x. -/
theorem function_integer_isometry (f : ℤ → ℤ) (h₀ : ∀ x y, |f x - f y| = |x - y|) (h₁ : f 0 = 0) :
    (∀ x, f x = x) ∨ ∀ x, f x = -x := by
  have h2 := h₀ 1 0
  rw [h₁] at h2
  have h3 : f 1 = 1 ∨ f 1 = -1 := by grind
  rcases h3 with h3 | h3
  · left
    intro x
    have a := h₀ x 0
    have b := h₀ x 1
    rw [h₁] at a
    rw [h3] at b
    grind
  · right
    intro x
    have a := h₀ x 0
    have b := h₀ x 1
    rw [h₁] at a
    rw [h3] at b
    grind

/-- test, level 3. A function f on the integers satisfies f(x + f(y)) = f(x) + 9y for all x, y. Show that f(0) = 0,
that f(f(x)) = 9x for all x, and that f(x + y) = f(x) + f(y) for all x, y. -/
theorem function_additive_from_shift_by_nine (f : ℤ → ℤ) (h₀ : ∀ x y, f (x + f y) = f x + 9 * y) :
    f 0 = 0 ∧ (∀ x, f (f x) = 9 * x) ∧ ∀ x y, f (x + y) = f x + f y := by
  have h1 : ∀ y, f (f y) = f 0 + 9 * y := fun y => by
    have := h₀ 0 y
    rwa [Int.zero_add] at this
  have h2 : f 0 = 0 := by
    have a := h1 0
    have b := h1 (f 0)
    rw [a, Int.mul_zero, Int.add_zero] at b
    omega
  have h3 : ∀ x, f (f x) = 9 * x := fun x => by rw [h1, h2, Int.zero_add]
  have h4 : ∀ x, f (9 * x) = 9 * f x := fun x => by rw [← h3, h3 (f x)]
  refine ⟨h2, h3, fun x y => ?_⟩
  have h5 := h₀ (9 * x) (f y)
  have h6 := h4 (x + y)
  rw [h3, h4, ← Int.mul_add, h6] at h5
  omega

/-- valid, level 3. A function on ℕ satisfies f(0) = 0, f(2n) = f(n) and f(2n + 1) = f(n) + 1 for all n (it counts
binary ones). Show that f(m + n) ≤ f(m) + f(n) for all m, n. -/
theorem function_binary_ones_subadditive (f : ℕ → ℕ) (h₀ : f 0 = 0) (h₁ : ∀ n, f (2 * n) = f n)
    (h₂ : ∀ n, f (2 * n + 1) = f n + 1) (m n : ℕ) : f (m + n) ≤ f m + f n := by
  have f1 : f 1 = 1 := by
    have := h₂ 0
    simpa [h₀] using this
  have key : ∀ N m n : ℕ, m + n ≤ N → f (m + n) ≤ f m + f n := by
    intro N
    induction N with
    | zero =>
      intro m n h
      obtain ⟨rfl, rfl⟩ : m = 0 ∧ n = 0 := by omega
      simp [h₀]
    | succ N ih =>
      intro m n h
      have hm : m = 2 * (m / 2) ∨ m = 2 * (m / 2) + 1 := by omega
      have hn : n = 2 * (n / 2) ∨ n = 2 * (n / 2) + 1 := by omega
      generalize m / 2 = a at hm
      generalize n / 2 = b at hn
      rcases hm with rfl | rfl <;> rcases hn with rfl | rfl
      · by_cases h0 : a + b = 0
        · obtain ⟨rfl, rfl⟩ : a = 0 ∧ b = 0 := by omega
          simp [h₀]
        · have := ih a b (by omega)
          rw [← Nat.mul_add, h₁, h₁, h₁]
          exact this
      · have := ih a b (by omega)
        rw [show 2 * a + (2 * b + 1) = 2 * (a + b) + 1 by omega, h₂, h₁, h₂]
        omega
      · have := ih a b (by omega)
        rw [show 2 * a + 1 + 2 * b = 2 * (a + b) + 1 by omega, h₂, h₁, h₂]
        omega
      · have i1 := ih a b (by omega)
        have i2 := ih (a + b) 1 (by omega)
        rw [show 2 * a + 1 + (2 * b + 1) = 2 * (a + b + 1) by omega, h₁, h₂, h₂]
        omega
  exact key _ m n (Nat.le_refl _)

/-- test, level 3. A function f on the integers satisfies f(x + y) + f(x - y) = 2f(x) + 6y² for all x, y, and f(0) = 5,
f(1) = 4. Show that f(n) = 3n² - 4n + 5 for every natural number n. -/
theorem function_second_difference_equation (f : ℤ → ℤ) (h₀ : ∀ x y, f (x + y) + f (x - y) = 2 * f x + 6 * y ^ 2)
    (h₁ : f 0 = 5) (h₂ : f 1 = 4) (n : ℕ) : f n = 3 * (n : ℤ) ^ 2 - 4 * n + 5 := by
  have key : ∀ n : ℕ, f n = 3 * (n : ℤ) ^ 2 - 4 * n + 5 ∧
      f ((n : ℤ) + 1) = 3 * ((n : ℤ) + 1) ^ 2 - 4 * (n + 1) + 5 := by
    intro n
    induction n with
    | zero => exact ⟨h₁, h₂⟩
    | succ n ih =>
      have e : ((n + 1 : ℕ) : ℤ) = (n : ℤ) + 1 := by omega
      rw [e]
      refine ⟨ih.2, ?_⟩
      have h := h₀ ((n : ℤ) + 1) 1
      rw [show (n : ℤ) + 1 - 1 = n by omega, ih.1, ih.2] at h
      grind
  exact (key n).1
