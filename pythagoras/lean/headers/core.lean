public section
noncomputable section
/-!
# core: competition statements over ℕ, ℤ and ℚ without Mathlib
-/

universe u v w
notation "ℕ" => Nat
notation "ℤ" => Int
notation "ℚ" => Rat

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

section Order
variable {α : Type u} [LE α]

def upperBounds (s : Set α) : Set α := setOf fun x => ∀ ⦃a⦄, a ∈ s → a ≤ x
def lowerBounds (s : Set α) : Set α := setOf fun x => ∀ ⦃a⦄, a ∈ s → x ≤ a
def IsLeast (s : Set α) (a : α) : Prop := a ∈ s ∧ a ∈ lowerBounds s
def IsGreatest (s : Set α) (a : α) : Prop := a ∈ s ∧ a ∈ upperBounds s
@[simp, grind =] theorem mem_upperBounds {s : Set α} {a : α} : a ∈ upperBounds s ↔ ∀ x, x ∈ s → x ≤ a := Iff.rfl
@[simp, grind =] theorem mem_lowerBounds {s : Set α} {a : α} : a ∈ lowerBounds s ↔ ∀ x, x ∈ s → a ≤ x := Iff.rfl

end Order

/-! ## Finsets -/

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
    grind

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
  | b :: l => by have := mem_dedup (a := a) (l := l); rw [dedup]; grind

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
    ind (p := fun s => Multiset.Nodup (Quotient.lift (fun l => Quotient.mk _ (f l)) (fun a b h => Quotient.sound (hf a b h)) s.val)) s hn⟩

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
    grind
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

/-! ### ranges and intervals -/

def range (n : ℕ) : Finset ℕ := ofList (List.range n) List.nodup_range
@[simp, grind =] theorem mem_range {n m : ℕ} : m ∈ range n ↔ m < n := List.mem_range
@[simp] theorem card_range (n : ℕ) : (range n).card = n := List.length_range

end Finset

class LocallyFiniteOrder (α : Type u) [LE α] [LT α] where
  finsetIcc : α → α → Finset α
  finsetIco : α → α → Finset α
  finsetIoc : α → α → Finset α
  finsetIoo : α → α → Finset α
  mem_finsetIcc : ∀ a b x : α, x ∈ finsetIcc a b ↔ a ≤ x ∧ x ≤ b
  mem_finsetIco : ∀ a b x : α, x ∈ finsetIco a b ↔ a ≤ x ∧ x < b
  mem_finsetIoc : ∀ a b x : α, x ∈ finsetIoc a b ↔ a < x ∧ x ≤ b
  mem_finsetIoo : ∀ a b x : α, x ∈ finsetIoo a b ↔ a < x ∧ x < b

namespace Finset
variable {α : Type u} [LE α] [LT α] [LocallyFiniteOrder α] {a b x : α}

def Icc (a b : α) : Finset α := LocallyFiniteOrder.finsetIcc a b
def Ico (a b : α) : Finset α := LocallyFiniteOrder.finsetIco a b
def Ioc (a b : α) : Finset α := LocallyFiniteOrder.finsetIoc a b
def Ioo (a b : α) : Finset α := LocallyFiniteOrder.finsetIoo a b
@[simp, grind =] theorem mem_Icc : x ∈ Icc a b ↔ a ≤ x ∧ x ≤ b := LocallyFiniteOrder.mem_finsetIcc a b x
@[simp, grind =] theorem mem_Ico : x ∈ Ico a b ↔ a ≤ x ∧ x < b := LocallyFiniteOrder.mem_finsetIco a b x
@[simp, grind =] theorem mem_Ioc : x ∈ Ioc a b ↔ a < x ∧ x ≤ b := LocallyFiniteOrder.mem_finsetIoc a b x
@[simp, grind =] theorem mem_Ioo : x ∈ Ioo a b ↔ a < x ∧ x < b := LocallyFiniteOrder.mem_finsetIoo a b x

/-- The `n` naturals from `a`. -/
def natFrom (a n : ℕ) : Finset ℕ := ofList (List.range' a n) (List.nodup_range' 1)
theorem mem_natFrom {a n x : ℕ} : x ∈ natFrom a n ↔ a ≤ x ∧ x < a + n := List.mem_range'_1
instance : LocallyFiniteOrder ℕ where
  finsetIcc a b := natFrom a (b + 1 - a)
  finsetIco a b := natFrom a (b - a)
  finsetIoc a b := natFrom (a + 1) (b - a)
  finsetIoo a b := natFrom (a + 1) (b - a - 1)
  mem_finsetIcc a b x := by rw [mem_natFrom]; omega
  mem_finsetIco a b x := by rw [mem_natFrom]; omega
  mem_finsetIoc a b x := by rw [mem_natFrom]; omega
  mem_finsetIoo a b x := by rw [mem_natFrom]; omega

/-- The `n` integers from `a`. -/
def intFrom (a : ℤ) (n : ℕ) : Finset ℤ := ofList ((List.range n).map fun k : ℕ => a + k) (List.nodup_map (by omega) List.nodup_range)
theorem mem_intFrom {a : ℤ} {n : ℕ} {x : ℤ} : x ∈ intFrom a n ↔ a ≤ x ∧ x < a + n := by
  refine List.mem_map.trans ⟨fun ⟨k, hk, e⟩ => ?_, fun h => ⟨(x - a).toNat, ?_, ?_⟩⟩
  · rw [List.mem_range] at hk; omega
  · rw [List.mem_range]; omega
  · omega
