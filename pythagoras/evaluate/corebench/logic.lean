-- CoreBench canary: benchmark, never training data (6f2c9a41-5d0e-4b7f-9c3a-2e81d7b0546f)
/-! Logic: knights and knaves, quantifiers, sets and functions, relations, games and invariants. -/

/-- valid, level 1. On an island of knights, who always tell the truth, and knaves, who always lie, A says that B is a
knave, and B says that A and B are of the same kind. With A and B for being a knight: if A ↔ ¬B and B ↔ (A ↔ B), then A
is a knight and B is a knave. -/
theorem logic_knave_accuses_and_same (A B : Prop) (h₀ : A ↔ ¬ B) (h₁ : B ↔ (A ↔ B)) : A ∧ ¬ B := by
  grind

/-- test, level 1. If a function f from the integers to the integers satisfies f(f(x)) = x + 2 for all x, then f(x + 2)
= f(x) + 2 for every x. -/
theorem logic_half_shift_commutes (f : ℤ → ℤ) (h₀ : ∀ x, f (f x) = x + 2) (x : ℤ) : f (x + 2) = f x + 2 := by
  rw [← h₀ x, h₀ (f x)]

/-- valid, level 1. A set of integers contains 6, 10 and 15 and, with any a and b, also a - b. Then it contains 1. -/
theorem logic_closed_under_differences (S : Set ℤ) (h₀ : 6 ∈ S) (h₁ : 10 ∈ S) (h₂ : 15 ∈ S)
    (h₃ : ∀ a b, a ∈ S → b ∈ S → a - b ∈ S) : 1 ∈ S := by
  have h4 := h₃ 10 15 h₁ h₂
  have h5 := h₃ 6 6 h₀ h₀
  have h6 := h₃ 0 (10 - 15) h5 h4
  have h7 := h₃ 6 5 h₀ h6
  exact h7

/-- test, level 1. Of three notes, the first says that at most one of the notes is true (no two of them are), the second
that exactly one of the first and the third is true, the third that exactly two of the notes are true. If each note is
true exactly if what it says holds, then the first is false and the other two are true. -/
theorem logic_three_notes_about_truth (p q r : Prop)
    (h₀ : p ↔ ¬ (p ∧ q) ∧ ¬ (p ∧ r) ∧ ¬ (q ∧ r)) (h₁ : q ↔ ¬ (p ↔ r))
    (h₂ : r ↔ (p ∧ q ∧ ¬ r) ∨ (p ∧ ¬ q ∧ r) ∨ (¬ p ∧ q ∧ r)) : ¬ p ∧ q ∧ r := by
  grind

/-- valid, level 1. There are no c and d (perhaps the same) such that c admires exactly those who do not admire d, and d
admires exactly those whom c admires. -/
theorem logic_two_impossible_critics {α : Type} (admires : α → α → Prop) :
    ¬ ∃ c d, (∀ x, admires c x ↔ ¬ admires x d) ∧ ∀ x, admires d x ↔ admires c x := by
  rintro ⟨c, d, h1, h2⟩
  have a1 := h1 d
  have a2 := h2 d
  grind

/-- test, level 1. For sets A, B, C of natural numbers, (A \ B) ∪ (B \ C) ∪ (C \ A) = (A ∪ B ∪ C) \ (A ∩ B ∩ C). -/
theorem logic_cyclic_differences (A B C : Set ℕ) :
    (A \ B) ∪ (B \ C) ∪ (C \ A) = (A ∪ B ∪ C) \ (A ∩ B ∩ C) := by
  ext x
  simp only [Set.mem_union, Set.mem_diff, Set.mem_inter_iff]
  grind

/-- valid, level 1. There is a symmetric relation R between natural numbers such that every x has a y with R(x, y), but
no single y has R(x, y) for all x. -/
theorem logic_symmetric_quantifier_exchange_fails : ∃ R : ℕ → ℕ → Prop, (∀ x y, R x y → R y x) ∧
    (∀ x, ∃ y, R x y) ∧ ¬ ∃ y, ∀ x, R x y := by
  refine ⟨fun x y => x ≠ y, fun x y h => h.symm, fun x => ⟨x + 1, by omega⟩, ?_⟩
  rintro ⟨y, hy⟩
  exact hy y rfl

