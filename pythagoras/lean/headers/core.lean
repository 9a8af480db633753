/-!
# core: competition statements over ℕ, ℤ and ℚ, without Mathlib

Statements written for Mathlib elaborate word for word on Lean's own library, with the meaning they have under Mathlib.
Names, argument order and notation are Mathlib's, and so are the names of the lemmas wherever Mathlib has the lemma.

What it is not: there is no algebraic hierarchy. Where Mathlib is general, the instances here are ℕ, ℤ and ℚ (for big
operators, absolute value, floor, order lemmas) and everything else fails to elaborate rather than mean something else.
No ℝ, no ℂ, no polynomials, no topology; no `ring`, `linarith`, `norm_num`. Lemmas are few: the ones that let `simp`,
`grind`, `omega` and `decide` reach the definition. Everything executable is meant for the kernel: use `decide` for small
cases and `decide +kernel` for large ones (thousands of cases, big numbers, anything in ℚ).

Definitions here are not compiled where they can't be: this Lean ships without the code that compiling one may need.
-/

section Core
universe u v w

/-! ## Commands -/

/-- `lemma` is another word for `theorem`. -/
syntax (name := lemma) declModifiers group("lemma " declId ppIndent(declSig) declVal) : command
macro_rules
  | `($mods:declModifiers lemma $id:declId $sig:declSig $val:declVal) => `($mods:declModifiers theorem $id $sig $val)

/-! ## Number types -/

notation "ℕ" => Nat
notation "ℤ" => Int
notation "ℚ" => Rat
/-- Tokens without a meaning: as identifiers, Lean would silently bind them as type variables of the statement. -/
syntax ("ℝ" <|> "ℂ") : term

/-! ## Sets -/

def Set (α : Type u) : Type u := α → Prop
def setOf {α : Type u} (p : α → Prop) : Set α := p

namespace Set
variable {α : Type u} {β : Type v}

protected def Mem (s : Set α) (a : α) : Prop := s a
instance : Membership α (Set α) := ⟨Set.Mem⟩
instance : HasSubset (Set α) := ⟨fun s t => ∀ a, a ∈ s → a ∈ t⟩
instance : HasSSubset (Set α) := ⟨fun s t => s ⊆ t ∧ ¬ t ⊆ s⟩
instance : LE (Set α) := ⟨fun s t => ∀ ⦃a⦄, a ∈ s → a ∈ t⟩
instance : EmptyCollection (Set α) := ⟨fun _ => False⟩
instance : Insert α (Set α) := ⟨fun a s => setOf fun b => b = a ∨ b ∈ s⟩
instance : Singleton α (Set α) := ⟨fun a => setOf fun b => b = a⟩
instance : Union (Set α) := ⟨fun s t => setOf fun a => a ∈ s ∨ a ∈ t⟩
instance : Inter (Set α) := ⟨fun s t => setOf fun a => a ∈ s ∧ a ∈ t⟩
instance : SDiff (Set α) := ⟨fun s t => setOf fun a => a ∈ s ∧ ¬ a ∈ t⟩
instance : CoeSort (Set α) (Type u) := ⟨fun s => { x // x ∈ s }⟩

def univ : Set α := fun _ => True
protected def Nonempty (s : Set α) : Prop := ∃ x, x ∈ s
def range {ι : Type v} (f : ι → α) : Set α := setOf fun x => ∃ y, f y = x
def image (f : α → β) (s : Set α) : Set β := setOf fun b => ∃ a, a ∈ s ∧ f a = b
def preimage (f : α → β) (s : Set β) : Set α := setOf fun a => f a ∈ s
def InjOn (f : α → β) (s : Set α) : Prop := ∀ ⦃a₁⦄, a₁ ∈ s → ∀ ⦃a₂⦄, a₂ ∈ s → f a₁ = f a₂ → a₁ = a₂
def Icc [LE α] (a b : α) : Set α := setOf fun x => a ≤ x ∧ x ≤ b
def Ico [LE α] [LT α] (a b : α) : Set α := setOf fun x => a ≤ x ∧ x < b
def Ioc [LE α] [LT α] (a b : α) : Set α := setOf fun x => a < x ∧ x ≤ b
def Ioo [LT α] (a b : α) : Set α := setOf fun x => a < x ∧ x < b
def Ici [LE α] (a : α) : Set α := setOf fun x => a ≤ x
def Iic [LE α] (b : α) : Set α := setOf fun x => x ≤ b
def Ioi [LT α] (a : α) : Set α := setOf fun x => a < x
def Iio [LT α] (b : α) : Set α := setOf fun x => x < b

instance decidableSetOf (a : α) (p : α → Prop) [Decidable (p a)] : Decidable (a ∈ setOf p) := inferInstanceAs (Decidable (p a))

@[ext, grind ext] theorem ext {s t : Set α} (h : ∀ x, x ∈ s ↔ x ∈ t) : s = t := funext fun x => propext (h x)
@[simp, grind =] theorem mem_setOf_eq {a : α} {p : α → Prop} : (a ∈ setOf p) = p a := rfl
theorem mem_setOf {a : α} {p : α → Prop} : a ∈ setOf p ↔ p a := Iff.rfl
@[simp, grind =] theorem mem_empty_iff_false (a : α) : a ∈ (∅ : Set α) ↔ False := Iff.rfl
@[simp, grind =] theorem mem_insert_iff {a b : α} {s : Set α} : a ∈ (insert b s : Set α) ↔ a = b ∨ a ∈ s := Iff.rfl
@[simp, grind =] theorem mem_singleton_iff {a b : α} : a ∈ ({b} : Set α) ↔ a = b := Iff.rfl
@[simp, grind =] theorem mem_union (a : α) (s t : Set α) : a ∈ s ∪ t ↔ a ∈ s ∨ a ∈ t := Iff.rfl
@[simp, grind =] theorem mem_inter_iff (a : α) (s t : Set α) : a ∈ s ∩ t ↔ a ∈ s ∧ a ∈ t := Iff.rfl
@[simp, grind =] theorem mem_diff {s t : Set α} (a : α) : a ∈ s \ t ↔ a ∈ s ∧ ¬ a ∈ t := Iff.rfl
@[simp, grind .] theorem mem_univ (a : α) : a ∈ (univ : Set α) := trivial
@[simp, grind =] theorem mem_range {ι : Type v} {f : ι → α} {x : α} : x ∈ range f ↔ ∃ y, f y = x := Iff.rfl
@[simp, grind =] theorem mem_image (f : α → β) (s : Set α) (b : β) : b ∈ image f s ↔ ∃ a, a ∈ s ∧ f a = b := Iff.rfl
@[simp, grind =] theorem mem_preimage {f : α → β} {s : Set β} {a : α} : a ∈ preimage f s ↔ f a ∈ s := Iff.rfl
@[simp, grind =] theorem mem_Icc [LE α] {a b x : α} : x ∈ Icc a b ↔ a ≤ x ∧ x ≤ b := Iff.rfl
@[simp, grind =] theorem mem_Ico [LE α] [LT α] {a b x : α} : x ∈ Ico a b ↔ a ≤ x ∧ x < b := Iff.rfl
@[simp, grind =] theorem mem_Ioc [LE α] [LT α] {a b x : α} : x ∈ Ioc a b ↔ a < x ∧ x ≤ b := Iff.rfl
@[simp, grind =] theorem mem_Ioo [LT α] {a b x : α} : x ∈ Ioo a b ↔ a < x ∧ x < b := Iff.rfl
@[simp, grind =] theorem mem_Ici [LE α] {a x : α} : x ∈ Ici a ↔ a ≤ x := Iff.rfl
@[simp, grind =] theorem mem_Iic [LE α] {b x : α} : x ∈ Iic b ↔ x ≤ b := Iff.rfl
@[simp, grind =] theorem mem_Ioi [LT α] {a x : α} : x ∈ Ioi a ↔ a < x := Iff.rfl
@[simp, grind =] theorem mem_Iio [LT α] {b x : α} : x ∈ Iio b ↔ x < b := Iff.rfl
@[grind =] theorem subset_def {s t : Set α} : (s ⊆ t) = ∀ x, x ∈ s → x ∈ t := rfl

end Set

section
variable {α : Type u} [LE α]
def upperBounds (s : Set α) : Set α := setOf fun x => ∀ ⦃a⦄, a ∈ s → a ≤ x
def lowerBounds (s : Set α) : Set α := setOf fun x => ∀ ⦃a⦄, a ∈ s → x ≤ a
def IsLeast (s : Set α) (a : α) : Prop := a ∈ s ∧ a ∈ lowerBounds s
def IsGreatest (s : Set α) (a : α) : Prop := a ∈ s ∧ a ∈ upperBounds s
@[simp, grind =] theorem mem_upperBounds {s : Set α} {a : α} : a ∈ upperBounds s ↔ ∀ x, x ∈ s → x ≤ a := Iff.rfl
@[simp, grind =] theorem mem_lowerBounds {s : Set α} {a : α} : a ∈ lowerBounds s ↔ ∀ x, x ∈ s → a ≤ x := Iff.rfl
end

/-! ## Finsets

As in Mathlib, a finset is a duplicate-free list up to permutation, so equality is having the same members. -/

theorem List.perm_of_nodup {α : Type u} {l₁ l₂ : List α} (h₁ : l₁.Nodup) (h₂ : l₂.Nodup)
    (h : ∀ a, a ∈ l₁ ↔ a ∈ l₂) : l₁.Perm l₂ := by
  have : DecidableEq α := fun _ _ => Classical.propDecidable _
  induction l₁ generalizing l₂ with
  | nil => cases l₂ with
    | nil => exact .nil
    | cons b t => exact absurd ((h b).2 (by simp)) (by simp)
  | cons a t ih =>
    rw [List.nodup_cons] at h₁
    refine (List.Perm.cons a (ih h₁.2 (h₂.erase a) fun b => ?_)).trans
      (List.perm_cons_erase ((h a).1 (by simp))).symm
    rw [h₂.mem_erase_iff, ← h b, List.mem_cons]
    exact ⟨fun hb => ⟨fun e => h₁.1 (e ▸ hb), Or.inr hb⟩, fun hb => hb.2.resolve_left hb.1⟩

theorem List.nodup_map {α : Type u} {β : Type v} {f : α → β} (hf : ∀ a b, f a = f b → a = b) :
    ∀ {l : List α}, l.Nodup → (l.map f).Nodup
  | [], _ => by simp
  | a :: l, h => by
    rw [List.nodup_cons] at h
    rw [List.map_cons, List.nodup_cons]
    exact ⟨fun hm => by obtain ⟨b, hb, e⟩ := List.mem_map.1 hm; exact h.1 (hf _ _ e ▸ hb), nodup_map hf h.2⟩

def List.dedup {α : Type u} [DecidableEq α] : List α → List α
  | [] => []
  | a :: l => if a ∈ l then dedup l else a :: dedup l

theorem List.mem_dedup {α : Type u} [DecidableEq α] {a : α} : ∀ {l : List α}, a ∈ l.dedup ↔ a ∈ l
  | [] => Iff.rfl
  | b :: l => by
    rw [dedup, List.mem_cons]; split
    · exact mem_dedup.trans ⟨Or.inr, fun h => h.elim (· ▸ ‹b ∈ l›) id⟩
    · rw [List.mem_cons, mem_dedup]

theorem List.nodup_dedup {α : Type u} [DecidableEq α] : ∀ l : List α, l.dedup.Nodup
  | [] => List.Pairwise.nil
  | b :: l => by
    rw [dedup]; split
    · exact nodup_dedup l
    · exact List.nodup_cons.2 ⟨by rwa [mem_dedup], nodup_dedup l⟩

def Multiset (α : Type u) : Type u := Quotient (List.isSetoid α)

def Multiset.Nodup {α : Type u} (s : Multiset α) : Prop :=
  Quotient.lift List.Nodup (fun _ _ h => propext (List.Perm.nodup_iff h)) s

structure Finset (α : Type u) where
  val : Multiset α
  nodup : val.Nodup

namespace Finset
variable {α : Type u} {β : Type v}

def ofList (l : List α) (h : l.Nodup) : Finset α := ⟨Quotient.mk _ l, h⟩

/-- To prove something of all finsets, prove it of duplicate-free lists. -/
@[elab_as_elim] theorem ind {p : Finset α → Prop} (s : Finset α) (h : ∀ l hl, p (ofList l hl)) : p s :=
  match s with
  | ⟨q, hq⟩ => Quotient.ind (motive := fun q => ∀ hq, p ⟨q, hq⟩) h q hq

/-- What every function on finsets is made of: a function of lists that does not see the order. -/
def lift (f : List α → β) (hf : ∀ a b : List α, a.Perm b → f a = f b) (s : Finset α) : β := Quotient.lift f hf s.val

def liftList (f : List α → List β) (hf : ∀ a b : List α, a.Perm b → (f a).Perm (f b))
    (hn : ∀ l : List α, l.Nodup → (f l).Nodup) (s : Finset α) : Finset β :=
  ⟨Quotient.lift (fun l => Quotient.mk _ (f l)) (fun a b h => Quotient.sound (hf a b h)) s.val,
    ind (p := fun s => Multiset.Nodup
      (Quotient.lift (fun l => Quotient.mk _ (f l)) (fun a b h => Quotient.sound (hf a b h)) s.val)) s hn⟩

protected def Mem (s : Finset α) (a : α) : Prop := s.lift (fun l => a ∈ l) fun _ _ h => propext h.mem_iff
instance : Membership α (Finset α) := ⟨Finset.Mem⟩
theorem mem_ofList {l : List α} {h : l.Nodup} {a : α} : a ∈ ofList l h ↔ a ∈ l := Iff.rfl

@[ext, grind ext] theorem ext {s t : Finset α} : (∀ a, a ∈ s ↔ a ∈ t) → s = t :=
  s.ind fun l hl => t.ind fun l' hl' h => by
    have : Quotient.mk (List.isSetoid α) l = Quotient.mk _ l' := Quotient.sound (List.perm_of_nodup hl hl' h)
    simp only [ofList, this]