instance : LocallyFiniteOrder ℤ where
  finsetIcc a b := intFrom a (b + 1 - a).toNat
  finsetIco a b := intFrom a (b - a).toNat
  finsetIoc a b := intFrom (a + 1) (b - a).toNat
  finsetIoo a b := intFrom (a + 1) (b - a - 1).toNat
  mem_finsetIcc a b x := by rw [mem_intFrom]; omega
  mem_finsetIco a b x := by rw [mem_intFrom]; omega
  mem_finsetIoc a b x := by rw [mem_intFrom]; omega
  mem_finsetIoo a b x := by rw [mem_intFrom]; omega
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

instance : BigOpLaws (HAdd.hAdd : ℕ → ℕ → ℕ) 0 := ⟨Nat.add_comm, Nat.add_assoc, Nat.zero_add⟩
instance : BigOpLaws (HAdd.hAdd : ℤ → ℤ → ℤ) 0 := ⟨Int.add_comm, Int.add_assoc, Int.zero_add⟩
instance : BigOpLaws (HAdd.hAdd : ℚ → ℚ → ℚ) 0 := ⟨Rat.add_comm, Rat.add_assoc, Rat.zero_add⟩
instance : BigOpLaws (HMul.hMul : ℕ → ℕ → ℕ) 1 := ⟨Nat.mul_comm, Nat.mul_assoc, Nat.one_mul⟩
instance : BigOpLaws (HMul.hMul : ℤ → ℤ → ℤ) 1 := ⟨Int.mul_comm, Int.mul_assoc, Int.one_mul⟩
instance : BigOpLaws (HMul.hMul : ℚ → ℚ → ℚ) 1 := ⟨Rat.mul_comm, Rat.mul_assoc, Rat.one_mul⟩

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
end Finset

/-! ## Notation for sums, products and sets -/

syntax (name := bigOpTerm) ("∑ " <|> "∏ ") term:max (" : " term)? ((" ∈ " <|> " in ") term)? (" with " term)? ", " term:67 : term

@[macro bigOpTerm] meta def expandBigOp : Lean.Macro := fun stx => do
  let x : Lean.Term := ⟨stx[1]⟩
  let b : Lean.Term := ⟨stx[6]⟩
  let s : Lean.Term ← if stx[3].isNone then `(Finset.univ) else pure ⟨stx[3][1]⟩
  let s ← if stx[4].isNone then pure s else `(Finset.filter (fun $x => $(⟨stx[4][1]⟩)) $s)
  let f ← if stx[2].isNone then `(fun $x:term => $b) else `(fun ($x : $(⟨stx[2][1]⟩)) => $b)
  match stx[0] with
  | .atom _ "∑" => `(Finset.sum $s $f)
  | _ => `(Finset.prod $s $f)

/-- `{x ∈ s | p x}` is a set or a finset, as `s` is. -/
class SepBuilder {γ : Type u} {α : Type v} (s : γ) (p : α → Prop) where
  val : γ
@[reducible] def sepBuilder {γ : Type u} {α : Type v} [Membership α γ] (s : γ) (p : α → Prop) [SepBuilder s p] : γ := SepBuilder.val s p
@[reducible] instance {α : Type u} (s : Set α) (p : α → Prop) : SepBuilder s p := ⟨setOf fun x => x ∈ s ∧ p x⟩
@[reducible] instance {α : Type u} (s : Finset α) (p : α → Prop) [DecidablePred p] : SepBuilder s p := ⟨s.filter p⟩

syntax (name := setBuilder) "{" Lean.binderIdent (" : " term)? (" ∈ " term)? " | " term "}" : term
syntax (name := setBuilderPattern) (priority := low) "{" term:max " : " term " | " term "}" : term

macro_rules
  | `({ $x:ident | $p }) => `(setOf fun $x:ident => $p)
  | `({ $x:ident : $t | $p }) => `(setOf fun ($x:ident : $t) => $p)
  | `({ $x:ident ∈ $s | $p }) => `(sepBuilder $s fun $x:ident => $p)
  | `({ $x:term : $t | $p }) => `(setOf fun y : $t => match y with | $x => $p)

/-! ## Absolute value -/

def abs {α : Type u} [Max α] [Neg α] (a : α) : α := max a (-a)
macro:max atomic("|" noWs) a:term noWs "|" : term => `(abs $a)

/-! ## Number theory -/

def Even {α : Type u} [Add α] (a : α) : Prop := ∃ r, a = r + r
def Odd {α : Type u} [Add α] [Mul α] [OfNat α 2] [OfNat α 1] (a : α) : Prop := ∃ m, a = 2 * m + 1

namespace Nat

def Prime (p : ℕ) : Prop := 2 ≤ p ∧ ∀ m, m ∣ p → m = 1 ∨ m = p

def ModEq (n a b : ℕ) : Prop := a % n = b % n
def factorial : ℕ → ℕ
  | 0 => 1
  | n + 1 => (n + 1) * factorial n
scoped notation:10000 n "!" => Nat.factorial n

def choose : ℕ → ℕ → ℕ
  | _, 0 => 1
  | 0, _ + 1 => 0
  | n + 1, k + 1 => choose n k + choose n (k + 1)

def divisors (n : ℕ) : Finset ℕ := (Finset.Ico 1 (n + 1)).filter (· ∣ n)
def properDivisors (n : ℕ) : Finset ℕ := (Finset.Ico 1 n).filter (· ∣ n)

def sqrtAux : ℕ → ℕ → ℕ
  | 0, _ => 0
  | fuel + 1, n =>
    if n = 0 then 0 else
      let r := 2 * sqrtAux fuel (n / 4)
      if (r + 1) * (r + 1) ≤ n then r + 1 else r
def sqrt (n : ℕ) : ℕ := sqrtAux n n
end Nat

notation:50 a " ≡ " b " [MOD " n "]" => Nat.ModEq n a b

namespace BigOperators
end BigOperators
namespace Real
end Real
namespace Topology
end Topology
open BigOperators Real Nat Topology Rat