/-- test, level 1. If rational numbers x and y satisfy x < y + 2ε for every positive rational ε, then x ≤ y. -/
theorem logic_below_with_all_margins (x y : ℚ) (h₀ : ∀ ε : ℚ, 0 < ε → x < y + 2 * ε) : x ≤ y := by
  false_or_by_contra
  have h := h₀ ((x - y) / 2) (by grind)
  grind

/-- valid, level 1. If maps f and g of a set to itself satisfy f(g(f(x))) = x for all x, then f is bijective. -/
theorem logic_sandwich_inverse {α : Type} (f g : α → α) (h₀ : ∀ x, f (g (f x)) = x) : Function.Bijective f := by
  constructor
  · intro a b h
    rw [← h₀ a, ← h₀ b, h]
  · intro y
    exact ⟨g (f y), h₀ y⟩

/-- test, level 2. Seven heads are showing. In each step four coins are flipped, j of them showing heads, so that the
number h of heads becomes h + 4 - 2j (for some integer j). Then the number of heads is never 0. -/
theorem logic_four_coins_flipped (h : ℕ → ℤ) (h₀ : h 0 = 7) (h₁ : ∀ n, ∃ j, h (n + 1) = h n + 4 - 2 * j) (n : ℕ) :
    h n ≠ 0 := by
  have key : h n % 2 = 1 := by
    induction n with
    | zero => omega
    | succ n ih =>
      obtain ⟨j, hj⟩ := h₁ n
      omega
  omega

/-- valid, level 2. In an infinite row of islanders, number n + 1 is a knight exactly if number n is not one, for every
n. Then number 2n is a knight exactly if number 0 is one. -/
theorem logic_row_of_islanders (k : ℕ → Prop) (h₀ : ∀ n, k (n + 1) ↔ ¬ k n) (n : ℕ) : k (2 * n) ↔ k 0 := by
  induction n with
  | zero => exact Iff.rfl
  | succ n ih =>
    have h1 := h₀ (2 * n)
    have h2 := h₀ (2 * n + 1)
    rw [show 2 * (n + 1) = 2 * n + 1 + 1 by omega, h2, h1, Classical.not_not, ih]

/-- test, level 2. Four islanders a, b, c, d, each a knight (true) or a knave (false), say that there are at least 1, 2,
3 and 4 knaves among the four, respectively; a statement is true exactly if its speaker is a knight. Then a and b are
knights, and c and d are knaves. -/
theorem logic_four_islanders_count_knaves (a b c d : Bool)
    (h₀ : a = true ↔ 1 ≤ (!a).toNat + (!b).toNat + (!c).toNat + (!d).toNat)
    (h₁ : b = true ↔ 2 ≤ (!a).toNat + (!b).toNat + (!c).toNat + (!d).toNat)
    (h₂ : c = true ↔ 3 ≤ (!a).toNat + (!b).toNat + (!c).toNat + (!d).toNat)
    (h₃ : d = true ↔ 4 ≤ (!a).toNat + (!b).toNat + (!c).toNat + (!d).toNat) :
    a = true ∧ b = true ∧ c = false ∧ d = false := by
  revert a b c d
  decide

/-- valid, level 2. There is no function f on the two truth values such that f(f(b)) is the negation of b for each b. -/
theorem logic_no_square_root_of_negation : ¬ ∃ f : Bool → Bool, ∀ b, f (f b) = !b := by
  rintro ⟨f, h⟩
  have h1 := h true
  have h2 := h false
  cases e1 : f true <;> cases e2 : f false <;> simp_all

/-- test, level 2. For every function f from a set of three elements to itself, applying f eight times gives the same as
applying it twice, at every element. -/
theorem logic_eighth_iterate_on_three_points (f : Fin 3 → Fin 3) (x : Fin 3) : f^[8] x = f^[2] x := by
  have h : f = fun i => if i = 0 then f 0 else if i = 1 then f 1 else f 2 := by
    funext i
    have : i = 0 ∨ i = 1 ∨ i = 2 := by omega
    rcases this with rfl | rfl | rfl <;> rfl
  rw [h]
  generalize f 0 = a
  generalize f 1 = b
  generalize f 2 = c
  revert a b c x
  decide +kernel