instance decidableLift (p : List α → Prop) [∀ l, Decidable (p l)] (hp) (s : Finset α) : Decidable (s.lift p hp) :=
  Quotient.recOnSubsingleton (motive := fun q => Decidable (Quotient.lift p hp q)) s.val fun l => inferInstanceAs (Decidable (p l))
instance decidableMem [DecidableEq α] (a : α) (s : Finset α) : Decidable (a ∈ s) := inferInstanceAs (Decidable (s.lift _ _))
instance decidableForall (s : Finset α) (p : α → Prop) [DecidablePred p] : Decidable (∀ a, a ∈ s → p a) :=
  decidable_of_iff (s.lift (fun l => ∀ a, a ∈ l → p a) fun _ _ h => by simp only [h.mem_iff]) (s.ind fun _ _ => Iff.rfl)
instance decidableExists (s : Finset α) (p : α → Prop) [DecidablePred p] : Decidable (∃ a, a ∈ s ∧ p a) :=
  decidable_of_iff (s.lift (fun l => ∃ a, a ∈ l ∧ p a) fun _ _ h => by simp only [h.mem_iff]) (s.ind fun _ _ => Iff.rfl)
instance : HasSubset (Finset α) := ⟨fun s t => ∀ ⦃a⦄, a ∈ s → a ∈ t⟩
instance : HasSSubset (Finset α) := ⟨fun s t => s ⊆ t ∧ ¬ t ⊆ s⟩
@[grind =] theorem subset_iff {s t : Finset α} : s ⊆ t ↔ ∀ ⦃a⦄, a ∈ s → a ∈ t := Iff.rfl
instance [DecidableEq α] (s t : Finset α) : Decidable (s ⊆ t) := decidableForall s (· ∈ t)
instance [DecidableEq α] : DecidableEq (Finset α) := fun s t =>
  decidable_of_iff (s ⊆ t ∧ t ⊆ s) ⟨fun h => ext fun _ => ⟨fun x => h.1 x, fun x => h.2 x⟩, fun h => h ▸ ⟨fun _ x => x, fun _ x => x⟩⟩

def card (s : Finset α) : ℕ := s.lift List.length fun _ _ => List.Perm.length_eq
protected def Nonempty (s : Finset α) : Prop := ∃ x, x ∈ s

def filter (p : α → Prop) [DecidablePred p] : Finset α → Finset α :=
  liftList (fun l => l.filter fun a => decide (p a)) (fun _ _ h => h.filter _) fun _ h => List.Pairwise.filter _ h
@[simp, grind =] theorem mem_filter {p : α → Prop} [DecidablePred p] {s : Finset α} {a : α} : a ∈ s.filter p ↔ a ∈ s ∧ p a :=
  s.ind fun l _ => by
    show a ∈ l.filter _ ↔ a ∈ l ∧ p a
    simp

def _root_.List.toFinset [DecidableEq α] (l : List α) : Finset α := ofList l.dedup l.nodup_dedup
@[simp, grind =] theorem _root_.List.mem_toFinset [DecidableEq α] {l : List α} {a : α} : a ∈ l.toFinset ↔ a ∈ l := List.mem_dedup

instance : EmptyCollection (Finset α) := ⟨ofList [] .nil⟩
instance : Inhabited (Finset α) := ⟨∅⟩
instance : Singleton α (Finset α) := ⟨fun a => ofList [a] (by simp)⟩
@[simp, grind =] theorem mem_singleton {a b : α} : b ∈ ({a} : Finset α) ↔ b = a := by
  show b ∈ [a] ↔ b = a; simp
@[simp, grind .] theorem notMem_empty (a : α) : ¬ a ∈ (∅ : Finset α) := by
  show ¬ a ∈ []; simp
section
variable [DecidableEq α]
private theorem perm_insert (a : α) : ∀ l l' : List α, l.Perm l' → (if a ∈ l then l else a :: l).Perm (if a ∈ l' then l' else a :: l') :=
  fun l l' h => by
    by_cases ha : a ∈ l
    · rw [if_pos ha, if_pos (h.mem_iff.1 ha)]; exact h
    · rw [if_neg ha, if_neg (ha ∘ h.mem_iff.2)]; exact h.cons a
instance : Insert α (Finset α) := ⟨fun a => liftList (fun l => if a ∈ l then l else a :: l) (perm_insert a) fun l h => by
  dsimp only; split
  · exact h
  · exact List.nodup_cons.2 ⟨‹_›, h⟩⟩
@[simp, grind =] theorem mem_insert {a b : α} {s : Finset α} : a ∈ (insert b s : Finset α) ↔ a = b ∨ a ∈ s :=
  s.ind fun l _ => by
    show a ∈ (if b ∈ l then l else b :: l) ↔ a = b ∨ a ∈ l
    split
    · exact ⟨Or.inr, fun h => h.elim (· ▸ ‹b ∈ l›) id⟩
    · exact List.mem_cons
instance : Inter (Finset α) := ⟨fun s t => s.filter (· ∈ t)⟩
instance : SDiff (Finset α) := ⟨fun s t => s.filter (¬ · ∈ t)⟩
def image {γ : Type v} [DecidableEq γ] (f : α → γ) (s : Finset α) : Finset γ := s.lift (fun l => (l.map f).toFinset) fun _ _ h =>
  ext fun _ => by simp only [List.mem_toFinset, (h.map f).mem_iff]
private def listUnion (l : List α) (t : Finset α) : Finset α := t.lift (fun l' => (l ++ l').toFinset) fun _ _ h =>
  ext fun _ => by simp only [List.mem_toFinset, (h.append_left l).mem_iff]
private theorem mem_listUnion {l : List α} {t : Finset α} {a : α} : a ∈ listUnion l t ↔ a ∈ l ∨ a ∈ t :=
  t.ind fun _ _ => List.mem_toFinset.trans List.mem_append
instance : Union (Finset α) := ⟨fun s t => s.lift (fun l => listUnion l t) fun _ _ h =>
  ext fun _ => by simp only [mem_listUnion, h.mem_iff]⟩
@[simp, grind =] theorem mem_inter {a : α} {s t : Finset α} : a ∈ s ∩ t ↔ a ∈ s ∧ a ∈ t := mem_filter
@[simp, grind =] theorem mem_sdiff {a : α} {s t : Finset α} : a ∈ s \ t ↔ a ∈ s ∧ ¬ a ∈ t := mem_filter
@[simp, grind =] theorem mem_union {a : α} {s t : Finset α} : a ∈ s ∪ t ↔ a ∈ s ∨ a ∈ t :=
  s.ind fun _ _ => mem_listUnion
omit [DecidableEq α] in
@[simp, grind =] theorem mem_image {γ : Type v} [DecidableEq γ] {f : α → γ} {s : Finset α} {b : γ} : b ∈ s.image f ↔ ∃ a, a ∈ s ∧ f a = b :=
  s.ind fun _ _ => List.mem_toFinset.trans List.mem_map

@[elab_as_elim] theorem induction_on {p : Finset α → Prop} (s : Finset α) (empty : p ∅)
    (insert : ∀ (a : α) (s : Finset α), ¬ a ∈ s → p s → p (insert a s)) : p s :=
  s.ind fun l hl => by
    induction l with
    | nil => exact empty
    | cons a l ih =>
      have h := List.nodup_cons.1 hl
      have := insert a (ofList l h.2) h.1 (ih h.2)
      have e : (Insert.insert a (ofList l h.2) : Finset α) = ofList (a :: l) hl := ext fun b => by
        rw [mem_insert, mem_ofList, mem_ofList, List.mem_cons]
      exact e ▸ this