/-- valid, level 2. In every nonempty class there is a pupil x of whom it holds: if x, having studied, passed (studied
implies passed), then every pupil who studied passed. -/
theorem logic_exam_bellwether {α : Type} [Nonempty α] (studied passed : α → Prop) :
    ∃ x, (studied x → passed x) → ∀ y, studied y → passed y := by
  by_cases h : ∀ y, studied y → passed y
  · obtain ⟨x⟩ := ‹Nonempty α›
    exact ⟨x, fun _ => h⟩
  · obtain ⟨x, hx⟩ := Classical.not_forall.1 h
    exact ⟨x, fun h' => absurd h' hx⟩

/-- test, level 2. A piece on an infinite board starts at (0, 0); in every step one coordinate changes by exactly 1 and
the other by exactly 4. If it is at (0, 0) after n steps, then n is even. -/
theorem logic_giraffe_returns_after_even (x y : ℕ → ℤ) (h₀ : x 0 = 0 ∧ y 0 = 0)
    (h₁ : ∀ n, (|x (n + 1) - x n| = 1 ∧ |y (n + 1) - y n| = 4) ∨ (|x (n + 1) - x n| = 4 ∧ |y (n + 1) - y n| = 1))
    (n : ℕ) (h₂ : x n = 0 ∧ y n = 0) : Even n := by
  have key : (x n + y n - n) % 2 = 0 := by
    clear h₂
    induction n with
    | zero => omega
    | succ n ih =>
      have h := h₁ n
      have a1 := abs_cases (x (n + 1) - x n)
      have a2 := abs_cases (y (n + 1) - y n)
      omega
  rw [Nat.even_iff]
  omega

/-- valid, level 2. Every element is related by R to some element, and R(a, b) and R(c, b) together always imply R(a,
c). Then R is reflexive, symmetric and transitive. -/
theorem logic_shared_target_relation {α : Type} (R : α → α → Prop) (h₀ : ∀ a, ∃ b, R a b)
    (h₁ : ∀ a b c, R a b → R c b → R a c) :
    (∀ a, R a a) ∧ (∀ a b, R a b → R b a) ∧ ∀ a b c, R a b → R b c → R a c := by
  have refl : ∀ a, R a a := by
    intro a
    obtain ⟨b, hb⟩ := h₀ a
    exact h₁ a b a hb hb
  have symm : ∀ a b, R a b → R b a := fun a b h => h₁ b b a (refl b) h
  exact ⟨refl, symm, fun a b c hab hbc => h₁ a b c hab (symm b c hbc)⟩

/-- test, level 2. A set of natural numbers contains 1; with each n it contains 3n; and whenever it contains n + 1, it
contains n. Then it is the set of all natural numbers. -/
theorem logic_downward_closed_under_tripling (S : Set ℕ) (h₀ : 1 ∈ S) (h₁ : ∀ n, n ∈ S → 3 * n ∈ S)
    (h₂ : ∀ n, n + 1 ∈ S → n ∈ S) : S = Set.univ := by
  have pow : ∀ k, 3 ^ k ∈ S := by
    intro k
    induction k with
    | zero => exact h₀
    | succ k ih => rw [Nat.pow_succ, Nat.mul_comm]; exact h₁ _ ih
  have down : ∀ d n, n + d ∈ S → n ∈ S := by
    intro d
    induction d with
    | zero => intro n h; exact h
    | succ d ih => intro n h; exact ih n (h₂ _ h)
  ext n
  refine ⟨fun _ => trivial, fun _ => ?_⟩
  have : n < 3 ^ n := Nat.lt_pow_self (by decide)
  exact down (3 ^ n - n) n (by rw [show n + (3 ^ n - n) = 3 ^ n by omega]; exact pow n)