theorem card_insert_of_notMem {a : α} {s : Finset α} : ¬ a ∈ s → (insert a s).card = s.card + 1 :=
  s.ind fun l _ h => by
    show (if a ∈ l then l else a :: l).length = l.length + 1
    rw [if_neg (show ¬ a ∈ l from h)]; rfl
end

/-! ### Ranges and intervals -/

def range (n : ℕ) : Finset ℕ := ofList (List.range n) List.nodup_range
@[simp, grind =] theorem mem_range {n m : ℕ} : m ∈ range n ↔ m < n := List.mem_range
@[simp] theorem card_range (n : ℕ) : (range n).card = n := List.length_range

end Finset

/-- Mathlib's class lists four intervals; over ℕ and ℤ the half-open one and the successor give the others. -/
class LocallyFiniteOrder (α : Type u) [LE α] [LT α] where
  ico : α → α → Finset α
  succ : α → α
  mem_ico {a b x : α} : x ∈ ico a b ↔ a ≤ x ∧ x < b
  lt_succ {a b : α} : a < succ b ↔ a ≤ b
  succ_le {a b : α} : succ a ≤ b ↔ a < b
instance : LocallyFiniteOrder ℕ where
  ico a b := .ofList (List.range' a (b - a)) (List.nodup_range' 1)
  succ := Nat.succ
  mem_ico := List.mem_range'_1.trans (by omega)
  lt_succ := Nat.lt_succ_iff
  succ_le := Iff.rfl
instance : LocallyFiniteOrder ℤ where
  ico a b := .ofList ((List.range (b - a).toNat).map fun k : ℕ => a + k)
    (List.nodup_map (fun _ _ h => Int.ofNat.inj (Int.add_left_cancel h)) List.nodup_range)
  succ a := a + 1
  mem_ico {a b x} := List.mem_map.trans ⟨fun ⟨k, hk, e⟩ => by have := List.mem_range.1 hk; omega,
    fun h => ⟨(x - a).toNat, List.mem_range.2 (by omega), by omega⟩⟩
  lt_succ := Int.lt_add_one_iff
  succ_le := Iff.rfl

namespace Finset
section
open LocallyFiniteOrder
variable {α : Type u} [LE α] [LT α] [LocallyFiniteOrder α] {a b x : α}
def Ico (a b : α) : Finset α := ico a b
def Icc (a b : α) : Finset α := ico a (succ b)
def Ioo (a b : α) : Finset α := ico (succ a) b
def Ioc (a b : α) : Finset α := ico (succ a) (succ b)
@[simp, grind =] theorem mem_Ico : x ∈ Ico a b ↔ a ≤ x ∧ x < b := mem_ico
@[simp, grind =] theorem mem_Icc : x ∈ Icc a b ↔ a ≤ x ∧ x ≤ b := mem_ico.trans (and_congr_right fun _ => lt_succ)
@[simp, grind =] theorem mem_Ioo : x ∈ Ioo a b ↔ a < x ∧ x < b := mem_ico.trans (and_congr_left fun _ => succ_le)
@[simp, grind =] theorem mem_Ioc : x ∈ Ioc a b ↔ a < x ∧ x ≤ b := mem_ico.trans (and_congr succ_le lt_succ)
end
@[simp] theorem _root_.Nat.card_Icc (a b : ℕ) : (Icc a b).card = b + 1 - a := List.length_range'
@[simp] theorem _root_.Nat.card_Ico (a b : ℕ) : (Ico a b).card = b - a := List.length_range'
end Finset

/-! ## Sums and products -/

/-- The laws that make a big operator independent of the order. Mathlib bundles them in `AddCommMonoid` and
`CommMonoid`; here they are a property of the operations that ℕ, ℤ and ℚ already have, so terms keep Lean's own instances. -/
class BigOpLaws {M : Type u} (op : M → M → M) (e : M) : Prop where
  comm (op e) : ∀ a b, op a b = op b a
  assoc (op e) : ∀ a b c, op (op a b) c = op a (op b c)
  one_op (op e) : ∀ a, op e a = a

/-- The laws of a commutative semiring under Mathlib's names, for ℕ, ℤ and ℚ. -/
class SemiringLaws (M : Type u) [Add M] [Mul M] [OfNat M 0] [OfNat M 1] [Pow M ℕ] : Prop where
  add_comm : ∀ a b : M, a + b = b + a
  add_assoc : ∀ a b c : M, a + b + c = a + (b + c)
  zero_add : ∀ a : M, 0 + a = a
  mul_comm : ∀ a b : M, a * b = b * a
  mul_assoc : ∀ a b c : M, a * b * c = a * (b * c)
  one_mul : ∀ a : M, 1 * a = a
  mul_zero : ∀ a : M, a * 0 = 0
  mul_add : ∀ a b c : M, a * (b + c) = a * b + a * c
  pow_zero : ∀ a : M, a ^ 0 = 1
  pow_succ : ∀ (a : M) (n : ℕ), a ^ (n + 1) = a ^ n * a

instance : SemiringLaws ℕ := ⟨Nat.add_comm, Nat.add_assoc, Nat.zero_add, Nat.mul_comm, Nat.mul_assoc, Nat.one_mul, Nat.mul_zero, Nat.mul_add, Nat.pow_zero, fun _ _ => rfl⟩
instance : SemiringLaws ℤ := ⟨Int.add_comm, Int.add_assoc, Int.zero_add, Int.mul_comm, Int.mul_assoc, Int.one_mul, Int.mul_zero, Int.mul_add, Int.pow_zero, Int.pow_succ⟩
instance : SemiringLaws ℚ := ⟨Rat.add_comm, Rat.add_assoc, Rat.zero_add, Rat.mul_comm, Rat.mul_assoc, Rat.one_mul, Rat.mul_zero, Rat.mul_add, Rat.pow_zero, Rat.pow_succ⟩

export SemiringLaws (add_comm add_assoc zero_add mul_comm mul_assoc one_mul mul_zero mul_add pow_zero pow_succ)

section
variable {M : Type u} [Add M] [Mul M] [OfNat M 0] [OfNat M 1] [Pow M ℕ] [SemiringLaws M]
instance : BigOpLaws (HAdd.hAdd : M → M → M) 0 := ⟨add_comm, add_assoc, zero_add⟩
instance : BigOpLaws (HMul.hMul : M → M → M) 1 := ⟨mul_comm, mul_assoc, one_mul⟩
theorem add_zero (a : M) : a + 0 = a := by rw [add_comm, zero_add]
theorem mul_one (a : M) : a * 1 = a := by rw [mul_comm, one_mul]
theorem zero_mul (a : M) : 0 * a = 0 := by rw [mul_comm, mul_zero]
theorem add_mul (a b c : M) : (a + b) * c = a * c + b * c := by rw [mul_comm, mul_add, mul_comm c, mul_comm c]
theorem pow_one (a : M) : a ^ 1 = a := by rw [pow_succ, pow_zero, one_mul]
theorem pow_two (a : M) : a ^ 2 = a * a := by rw [pow_succ, pow_one]
theorem sq (a : M) : a ^ 2 = a * a := pow_two a
end

namespace Finset
variable {ι : Type v} {M : Type u}

section
variable (op : M → M → M) (e : M) [BigOpLaws op e]
def bigOp (s : Finset ι) (f : ι → M) : M := s.lift (List.foldr (fun i r => op (f i) r) e) fun _ _ h =>
  h.foldr_eq' (fun _ _ _ _ _ => by
    rw [← BigOpLaws.assoc op e, ← BigOpLaws.assoc op e, BigOpLaws.comm op e (f _)]) e
variable {op e} {s : Finset ι} {f g : ι → M}
theorem bigOp_insert [DecidableEq ι] {a : ι} : ¬ a ∈ s → bigOp op e (insert a s) f = op (f a) (bigOp op e s f) :=
  s.ind fun l _ h => by
    show List.foldr (fun i r => op (f i) r) e (if a ∈ l then l else a :: l) = op (f a) (List.foldr (fun i r => op (f i) r) e l)
    rw [if_neg (show ¬ a ∈ l from h)]; rfl
theorem bigOp_singleton (a : ι) : bigOp op e {a} f = f a := by
  show op (f a) e = f a
  rw [BigOpLaws.comm op e, BigOpLaws.one_op op e]
theorem bigOp_congr (h : ∀ i, i ∈ s → f i = g i) : bigOp op e s f = bigOp op e s g := by
  revert h
  refine s.ind fun l _ => ?_
  show (∀ i, i ∈ l → f i = g i) → List.foldr (fun i r => op (f i) r) e l = List.foldr (fun i r => op (g i) r) e l
  induction l with
  | nil => intro _; rfl
  | cons a l ih =>
    intro h
    have := ih ((List.nodup_cons.1 ‹_›).2) fun i hi => h i (by simp [hi])
    simp only [List.foldr_cons] at this ⊢
    rw [h a (by simp), this]
theorem bigOp_op : bigOp op e s (fun i => op (f i) (g i)) = op (bigOp op e s f) (bigOp op e s g) := by
  have : DecidableEq ι := fun _ _ => Classical.propDecidable _
  induction s using induction_on with
  | empty => exact (BigOpLaws.one_op op e e).symm
  | insert a s h ih =>
    rw [bigOp_insert h, bigOp_insert h, bigOp_insert h, ih, BigOpLaws.assoc op e, BigOpLaws.assoc op e,
      ← BigOpLaws.assoc op e (g a), BigOpLaws.comm op e (g a), BigOpLaws.assoc op e]
theorem bigOp_hom {N : Type w} {op' : N → N → N} {e' : N} [BigOpLaws op' e'] (φ : M → N) (h0 : φ e = e')
    (h : ∀ a b, φ (op a b) = op' (φ a) (φ b)) : φ (bigOp op e s f) = bigOp op' e' s fun i => φ (f i) := by
  have : DecidableEq ι := fun _ _ => Classical.propDecidable _
  induction s using induction_on with
  | empty => exact h0
  | insert a s ha ih => rw [bigOp_insert ha, bigOp_insert ha, h, ih]
theorem bigOp_filter {p : ι → Prop} [DecidablePred p] : bigOp op e (s.filter p) f = bigOp op e s fun i => if p i then f i else e := by
  refine s.ind fun l _ => ?_
  show List.foldr (fun i r => op (f i) r) e (l.filter _) = List.foldr (fun i r => op (if p i then f i else e) r) e l
  induction l with
  | nil => rfl
  | cons a l ih =>
    have := ih (List.nodup_cons.1 ‹_›).2
    by_cases h : p a <;> simp [h, this, BigOpLaws.one_op op e]
theorem bigOp_range_succ (f : ℕ → M) (n : ℕ) : bigOp op e (range (n + 1)) f = op (bigOp op e (range n) f) (f n) := by
  have : range (n + 1) = insert n (range n) := ext fun k => by simp only [mem_range, mem_insert]; omega
  rw [this, bigOp_insert (by simp), BigOpLaws.comm op e]
theorem bigOp_Icc_succ_top {a b : ℕ} (h : a ≤ b + 1) (f : ℕ → M) :
    bigOp op e (Icc a (b + 1)) f = op (bigOp op e (Icc a b) f) (f (b + 1)) := by
  have : Icc a (b + 1) = insert (b + 1) (Icc a b) := ext fun k => by simp only [mem_Icc, mem_insert]; omega
  rw [this, bigOp_insert (by simp), BigOpLaws.comm op e]
end

section
variable [Add M] [OfNat M 0] [BigOpLaws (HAdd.hAdd : M → M → M) 0]
protected def sum (s : Finset ι) (f : ι → M) : M := bigOp (HAdd.hAdd : M → M → M) 0 s f
variable {s : Finset ι} {f g : ι → M}
@[simp, grind =] theorem sum_empty : (∅ : Finset ι).sum f = 0 := rfl
@[simp, grind =] theorem sum_singleton (f : ι → M) (a : ι) : ({a} : Finset ι).sum f = f a := bigOp_singleton a
theorem sum_insert [DecidableEq ι] {a : ι} (h : ¬ a ∈ s) : (insert a s).sum f = f a + s.sum f := bigOp_insert h
theorem sum_congr {s' : Finset ι} (hs : s = s') (h : ∀ i, i ∈ s' → f i = g i) : s.sum f = s'.sum g := hs ▸ bigOp_congr (hs ▸ h)
theorem sum_add_distrib : s.sum (fun i => f i + g i) = s.sum f + s.sum g := bigOp_op
theorem sum_filter (p : ι → Prop) [DecidablePred p] (f : ι → M) : (s.filter p).sum f = s.sum fun i => if p i then f i else 0 := bigOp_filter
@[simp] theorem sum_range_zero (f : ℕ → M) : (range 0).sum f = 0 := rfl
theorem sum_range_succ (f : ℕ → M) (n : ℕ) : (range (n + 1)).sum f = (range n).sum f + f n := bigOp_range_succ f n
@[simp] theorem sum_range_one (f : ℕ → M) : (range 1).sum f = f 0 := bigOp_singleton 0
theorem sum_Icc_succ_top {a b : ℕ} (h : a ≤ b + 1) (f : ℕ → M) : (Icc a (b + 1)).sum f = (Icc a b).sum f + f (b + 1) := bigOp_Icc_succ_top h f
end

section
variable [Mul M] [OfNat M 1] [BigOpLaws (HMul.hMul : M → M → M) 1]
protected def prod (s : Finset ι) (f : ι → M) : M := bigOp (HMul.hMul : M → M → M) 1 s f
variable {s : Finset ι} {f g : ι → M}
@[simp, grind =] theorem prod_empty : (∅ : Finset ι).prod f = 1 := rfl
@[simp, grind =] theorem prod_singleton (f : ι → M) (a : ι) : ({a} : Finset ι).prod f = f a := bigOp_singleton a
theorem prod_insert [DecidableEq ι] {a : ι} (h : ¬ a ∈ s) : (insert a s).prod f = f a * s.prod f := bigOp_insert h
theorem prod_congr {s' : Finset ι} (hs : s = s') (h : ∀ i, i ∈ s' → f i = g i) : s.prod f = s'.prod g := hs ▸ bigOp_congr (hs ▸ h)
theorem prod_mul_distrib : s.prod (fun i => f i * g i) = s.prod f * s.prod g := bigOp_op
@[simp] theorem prod_range_zero (f : ℕ → M) : (range 0).prod f = 1 := rfl
theorem prod_range_succ (f : ℕ → M) (n : ℕ) : (range (n + 1)).prod f = (range n).prod f * f n := bigOp_range_succ f n
@[simp] theorem prod_range_one (f : ℕ → M) : (range 1).prod f = f 0 := bigOp_singleton 0
theorem prod_Icc_succ_top {a b : ℕ} (h : a ≤ b + 1) (f : ℕ → M) : (Icc a (b + 1)).prod f = (Icc a b).prod f * f (b + 1) := bigOp_Icc_succ_top h f
end

theorem mul_sum [Add M] [Mul M] [OfNat M 0] [OfNat M 1] [Pow M ℕ] [SemiringLaws M] (s : Finset ι) (f : ι → M) (b : M) :
    b * s.sum f = s.sum fun i => b * f i := bigOp_hom (b * ·) (mul_zero b) (mul_add b)
theorem sum_mul [Add M] [Mul M] [OfNat M 0] [OfNat M 1] [Pow M ℕ] [SemiringLaws M] (s : Finset ι) (f : ι → M) (b : M) :
    s.sum f * b = s.sum fun i => f i * b := by
  simp only [mul_comm _ b, mul_sum]
theorem sum_const_nat {m : ℕ} {s : Finset ι} {f : ι → ℕ} (h : ∀ i, i ∈ s → f i = m) : s.sum f = s.card * m := by
  have : DecidableEq ι := fun _ _ => Classical.propDecidable _
  rw [sum_congr rfl h]
  induction s using induction_on with
  | empty => exact (Nat.zero_mul m).symm
  | insert a s ha ih =>
    rw [sum_insert ha, card_insert_of_notMem ha, ih fun i hi => h i (mem_insert.2 (Or.inr hi)), Nat.succ_mul, Nat.add_comm]
theorem card_eq_sum_ones (s : Finset ι) : s.card = s.sum fun _ => 1 := by rw [sum_const_nat fun _ _ => rfl, Nat.mul_one]
@[simp, norm_cast] theorem _root_.Nat.cast_sum (s : Finset ι) (f : ι → ℕ) : ((s.sum f : ℕ) : ℤ) = s.sum fun i => (f i : ℤ) :=
  bigOp_hom _ rfl Int.natCast_add
@[simp, norm_cast] theorem _root_.Rat.natCast_sum (s : Finset ι) (f : ι → ℕ) : ((s.sum f : ℕ) : ℚ) = s.sum fun i => (f i : ℚ) :=
  bigOp_hom _ rfl Rat.natCast_add
end Finset

/-! ## Finite types -/

class Fintype (α : Type u) where
  elems : Finset α
  complete : ∀ x : α, x ∈ elems
def Finset.univ {α : Type u} [Fintype α] : Finset α := Fintype.elems
@[simp, grind .] theorem Finset.mem_univ {α : Type u} [Fintype α] (x : α) : x ∈ (univ : Finset α) := Fintype.complete x
def Fintype.card (α : Type u) [Fintype α] : ℕ := (Finset.univ : Finset α).card
theorem List.nodup_finRange : ∀ n : ℕ, (List.finRange n).Nodup
  | 0 => by simp
  | n + 1 => by
    rw [List.finRange_succ, List.nodup_cons]
    refine ⟨fun h => ?_, List.nodup_map (fun _ _ h => Fin.succ_inj.1 h) (nodup_finRange n)⟩
    obtain ⟨k, -, hk⟩ := List.mem_map.1 h
    exact Fin.succ_ne_zero k hk
instance (n : ℕ) : Fintype (Fin n) := ⟨.ofList (List.finRange n) (List.nodup_finRange n), List.mem_finRange⟩
instance : Fintype Bool := ⟨.ofList [false, true] (by decide), by decide⟩

/-! ## Notation for sums, products and sets

The body of a sum extends as far as Mathlib's: `∑ k ∈ s, f k + 1` is `(∑ k ∈ s, f k) + 1`. -/

syntax bigOpBinder := term:max (" : " term)? ((" ∈ " <|> " in ") term)? (" with " term)?
syntax (name := bigSum) "∑ " bigOpBinder ", " term:67 : term
syntax (name := bigProd) "∏ " bigOpBinder ", " term:67 : term

meta def expandBigOp (op : Lean.Term) (binder body : Lean.Syntax) : Lean.MacroM Lean.Syntax := do
  let x : Lean.Term := ⟨binder[0]⟩
  let s : Lean.Term ← if binder[2].isNone then `(Finset.univ) else pure ⟨binder[2][1]⟩
  let s ← if binder[3].isNone then pure s else `(Finset.filter (fun $x => $(⟨binder[3][1]⟩)) $s)
  let f ← if binder[1].isNone then `(fun $x:term => $(⟨body⟩)) else `(fun ($x : $(⟨binder[1][1]⟩)) => $(⟨body⟩))
  `($op $s $f)
@[macro bigSum] meta def expandBigSum : Lean.Macro := fun stx => do expandBigOp (← `(Finset.sum)) stx[1] stx[3]
@[macro bigProd] meta def expandBigProd : Lean.Macro := fun stx => do expandBigOp (← `(Finset.prod)) stx[1] stx[3]

/-- `{x ∈ s | p x}` is a set or a finset, as `s` is; Mathlib decides it with an elaborator, which `Init` cannot express. -/
class SepBuilder {γ : Type u} {α : Type v} (s : γ) (p : α → Prop) where
  val : γ
@[reducible] def sepBuilder {γ : Type u} {α : Type v} [Membership α γ] (s : γ) (p : α → Prop) [SepBuilder s p] : γ := SepBuilder.val s p
@[reducible] instance {α : Type u} (s : Set α) (p : α → Prop) : SepBuilder s p := ⟨setOf fun x => x ∈ s ∧ p x⟩
@[reducible] instance {α : Type u} (s : Finset α) (p : α → Prop) [DecidablePred p] : SepBuilder s p := ⟨s.filter p⟩
@[simp] theorem sepBuilder_set {α : Type u} (s : Set α) (p : α → Prop) : sepBuilder s p = setOf fun x => x ∈ s ∧ p x := rfl
@[simp, grind =] theorem sepBuilder_finset {α : Type u} (s : Finset α) (p : α → Prop) [DecidablePred p] : sepBuilder s p = s.filter p := rfl

syntax (name := setBuilder) "{" Lean.binderIdent (" : " term)? (" ∈ " term)? " | " term "}" : term
syntax (name := setBuilderPattern) (priority := low) "{" term:max " : " term " | " term "}" : term

macro_rules
  | `({ $x:ident | $p }) => `(setOf fun $x:ident => $p)
  | `({ $x:ident : $t | $p }) => `(setOf fun ($x:ident : $t) => $p)
  | `({ $x:ident ∈ $s | $p }) => `(sepBuilder $s fun $x:ident => $p)
  | `({ $x:term : $t | $p }) => `(setOf fun y : $t => match y with | $x => $p)

/-! ## Functions and quantifiers -/

def ExistsUnique {α : Sort u} (p : α → Prop) : Prop := ∃ x, p x ∧ ∀ y, p y → y = x
syntax "∃! " Lean.explicitBinders ", " term : term
macro_rules | `(∃! $xs, $b) => Lean.expandExplicitBinders ``ExistsUnique xs b

def Function.Bijective {α : Sort u} {β : Sort v} (f : α → β) : Prop := Function.Injective f ∧ Function.Surjective f
def Nat.iterate {α : Sort u} (op : α → α) : ℕ → α → α
  | 0, a => a
  | k + 1, a => iterate op k (op a)
notation:max f "^[" n "]" => Nat.iterate f n
section
variable {α : Type u} {β : Type v}
@[elab_as_elim] theorem Nat.le_induction {m : ℕ} {p : ∀ n, m ≤ n → Prop} (base : p m (Nat.le_refl m))
    (succ : ∀ n (h : m ≤ n), p n h → p (n + 1) (Nat.le_succ_of_le h)) (n : ℕ) (h : m ≤ n) : p n h := by
  induction h with
  | refl => exact base
  | step h ih => exact succ _ h ih
def Monotone [LE α] [LE β] (f : α → β) : Prop := ∀ ⦃a b⦄, a ≤ b → f a ≤ f b
def Antitone [LE α] [LE β] (f : α → β) : Prop := ∀ ⦃a b⦄, a ≤ b → f b ≤ f a
def StrictMono [LT α] [LT β] (f : α → β) : Prop := ∀ ⦃a b⦄, a < b → f a < f b
def StrictAnti [LT α] [LT β] (f : α → β) : Prop := ∀ ⦃a b⦄, a < b → f b < f a

instance : CoeTC (Finset α) (Set α) := ⟨fun s => setOf (· ∈ s)⟩
instance : CoeSort (Finset α) (Type u) := ⟨fun s => { x // x ∈ s }⟩
@[simp] theorem Finset.mem_coe {a : α} {s : Finset α} : a ∈ (↑s : Set α) ↔ a ∈ s := Iff.rfl
protected def Set.Finite (s : Set α) : Prop := ∃ t : Finset α, ∀ x, x ∈ t ↔ x ∈ s
protected def Set.Infinite (s : Set α) : Prop := ¬ s.Finite
open Classical in
def Set.ncard (s : Set α) : ℕ := if h : s.Finite then h.choose.card else 0
theorem Set.ncard_coe_finset (s : Finset α) : (↑s : Set α).ncard = s.card := by
  have h : Set.Finite (↑s : Set α) := ⟨s, fun _ => Iff.rfl⟩
  rw [ncard, dif_pos h, Finset.ext h.choose_spec]
end

/-! ## Order -/

/-- Products and squares, for ℕ, ℤ and ℚ: what `nlinarith` would know. -/
class OrderLaws (α : Type u) [Mul α] [LE α] [LT α] [OfNat α 0] : Prop where
  mul_nonneg {a b : α} : 0 ≤ a → 0 ≤ b → 0 ≤ a * b
  mul_pos {a b : α} : 0 < a → 0 < b → 0 < a * b
  mul_self_nonneg (a : α) : 0 ≤ a * a
instance : OrderLaws ℕ := ⟨fun _ _ => Nat.zero_le _, Nat.mul_pos, fun _ => Nat.zero_le _⟩
instance : OrderLaws ℤ := ⟨Int.mul_nonneg, Int.mul_pos, fun a => (Int.le_total 0 a).elim (fun h => Int.mul_nonneg h h)
  fun h => Lean.Grind.OrderedRing.mul_nonneg_of_nonpos_of_nonpos h h⟩
instance : OrderLaws ℚ := ⟨Rat.mul_nonneg, Rat.mul_pos, fun _ => Rat.le_total.elim (fun h => Rat.mul_nonneg h h)
  fun h => Lean.Grind.OrderedRing.mul_nonneg_of_nonpos_of_nonpos h h⟩
export OrderLaws (mul_nonneg mul_pos mul_self_nonneg)
theorem sq_nonneg {α : Type u} [Add α] [Mul α] [OfNat α 0] [OfNat α 1] [Pow α ℕ] [SemiringLaws α] [LE α] [LT α] [OrderLaws α]
    (a : α) : 0 ≤ a ^ 2 := pow_two a ▸ mul_self_nonneg a

/-! ## Absolute value, floor and ceiling -/

def abs {α : Type u} [Max α] [Neg α] (a : α) : α := max a (-a)
macro:max atomic("|" noWs) a:term noWs "|" : term => `(abs $a)

/-- What the order of ℤ and of ℚ gives for `abs`; Mathlib derives it from a linearly ordered group. -/
class AbsLaws (α : Type u) [Max α] [Neg α] [LE α] [LT α] [OfNat α 0] : Prop where
  abs_cases (a : α) : |a| = a ∧ 0 ≤ a ∨ |a| = -a ∧ a < 0
  not_neg {a : α} : 0 ≤ a → ¬ a < 0
  abs_nonneg (a : α) : 0 ≤ |a|
  abs_neg (a : α) : |-a| = |a|
  abs_le {a b : α} : |a| ≤ b ↔ -b ≤ a ∧ a ≤ b
  abs_lt {a b : α} : |a| < b ↔ -b < a ∧ a < b
  abs_eq_zero {a : α} : |a| = 0 ↔ a = 0
section
open Lean.Grind.OrderedAdd (neg_le_iff neg_lt_iff neg_nonneg_iff)
instance : AbsLaws ℤ where
  abs_cases a := (Int.le_total 0 a).elim (fun h => Or.inl ⟨Int.max_eq_left (by omega), h⟩)
    fun h => (Decidable.em (a = 0)).elim (fun e => Or.inl (by subst e; decide)) fun e => Or.inr ⟨Int.max_eq_right (by omega), by omega⟩
  not_neg := Int.not_lt.2
  abs_nonneg a := by unfold abs; omega
  abs_neg a := by unfold abs; rw [Int.neg_neg, Int.max_comm]
  abs_le := Int.max_le.trans (and_comm.trans (and_congr neg_le_iff Iff.rfl))
  abs_lt := Int.max_lt.trans (and_comm.trans (and_congr neg_lt_iff Iff.rfl))
  abs_eq_zero := by unfold abs; omega
protected theorem Rat.max_le {a b c : ℚ} : max a b ≤ c ↔ a ≤ c ∧ b ≤ c := by
  rw [Rat.max_def]; split
  · exact ⟨fun h => ⟨Rat.le_trans ‹_› h, h⟩, And.right⟩
  · exact ⟨fun h => ⟨h, Rat.le_trans (Rat.le_of_lt (Rat.not_le.1 ‹_›)) h⟩, And.left⟩
protected theorem Rat.max_lt {a b c : ℚ} : max a b < c ↔ a < c ∧ b < c := by
  rw [Rat.max_def]; split
  · exact ⟨fun h => ⟨Std.lt_of_le_of_lt ‹_› h, h⟩, And.right⟩
  · exact ⟨fun h => ⟨h, Std.lt_of_le_of_lt (Rat.le_of_lt (Rat.not_le.1 ‹_›)) h⟩, And.left⟩
protected theorem Rat.abs_cases (a : ℚ) : |a| = a ∧ 0 ≤ a ∨ |a| = -a ∧ a < 0 := by
  unfold abs; rw [Rat.max_def]; split <;> grind
instance : AbsLaws ℚ where
  abs_cases := Rat.abs_cases
  not_neg := Rat.not_lt.2
  abs_nonneg a := by
    rcases Rat.abs_cases a with h | h <;> rw [h.1]
    · exact h.2
    · exact neg_nonneg_iff.2 (Rat.le_of_lt h.2)
  abs_neg a := by
    unfold abs; rw [Lean.Grind.AddCommGroup.neg_neg]
    exact Rat.le_antisymm (Rat.max_le.2 (Rat.max_le.1 Rat.le_refl).symm) (Rat.max_le.2 (Rat.max_le.1 Rat.le_refl).symm)
  abs_le := Rat.max_le.trans (and_comm.trans (and_congr neg_le_iff Iff.rfl))
  abs_lt := Rat.max_lt.trans (and_comm.trans (and_congr neg_lt_iff Iff.rfl))
  abs_eq_zero {a} := by have := Rat.abs_cases a; grind
end

section
variable {α : Type u} [Max α] [Neg α] [LE α] [LT α] [OfNat α 0] [AbsLaws α] {a b : α}
theorem abs_cases (a : α) : |a| = a ∧ 0 ≤ a ∨ |a| = -a ∧ a < 0 := AbsLaws.abs_cases a
grind_pattern abs_cases => |a|
@[simp] theorem abs_nonneg (a : α) : 0 ≤ |a| := AbsLaws.abs_nonneg a
@[simp] theorem abs_neg (a : α) : |-a| = |a| := AbsLaws.abs_neg a
@[simp] theorem abs_eq_zero : |a| = 0 ↔ a = 0 := AbsLaws.abs_eq_zero
theorem abs_le : |a| ≤ b ↔ -b ≤ a ∧ a ≤ b := AbsLaws.abs_le
theorem abs_lt : |a| < b ↔ -b < a ∧ a < b := AbsLaws.abs_lt
theorem abs_of_nonneg (h : 0 ≤ a) : |a| = a := (abs_cases a).elim And.left fun h' => absurd h'.2 (AbsLaws.not_neg h)
theorem abs_of_neg (h : a < 0) : |a| = -a := (abs_cases a).elim (fun h' => absurd h (AbsLaws.not_neg h'.2)) And.left
end
theorem Int.abs_eq_natAbs (a : ℤ) : |a| = a.natAbs := by rcases abs_cases a with h | h <;> omega
theorem Int.natCast_natAbs (a : ℤ) : (a.natAbs : ℤ) = |a| := (abs_eq_natAbs a).symm

class FloorRing (α : Type u) [IntCast α] [LE α] where
  floor : α → ℤ
  ceil : α → ℤ
  le_floor : ∀ {z : ℤ} {a : α}, z ≤ floor a ↔ (z : α) ≤ a
  ceil_le : ∀ {z : ℤ} {a : α}, ceil a ≤ z ↔ a ≤ (z : α)
instance : FloorRing ℤ := ⟨id, id, Iff.rfl, Iff.rfl⟩
instance : FloorRing ℚ := ⟨Rat.floor, Rat.ceil, Rat.le_floor_iff, fun {z a} => by
  have : -z ≤ (-a).floor ↔ -(z : ℚ) ≤ -a := by rw [Rat.le_floor_iff, Rat.intCast_neg]
  rw [Rat.ceil_eq_neg_floor_neg]; grind⟩

class FloorSemiring (α : Type u) where
  floor : α → ℕ
  ceil : α → ℕ
instance : FloorSemiring ℕ := ⟨id, id⟩
instance : FloorSemiring ℤ := ⟨Int.toNat, Int.toNat⟩
instance : FloorSemiring ℚ := ⟨fun a => a.floor.toNat, fun a => a.ceil.toNat⟩
def Nat.floor {α : Type u} [FloorSemiring α] (a : α) : ℕ := FloorSemiring.floor a
def Nat.ceil {α : Type u} [FloorSemiring α] (a : α) : ℕ := FloorSemiring.ceil a
def Int.floor {α : Type u} [IntCast α] [LE α] [FloorRing α] (a : α) : ℤ := FloorRing.floor a
def Int.ceil {α : Type u} [IntCast α] [LE α] [FloorRing α] (a : α) : ℤ := FloorRing.ceil a
syntax:max ("⌊" <|> "⌈") term ("⌋₊" <|> "⌉₊" <|> "⌋" <|> "⌉") : term
macro_rules
  | `(⌊$a⌋) => `(Int.floor $a)
  | `(⌈$a⌉) => `(Int.ceil $a)
  | `(⌊$a⌋₊) => `(Nat.floor $a)
  | `(⌈$a⌉₊) => `(Nat.ceil $a)

section
variable {α : Type u} [IntCast α] [LE α] [FloorRing α] {a : α} {z : ℤ}
theorem Int.le_floor : z ≤ ⌊a⌋ ↔ (z : α) ≤ a := FloorRing.le_floor
theorem Int.ceil_le : ⌈a⌉ ≤ z ↔ a ≤ z := FloorRing.ceil_le
theorem Int.floor_le (a : α) : (⌊a⌋ : α) ≤ a := Int.le_floor.1 (Int.le_refl _)
theorem Int.le_ceil (a : α) : a ≤ ⌈a⌉ := Int.ceil_le.1 (Int.le_refl _)
end
theorem Int.floor_eq_iff {a : ℚ} {z : ℤ} : ⌊a⌋ = z ↔ (z : ℚ) ≤ a ∧ a < z + 1 := by
  have h := Rat.floor_lt_iff (a := a) (x := z + 1)
  rw [Rat.intCast_add] at h
  show a.floor = z ↔ _ ∧ a < z + (1 : ℤ)
  rw [← h, ← Rat.le_floor_iff]; omega
theorem Int.ceil_eq_iff {a : ℚ} {z : ℤ} : ⌈a⌉ = z ↔ (z : ℚ) - 1 < a ∧ a ≤ z := by
  have h := Int.ceil_le (a := a) (z := z - 1)
  rw [Rat.intCast_sub] at h
  show _ ↔ z - ((1 : ℤ) : ℚ) < a ∧ _
  rw [← Rat.not_le, ← h, ← Int.ceil_le]; omega

/-! ## Parity -/

def Even {α : Type u} [Add α] (a : α) : Prop := ∃ r, a = r + r
def Odd {α : Type u} [Add α] [Mul α] [OfNat α 2] [OfNat α 1] (a : α) : Prop := ∃ m, a = 2 * m + 1

@[grind =] theorem Nat.even_iff {n : ℕ} : Even n ↔ n % 2 = 0 :=
  ⟨fun ⟨r, h⟩ => by rw [h, ← Nat.two_mul, Nat.mul_mod_right], fun h => ⟨n / 2, by omega⟩⟩
@[grind =] theorem Nat.odd_iff {n : ℕ} : Odd n ↔ n % 2 = 1 :=
  ⟨fun ⟨r, h⟩ => by rw [h, Nat.mul_add_mod], fun h => ⟨n / 2, h ▸ (Nat.div_add_mod n 2).symm⟩⟩
@[grind =] theorem Int.even_iff {n : ℤ} : Even n ↔ n % 2 = 0 :=
  ⟨fun ⟨r, h⟩ => by rw [h, ← Int.two_mul, Int.mul_emod_right], fun h => ⟨n / 2, by omega⟩⟩
@[grind =] theorem Int.odd_iff {n : ℤ} : Odd n ↔ n % 2 = 1 :=
  ⟨fun ⟨r, h⟩ => by omega, fun h => ⟨n / 2, h ▸ (Int.mul_ediv_add_emod n 2).symm⟩⟩
instance (n : ℕ) : Decidable (Even n) := decidable_of_iff _ Nat.even_iff.symm
instance (n : ℕ) : Decidable (Odd n) := decidable_of_iff _ Nat.odd_iff.symm
instance (n : ℤ) : Decidable (Even n) := decidable_of_iff _ Int.even_iff.symm
instance (n : ℤ) : Decidable (Odd n) := decidable_of_iff _ Int.odd_iff.symm

namespace Nat
variable {m n : ℕ}
@[simp] theorem not_even_iff_odd : ¬ Even n ↔ Odd n := by rw [even_iff, odd_iff]; exact Nat.mod_two_ne_zero
@[simp] theorem not_odd_iff_even : ¬ Odd n ↔ Even n := by rw [even_iff, odd_iff]; exact Nat.mod_two_ne_one
theorem even_or_odd (n : ℕ) : Even n ∨ Odd n := by rw [even_iff, odd_iff]; exact Nat.mod_two_eq_zero_or_one n
theorem even_add : Even (m + n) ↔ (Even m ↔ Even n) := by
  rw [even_iff, even_iff, even_iff, Nat.add_mod]
  rcases Nat.mod_two_eq_zero_or_one m with h | h <;> rcases Nat.mod_two_eq_zero_or_one n with h' | h' <;> simp [h, h']
theorem even_mul : Even (m * n) ↔ Even m ∨ Even n := by
  rw [even_iff, even_iff, even_iff, Nat.mul_mod]
  rcases Nat.mod_two_eq_zero_or_one m with h | h <;> rcases Nat.mod_two_eq_zero_or_one n with h' | h' <;> simp [h, h']
theorem odd_mul : Odd (m * n) ↔ Odd m ∧ Odd n := by rw [← not_even_iff_odd, even_mul, not_or, not_even_iff_odd, not_even_iff_odd]
end Nat
namespace Int
variable {m n : ℤ}
theorem even_or_odd (n : ℤ) : Even n ∨ Odd n := by rw [even_iff, odd_iff]; exact Int.emod_two_eq n
@[simp] theorem not_even_iff_odd : ¬ Even n ↔ Odd n :=
  ⟨(even_or_odd n).resolve_left, fun h e => absurd ((even_iff.1 e).symm.trans (odd_iff.1 h)) (by decide)⟩
@[simp] theorem not_odd_iff_even : ¬ Odd n ↔ Even n := by rw [← not_even_iff_odd, Classical.not_not]
theorem even_add : Even (m + n) ↔ (Even m ↔ Even n) := by
  rw [even_iff, even_iff, even_iff, Int.add_emod]
  rcases Int.emod_two_eq m with h | h <;> rcases Int.emod_two_eq n with h' | h' <;> simp [h, h']
theorem even_sub : Even (m - n) ↔ (Even m ↔ Even n) := by
  rw [even_iff, even_iff, even_iff, Int.sub_emod]
  rcases Int.emod_two_eq m with h | h <;> rcases Int.emod_two_eq n with h' | h' <;> simp [h, h']
theorem even_mul : Even (m * n) ↔ Even m ∨ Even n := by
  rw [even_iff, even_iff, even_iff, Int.mul_emod]
  rcases Int.emod_two_eq m with h | h <;> rcases Int.emod_two_eq n with h' | h' <;> simp [h, h']
theorem odd_mul : Odd (m * n) ↔ Odd m ∧ Odd n := by rw [← not_even_iff_odd, even_mul, not_or, not_even_iff_odd, not_even_iff_odd]
end Int

/-! ## Congruences -/

/-- Reducible, so that `omega` and `grind` see the equation of remainders. -/
@[reducible] def Nat.ModEq (n a b : ℕ) : Prop := a % n = b % n
@[reducible] def Int.ModEq (n a b : ℤ) : Prop := a % n = b % n
notation:50 a " ≡ " b " [MOD " n "]" => Nat.ModEq n a b
notation:50 a " ≡ " b " [ZMOD " n "]" => Int.ModEq n a b
namespace Nat.ModEq
variable {n a b c d : ℕ}
protected theorem refl (a : ℕ) : a ≡ a [MOD n] := rfl
protected theorem symm (h : a ≡ b [MOD n]) : b ≡ a [MOD n] := Eq.symm h
protected theorem trans (h : a ≡ b [MOD n]) (h' : b ≡ c [MOD n]) : a ≡ c [MOD n] := Eq.trans h h'
protected theorem add (h : a ≡ b [MOD n]) (h' : c ≡ d [MOD n]) : a + c ≡ b + d [MOD n] := by
  rw [Nat.ModEq, Nat.add_mod, h, h', ← Nat.add_mod]
protected theorem mul (h : a ≡ b [MOD n]) (h' : c ≡ d [MOD n]) : a * c ≡ b * d [MOD n] := by
  rw [Nat.ModEq, Nat.mul_mod, h, h', ← Nat.mul_mod]
protected theorem pow (m : ℕ) (h : a ≡ b [MOD n]) : a ^ m ≡ b ^ m [MOD n] := by rw [Nat.ModEq, Nat.pow_mod, h, ← Nat.pow_mod]
end Nat.ModEq
namespace Int.ModEq
variable {n a b c d : ℤ}
protected theorem refl (a : ℤ) : a ≡ a [ZMOD n] := rfl
protected theorem symm (h : a ≡ b [ZMOD n]) : b ≡ a [ZMOD n] := Eq.symm h
protected theorem trans (h : a ≡ b [ZMOD n]) (h' : b ≡ c [ZMOD n]) : a ≡ c [ZMOD n] := Eq.trans h h'
protected theorem add (h : a ≡ b [ZMOD n]) (h' : c ≡ d [ZMOD n]) : a + c ≡ b + d [ZMOD n] := by
  rw [Int.ModEq, Int.add_emod, h, h', ← Int.add_emod]
protected theorem mul (h : a ≡ b [ZMOD n]) (h' : c ≡ d [ZMOD n]) : a * c ≡ b * d [ZMOD n] := by
  rw [Int.ModEq, Int.mul_emod, h, h', ← Int.mul_emod]
end Int.ModEq
theorem Nat.modEq_zero_iff_dvd {n a : ℕ} : a ≡ 0 [MOD n] ↔ n ∣ a := by rw [ModEq, Nat.zero_mod, Nat.dvd_iff_mod_eq_zero]
theorem Int.modEq_zero_iff_dvd {n a : ℤ} : a ≡ 0 [ZMOD n] ↔ n ∣ a := by rw [ModEq, Int.zero_emod, Int.dvd_iff_emod_eq_zero]
theorem Int.modEq_iff_dvd {n a b : ℤ} : a ≡ b [ZMOD n] ↔ n ∣ b - a := by
  rw [ModEq, eq_comm, Int.emod_eq_emod_iff_emod_sub_eq_zero, Int.dvd_iff_emod_eq_zero]

/-! ## Primes -/

def IsSquare {α : Type u} [Mul α] (a : α) : Prop := ∃ r, a = r * r
def IsUnit {α : Type u} [Mul α] [OfNat α 1] (a : α) : Prop := ∃ b, a * b = 1 ∧ b * a = 1
def Prime {α : Type u} [Mul α] [OfNat α 0] [OfNat α 1] [Dvd α] (p : α) : Prop :=
  p ≠ 0 ∧ ¬ IsUnit p ∧ ∀ a b, p ∣ a * b → p ∣ a ∨ p ∣ b

namespace Nat
/-- Mathlib defines this as `Irreducible p` and proves `Nat.prime_def`, which is the definition here. -/
def Prime (p : ℕ) : Prop := 2 ≤ p ∧ ∀ m, m ∣ p → m = 1 ∨ m = p
theorem prime_def {p : ℕ} : p.Prime ↔ 2 ≤ p ∧ ∀ m, m ∣ p → m = 1 ∨ m = p := Iff.rfl

/-- Trial division from `k` on, made of `Nat` operations that the kernel computes with big numbers. -/
def noFactorFrom (n : ℕ) : ℕ → ℕ → Bool
  | 0, _ => true
  | fuel + 1, k => bif Nat.blt n (k * k) then true else bif Nat.beq (n % k) 0 then false else noFactorFrom n fuel (k + 1)
theorem noFactorFrom_iff {n : ℕ} : ∀ {fuel k : ℕ}, n < (k + fuel) * (k + fuel) →
    (noFactorFrom n fuel k = true ↔ ∀ m, k ≤ m → m * m ≤ n → ¬ m ∣ n)
  | 0, k, h => ⟨fun _ m hm hmn => absurd (Nat.mul_le_mul hm hm) (by simp only [Nat.add_zero] at h; omega), fun _ => rfl⟩
  | fuel + 1, k, h => by
    have ih := noFactorFrom_iff (n := n) (fuel := fuel) (k := k + 1) (by rwa [Nat.add_right_comm k 1 fuel])
    rw [noFactorFrom]
    by_cases h₁ : n < k * k
    · rw [show Nat.blt n (k * k) = true from Nat.blt_eq ▸ h₁]
      exact ⟨fun _ m hm hmn => absurd (Nat.mul_le_mul hm hm) (by omega), fun _ => rfl⟩
    · rw [show Nat.blt n (k * k) = false from Bool.eq_false_iff.2 fun h => h₁ (Nat.blt_eq ▸ h)]
      by_cases h₂ : n % k = 0
      · rw [show Nat.beq (n % k) 0 = true from Nat.beq_eq ▸ h₂]
        exact ⟨fun h => (by cases h), fun h => absurd (Nat.dvd_of_mod_eq_zero h₂) (h k (Nat.le_refl k) (by omega))⟩
      · rw [show Nat.beq (n % k) 0 = false from Bool.eq_false_iff.2 fun h => h₂ (Nat.beq_eq ▸ h)]
        refine ih.trans ⟨fun h m hm hmn hd => ?_, fun h m hm => h m (by omega)⟩
        rcases Nat.eq_or_lt_of_le hm with rfl | hlt
        · exact h₂ (Nat.mod_eq_zero_of_dvd hd)
        · exact h m hlt hmn hd
theorem prime_iff_noFactor {p : ℕ} : p.Prime ↔ 2 ≤ p ∧ noFactorFrom p p 2 = true := by
  rw [noFactorFrom_iff (Nat.lt_of_lt_of_le (by omega : p < 2 + p) (Nat.le_mul_of_pos_left _ (by omega)))]
  refine and_congr_right fun h2 => ⟨fun h m hm hmp hd => ?_, fun h m hd => ?_⟩
  · rcases h m hd with rfl | rfl
    · omega
    · exact absurd (Nat.mul_le_mul_right m hm) (by omega)
  · obtain ⟨c, rfl⟩ := hd
    have hm : m ≠ 0 := fun e => by simp [e] at h2
    have hc : c ≠ 0 := fun e => by simp [e] at h2
    by_cases h1 : m = 1
    · exact Or.inl h1
    by_cases h1' : c = 1
    · exact Or.inr (by rw [h1', Nat.mul_one])
    rcases Nat.le_total m c with hle | hle
    · exact absurd (Nat.dvd_mul_right m c) (h m (by omega) (Nat.mul_le_mul_left m hle))
    · exact absurd (Nat.dvd_mul_left c m) (h c (by omega) (Nat.mul_le_mul_right c hle))
instance (p : ℕ) : Decidable p.Prime := decidable_of_iff _ prime_iff_noFactor.symm

variable {p m n : ℕ}
theorem Prime.two_le (h : p.Prime) : 2 ≤ p := h.1
theorem Prime.one_lt (h : p.Prime) : 1 < p := h.1
theorem Prime.pos (h : p.Prime) : 0 < p := Nat.lt_trans Nat.zero_lt_one h.1
theorem Prime.ne_zero (h : p.Prime) : p ≠ 0 := Nat.ne_of_gt h.pos
theorem Prime.ne_one (h : p.Prime) : p ≠ 1 := Nat.ne_of_gt h.1
theorem Prime.eq_one_or_self_of_dvd (h : p.Prime) (m : ℕ) (hm : m ∣ p) : m = 1 ∨ m = p := h.2 m hm
theorem prime_two : Nat.Prime 2 := by decide
theorem prime_three : Nat.Prime 3 := by decide
theorem not_prime_zero : ¬ Nat.Prime 0 := by decide
theorem not_prime_one : ¬ Nat.Prime 1 := by decide
theorem Prime.coprime_iff_not_dvd (h : p.Prime) : Nat.Coprime p n ↔ ¬ p ∣ n := by
  refine ⟨fun hc hd => h.ne_one (hc.eq_one_of_dvd hd), fun hd => ?_⟩
  exact (h.2 _ (Nat.gcd_dvd_left p n)).resolve_right fun e => hd (e ▸ Nat.gcd_dvd_right p n)
theorem Prime.dvd_mul (h : p.Prime) : p ∣ m * n ↔ p ∣ m ∨ p ∣ n := by
  refine ⟨fun hd => ?_, fun hd => hd.elim (Nat.dvd_mul_right_of_dvd · n) (Nat.dvd_mul_left_of_dvd · m)⟩
  by_cases hm : p ∣ m
  · exact Or.inl hm
  · exact Or.inr ((h.coprime_iff_not_dvd.2 hm).dvd_of_dvd_mul_left hd)
theorem Prime.dvd_of_dvd_pow (h : p.Prime) : p ∣ m ^ n → p ∣ m := by
  induction n with
  | zero => intro hd; exact absurd (Nat.dvd_one.1 hd) h.ne_one
  | succ n ih => rw [Nat.pow_succ, h.dvd_mul]; exact fun hd => hd.elim ih id
theorem Prime.eq_two_or_odd (h : p.Prime) : p = 2 ∨ p % 2 = 1 :=
  (Nat.mod_two_eq_zero_or_one p).imp_left fun e => ((h.2 2 (Nat.dvd_of_mod_eq_zero e)).resolve_left (by decide)).symm
theorem exists_prime_and_dvd {n : ℕ} (hn : n ≠ 1) : ∃ p, Nat.Prime p ∧ p ∣ n := by
  induction n using Nat.strongRecOn with
  | ind n ih =>
    by_cases h0 : n = 0
    · exact ⟨2, prime_two, h0 ▸ Nat.dvd_zero 2⟩
    by_cases hp : n.Prime
    · exact ⟨n, hp, Nat.dvd_refl n⟩
    · obtain ⟨m, hm⟩ := Classical.not_forall.1 fun h => hp ⟨by omega, h⟩
      obtain ⟨hd, hm⟩ := Classical.not_imp.1 hm
      rw [not_or] at hm
      obtain ⟨p, hpp, hpm⟩ := ih m (Nat.lt_of_le_of_ne (Nat.le_of_dvd (by omega) hd) hm.2) hm.1
      exact ⟨p, hpp, Nat.dvd_trans hpm hd⟩

theorem prime_iff : p.Prime ↔ _root_.Prime p := by
  refine ⟨fun h => ⟨h.ne_zero, fun ⟨b, hb, _⟩ => h.ne_one (Nat.eq_one_of_mul_eq_one_right hb), fun _ _ => h.dvd_mul.1⟩, fun ⟨h0, h1, h⟩ => ⟨?_, ?_⟩⟩
  · have : p ≠ 1 := fun e => h1 ⟨1, by rw [e], by rw [e]⟩
    omega
  · rintro m ⟨c, rfl⟩
    have hm : 0 < m := Nat.pos_of_ne_zero fun e => h0 (by rw [e, Nat.zero_mul])
    have hc : 0 < c := Nat.pos_of_ne_zero fun e => h0 (by rw [e, Nat.mul_zero])
    rcases h m c (Nat.dvd_refl _) with hd | hd
    · exact Or.inr (Nat.dvd_antisymm (Nat.dvd_mul_right m c) hd)
    · have := Nat.dvd_antisymm hd (Nat.dvd_mul_left c m)
      exact Or.inl (Nat.eq_of_mul_eq_mul_right hc (by rw [Nat.one_mul]; exact this))

/-! ## Factorial, binomials, Fibonacci, digits, roots, divisors -/

def factorial : ℕ → ℕ
  | 0 => 1
  | n + 1 => (n + 1) * factorial n
scoped notation:10000 n "!" => Nat.factorial n
@[simp, grind =] theorem factorial_zero : 0! = 1 := rfl
@[grind =] theorem factorial_succ (n : ℕ) : (n + 1)! = (n + 1) * n ! := rfl
theorem factorial_pos : ∀ n : ℕ, 0 < n !
  | 0 => Nat.zero_lt_one
  | n + 1 => Nat.mul_pos (Nat.succ_pos n) (factorial_pos n)
theorem dvd_factorial : ∀ {m n : ℕ}, 0 < m → m ≤ n → m ∣ n !
  | _, 0, h, h' => absurd h (by omega)
  | m, n + 1, h, h' => (Nat.eq_or_lt_of_le h').elim (fun e => by subst e; exact Nat.dvd_mul_right (n + 1) (n !))
    fun hlt => Nat.dvd_mul_left_of_dvd (dvd_factorial h (Nat.le_of_lt_succ hlt)) (n + 1)

def choose : ℕ → ℕ → ℕ
  | _, 0 => 1
  | 0, _ + 1 => 0
  | n + 1, k + 1 => choose n k + choose n (k + 1)
@[simp, grind =] theorem choose_zero_right (n : ℕ) : choose n 0 = 1 := by cases n <;> rfl
@[simp, grind =] theorem choose_zero_succ (k : ℕ) : choose 0 (k + 1) = 0 := rfl
@[grind =] theorem choose_succ_succ (n k : ℕ) : choose (n + 1) (k + 1) = choose n k + choose n (k + 1) := rfl
theorem choose_eq_zero_of_lt : ∀ {n k : ℕ}, n < k → choose n k = 0
  | _, 0, h => absurd h (by omega)
  | 0, _ + 1, _ => rfl
  | n + 1, k + 1, h => by rw [choose_succ_succ, choose_eq_zero_of_lt (by omega : n < k), choose_eq_zero_of_lt (by omega)]
@[simp] theorem choose_self : ∀ n : ℕ, choose n n = 1
  | 0 => rfl
  | n + 1 => by rw [choose_succ_succ, choose_self n, choose_eq_zero_of_lt (Nat.lt_succ_self n)]
@[simp] theorem choose_one_right : ∀ n : ℕ, choose n 1 = n
  | 0 => rfl
  | n + 1 => by rw [choose_succ_succ, choose_one_right n, choose_zero_right, Nat.add_comm]

private def fibPair : ℕ → ℕ × ℕ
  | 0 => (0, 1)
  | n + 1 => ((fibPair n).2, (fibPair n).1 + (fibPair n).2)
def fib (n : ℕ) : ℕ := (fibPair n).1
@[simp] theorem fib_zero : fib 0 = 0 := rfl
@[simp] theorem fib_one : fib 1 = 1 := rfl
@[grind =] theorem fib_add_two {n : ℕ} : fib (n + 2) = fib n + fib (n + 1) := rfl

private def digitsAux (b : ℕ) : ℕ → ℕ → List ℕ
  | 0, _ => []
  | fuel + 1, n => if n = 0 then [] else n % b :: digitsAux b fuel (n / b)
def digits : ℕ → ℕ → List ℕ
  | 0, n => if n = 0 then [] else [n]
  | 1, n => List.replicate n 1
  | b + 2, n => digitsAux (b + 2) n n
def ofDigits {α : Type u} [Add α] [Mul α] [OfNat α 0] [NatCast α] (b : α) : List ℕ → α :=
  List.foldr (fun x y => (x : α) + b * y) 0
private theorem digitsAux_eq {b : ℕ} (hb : 1 < b) : ∀ {f g n : ℕ}, n ≤ f → n ≤ g → digitsAux b f n = digitsAux b g n
  | 0, 0, _, _, _ => rfl
  | 0, g + 1, n, h, _ => by rw [Nat.le_zero.1 h]; rfl
  | f + 1, 0, n, _, h => by rw [Nat.le_zero.1 h]; rfl
  | f + 1, g + 1, n, h, h' => by
    rw [digitsAux, digitsAux]
    by_cases h0 : n = 0
    · rw [if_pos h0, if_pos h0]
    · have := Nat.div_lt_self (by omega : 0 < n) hb
      rw [if_neg h0, if_neg h0, digitsAux_eq hb (by omega : n / b ≤ f) (by omega : n / b ≤ g)]
@[simp] theorem digits_zero : ∀ b : ℕ, digits b 0 = []
  | 0 => rfl
  | 1 => rfl
  | _ + 2 => rfl
theorem digits_def' : ∀ {b : ℕ}, 1 < b → ∀ {n : ℕ}, 0 < n → digits b n = n % b :: digits b (n / b)
  | b + 2, hb, n + 1, _ => by
    have := Nat.div_lt_self (Nat.succ_pos n) hb
    show digitsAux (b + 2) (n + 1) (n + 1) = _ :: digitsAux (b + 2) _ _
    rw [digitsAux, if_neg (by omega), digitsAux_eq hb (Nat.le_of_lt_succ this) (Nat.le_refl _)]

private def sqrtAux : ℕ → ℕ → ℕ
  | 0, _ => 0
  | fuel + 1, n =>
    if n = 0 then 0 else
      bif Nat.ble ((2 * sqrtAux fuel (n / 4) + 1) * (2 * sqrtAux fuel (n / 4) + 1)) n then 2 * sqrtAux fuel (n / 4) + 1
      else 2 * sqrtAux fuel (n / 4)
def sqrt (n : ℕ) : ℕ := sqrtAux n n
private theorem sqrtAux_spec : ∀ {fuel n : ℕ}, n ≤ fuel →
    sqrtAux fuel n * sqrtAux fuel n ≤ n ∧ n < (sqrtAux fuel n + 1) * (sqrtAux fuel n + 1)
  | 0, n, h => by rw [Nat.le_zero.1 h]; decide
  | fuel + 1, n, h => by
    rw [sqrtAux]
    by_cases h0 : n = 0
    · rw [if_pos h0, h0]; decide
    have ⟨h₁, h₂⟩ := sqrtAux_spec (show n / 4 ≤ fuel by omega)
    rw [if_neg h0]
    generalize sqrtAux fuel (n / 4) = r at *
    have e₁ : 2 * r * (2 * r) = 4 * (r * r) := by rw [Nat.mul_mul_mul_comm]
    have e₂ : (2 * r + 1 + 1) * (2 * r + 1 + 1) = 4 * ((r + 1) * (r + 1)) := by
      rw [show 2 * r + 1 + 1 = 2 * (r + 1) by omega, Nat.mul_mul_mul_comm]
    by_cases hb : (2 * r + 1) * (2 * r + 1) ≤ n
    · rw [show Nat.ble _ n = true from Nat.ble_eq ▸ hb]; exact ⟨hb, by simp only [cond_true]; omega⟩
    · rw [show Nat.ble _ n = false from Bool.eq_false_iff.2 fun h => hb (Nat.ble_eq ▸ h)]; exact ⟨by simp only [cond_false]; omega, Nat.lt_of_not_le hb⟩
theorem sqrt_le (n : ℕ) : sqrt n * sqrt n ≤ n := (sqrtAux_spec (Nat.le_refl n)).1
theorem lt_succ_sqrt (n : ℕ) : n < (sqrt n + 1) * (sqrt n + 1) := (sqrtAux_spec (Nat.le_refl n)).2
theorem le_sqrt {m n : ℕ} : m ≤ sqrt n ↔ m * m ≤ n :=
  ⟨fun h => Nat.le_trans (Nat.mul_le_mul h h) (sqrt_le n), fun h => Nat.le_of_not_lt fun hl =>
    absurd (Nat.mul_le_mul hl hl) (Nat.not_le_of_lt (Nat.lt_of_le_of_lt h (lt_succ_sqrt n)))⟩

def divisors (n : ℕ) : Finset ℕ := (Finset.Ico 1 (n + 1)).filter (· ∣ n)
def properDivisors (n : ℕ) : Finset ℕ := (Finset.Ico 1 n).filter (· ∣ n)
@[simp, grind =] theorem mem_divisors : n ∈ divisors m ↔ n ∣ m ∧ m ≠ 0 := by
  rw [divisors, Finset.mem_filter, Finset.mem_Ico]
  refine ⟨fun h => ⟨h.2, by omega⟩, fun h => ?_⟩
  have := Nat.le_of_dvd (by omega) h.1
  have := Nat.pos_of_dvd_of_pos h.1 (by omega)
  exact ⟨by omega, h.1⟩
@[simp, grind =] theorem mem_properDivisors : n ∈ properDivisors m ↔ n ∣ m ∧ n < m := by
  rw [properDivisors, Finset.mem_filter, Finset.mem_Ico]
  refine ⟨fun h => ⟨h.2, by omega⟩, fun h => ?_⟩
  have := Nat.pos_of_dvd_of_pos h.1 (by omega)
  exact ⟨by omega, h.1⟩
def primeFactors (n : ℕ) : Finset ℕ := n.divisors.filter Nat.Prime
@[simp, grind =] theorem mem_primeFactors : p ∈ n.primeFactors ↔ p.Prime ∧ p ∣ n ∧ n ≠ 0 := by
  rw [primeFactors, Finset.mem_filter, mem_divisors, and_comm]
def totient (n : ℕ) : ℕ := ((Finset.range n).filter (Nat.Coprime n)).card
end Nat

/-! ## Integers modulo n

Definitions only: `decide` and `rfl` compute, there is no ring theory. -/

def ZMod : ℕ → Type
  | 0 => ℤ
  | n + 1 => Fin (n + 1)
namespace ZMod
variable {n : ℕ}
instance : DecidableEq (ZMod n) := match n with | 0 => inferInstanceAs (DecidableEq ℤ) | n + 1 => inferInstanceAs (DecidableEq (Fin (n + 1)))
instance : Add (ZMod n) := match n with | 0 => inferInstanceAs (Add ℤ) | n + 1 => inferInstanceAs (Add (Fin (n + 1)))
instance : Mul (ZMod n) := match n with | 0 => inferInstanceAs (Mul ℤ) | n + 1 => inferInstanceAs (Mul (Fin (n + 1)))
instance : Sub (ZMod n) := match n with | 0 => inferInstanceAs (Sub ℤ) | n + 1 => inferInstanceAs (Sub (Fin (n + 1)))
instance : Neg (ZMod n) := match n with | 0 => inferInstanceAs (Neg ℤ) | n + 1 => inferInstanceAs (Neg (Fin (n + 1)))
instance : IntCast (ZMod n) := ⟨fun z => match n with | 0 => z | n + 1 => (Fin.ofNat (n + 1) (z % (n + 1 : ℕ)).toNat : Fin (n + 1))⟩
instance : NatCast (ZMod n) := ⟨fun k => ((k : ℤ) : ZMod n)⟩
instance (k : ℕ) : OfNat (ZMod n) k := ⟨(k : ZMod n)⟩
def npow (a : ZMod n) : ℕ → ZMod n
  | 0 => 1
  | k + 1 => npow a k * a
instance : NatPow (ZMod n) := ⟨npow⟩
/-- Mathlib's `Nat.gcdA`, by the extended Euclidean algorithm, with fuel. -/
private def gcdA : ℕ → ℕ → ℤ → ℕ → ℤ → ℤ
  | 0, _, _, _, s' => s'
  | fuel + 1, r, s, r', s' => if r = 0 then s' else gcdA fuel (r' % r) (s' - (r' / r : ℕ) * s) r s
instance : Inv (ZMod n) := ⟨fun a => match n, a with
  | 0, a => Int.sign a
  | n + 1, a => (gcdA (n + 2) (Fin.val a) 1 (n + 1) 0 : ZMod (n + 1))⟩
end ZMod

end Core

/-! ## Names that MiniF2F's header opens

The namespaces that hold nothing here exist so that the line below, and submissions that repeat it, work. -/

namespace BigOperators
end BigOperators
namespace Real
end Real
namespace Topology
end Topology

/-! ## Scope: what a statement continues in

MiniF2F's own header ends with this `open`, and statements such as `10!` rely on it. Without `autoImplicit` a type that
is missing here, such as `NNReal`, is an error; with it, Lean would silently make it a variable of the statement. -/

set_option autoImplicit false
open BigOperators Real Nat Topology Rat