/-- valid, level 3. From a heap of n stones a move takes 1, 3 or 4 of them, and a heap is won (W) exactly if some
possible move leads to a heap that is not won. Then a heap of n is won exactly if n mod 7 is neither 0 nor 2. -/
theorem logic_take_one_three_or_four (W : ℕ → Prop)
    (h₀ : ∀ n, W n ↔ ∃ k, (k = 1 ∨ k = 3 ∨ k = 4) ∧ k ≤ n ∧ ¬ W (n - k)) (n : ℕ) :
    W n ↔ n % 7 ≠ 0 ∧ n % 7 ≠ 2 := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    rw [h₀]
    constructor
    · rintro ⟨k, hk, hkn, hw⟩
      rw [ih (n - k) (by omega)] at hw
      omega
    · intro h
      have h7 : n % 7 = 1 ∨ n % 7 = 3 ∨ n % 7 = 4 ∨ n % 7 = 5 ∨ n % 7 = 6 := by omega
      rcases h7 with h | h | h | h | h
      · exact ⟨1, by omega, by omega, by rw [ih _ (by omega)]; omega⟩
      · exact ⟨1, by omega, by omega, by rw [ih _ (by omega)]; omega⟩
      · exact ⟨4, by omega, by omega, by rw [ih _ (by omega)]; omega⟩
      · exact ⟨3, by omega, by omega, by rw [ih _ (by omega)]; omega⟩
      · exact ⟨4, by omega, by omega, by rw [ih _ (by omega)]; omega⟩

/-- test, level 3. Two integers x and y change step by step: if x ≤ y, then x is doubled and y becomes y - x; otherwise
x becomes x - y and y is doubled. Then after n steps x is congruent to 2^n times the first x, modulo the first x plus
the first y. -/
theorem logic_pouring_doubling (x y : ℕ → ℤ)
    (h₀ : ∀ n, (x n ≤ y n ∧ x (n + 1) = 2 * x n ∧ y (n + 1) = y n - x n) ∨
      (y n < x n ∧ x (n + 1) = x n - y n ∧ y (n + 1) = 2 * y n)) (n : ℕ) :
    x n ≡ 2 ^ n * x 0 [ZMOD x 0 + y 0] := by
  have key : x n + y n = x 0 + y 0 ∧ ∃ c, x n = 2 ^ n * x 0 + (x 0 + y 0) * c := by
    induction n with
    | zero => exact ⟨rfl, 0, by simp⟩
    | succ n ih =>
      obtain ⟨hs, c, hc⟩ := ih
      rcases h₀ n with ⟨-, h1, h2⟩ | ⟨-, h1, h2⟩
      · exact ⟨by omega, 2 * c, by rw [h1, hc, Int.pow_succ]; grind⟩
      · exact ⟨by omega, 2 * c - 1, by rw [Int.pow_succ]; grind⟩
  obtain ⟨-, c, hc⟩ := key
  rw [Int.modEq_iff_dvd]
  exact ⟨-c, by rw [hc]; grind⟩

/-- valid, level 3. For every sequence f(0), f(1), ... of functions from the natural numbers to the natural numbers
there is a function g such that f(n)(m) < g(m) whenever n ≤ m. -/
theorem logic_eventually_dominating_function (f : ℕ → ℕ → ℕ) : ∃ g : ℕ → ℕ, ∀ n m, n ≤ m → f n m < g m := by
  refine ⟨fun m => ∑ i ∈ Finset.range (m + 1), f i m + 1, fun n m hnm => ?_⟩
  have h : ∀ k, n < k → f n m ≤ ∑ i ∈ Finset.range k, f i m := by
    intro k hk
    induction k with
    | zero => omega
    | succ k ih =>
      rw [Finset.sum_range_succ]
      by_cases h : n = k
      · subst h; omega
      · have := ih (by omega)
        omega
  have := h (m + 1) (by omega)
  show f n m < _ + 1
  omega

/-- test, level 3. If the natural numbers are coloured with three colours, then one of the colours occurs beyond every
bound. -/
theorem logic_unbounded_colour_of_three (c : ℕ → Fin 3) : ∃ b, ∀ N, ∃ n, N < n ∧ c n = b := by
  false_or_by_contra
  rename_i h
  have h1 : ∀ b, ∃ N, ∀ n, N < n → c n ≠ b := by
    intro b
    false_or_by_contra
    rename_i hb
    refine h ⟨b, fun N => ?_⟩
    false_or_by_contra
    rename_i hN
    exact hb ⟨N, fun n hn e => hN ⟨n, hn, e⟩⟩
  obtain ⟨N0, h0⟩ := h1 0
  obtain ⟨N1, h2⟩ := h1 1
  obtain ⟨N2, h3⟩ := h1 2
  have a0 := h0 (N0 + N1 + N2 + 1) (by omega)
  have a1 := h2 (N0 + N1 + N2 + 1) (by omega)
  have a2 := h3 (N0 + N1 + N2 + 1) (by omega)
  omega

/-- valid, level 3. In every sequence f(0), f(1), ... of natural numbers there is an n with f(n) ≤ f(n + 1) and f(n) ≤
f(2n + 2). -/
theorem logic_local_minimum_two_ways (f : ℕ → ℕ) : ∃ n, f n ≤ f (n + 1) ∧ f n ≤ f (2 * n + 2) := by
  have key : ∀ v n, f n = v → ∃ m, ∀ k, f m ≤ f k := by
    intro v
    induction v using Nat.strongRecOn with
    | ind v ih =>
      intro n hn
      by_cases h : ∃ k, f k < f n
      · obtain ⟨k, hk⟩ := h
        exact ih (f k) (by omega) k rfl
      · exact ⟨n, fun k => Nat.le_of_not_lt fun hlt => h ⟨k, hlt⟩⟩
  obtain ⟨m, hm⟩ := key (f 0) 0 rfl
  exact ⟨m, hm _, hm _⟩

/-- test, level 3. A function f has the property that any two sets with the same preimage under f are equal exactly if f
is surjective. -/
theorem logic_preimage_cancels_iff_surjective {α β : Type} (f : α → β) :
    (∀ s t : Set β, Set.preimage f s = Set.preimage f t → s = t) ↔ Function.Surjective f := by
  constructor
  · intro h y
    false_or_by_contra
    rename_i hy
    have e : ({y} : Set β) = ∅ := by
      apply h
      ext x
      exact ⟨fun hx => absurd ⟨x, hx⟩ hy, fun hx => hx.elim⟩
    have : y ∈ ({y} : Set β) := rfl
    rw [e] at this
    exact this
  · intro h s t e
    ext y
    obtain ⟨x, rfl⟩ := h y
    have : x ∈ Set.preimage f s ↔ x ∈ Set.preimage f t := by rw [e]
    exact this

/-- valid, level 3. A strictly increasing function f on the natural numbers satisfies f(f(n)) = n + 2 for all n. Then
f(n) = n + 1 for every n. -/
theorem logic_increasing_root_of_shift (f : ℕ → ℕ) (h₀ : ∀ m n, m < n → f m < f n) (h₁ : ∀ n, f (f n) = n + 2)
    (n : ℕ) : f n = n + 1 := by
  have low : ∀ m, m ≤ f m := by
    intro m
    induction m with
    | zero => exact Nat.zero_le _
    | succ m ih => have := h₀ m (m + 1) (by omega); omega
  have strict : ∀ m, m < f m := by
    intro m
    have a := low m
    have b := h₁ m
    rcases Nat.eq_or_lt_of_le a with e | e
    · rw [← e, ← e] at b; omega
    · exact e
  have a := strict n
  have b := strict (f n)
  rw [h₁] at b
  omega

/-- test, level 3. If for every n there is an m > n with the property P, then there is a sequence f with 2 f(n) < f(n +
1) for all n, all of whose terms have the property P. -/
theorem logic_rapidly_increasing_choice (P : ℕ → Prop) (h₀ : ∀ n, ∃ m, n < m ∧ P m) :
    ∃ f : ℕ → ℕ, ∀ n, 2 * f n < f (n + 1) ∧ P (f n) := by
  obtain ⟨g, hg⟩ := Classical.axiomOfChoice h₀
  refine ⟨fun n => Nat.rec (g 0) (fun _ r => g (2 * r)) n, fun n => ⟨(hg _).1, ?_⟩⟩
  cases n with
  | zero => exact (hg 0).2
  | succ n => exact (hg _).2
