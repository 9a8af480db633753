import Mathlib

namespace Own

def double (n : ℕ) : ℕ := n + n

/-- The double of a number is even. -/
theorem double_even (n : ℕ) : Even (double n) := ⟨n, rfl⟩

lemma helper : 1 + 1 = 2 := by
  norm_num

example : 2 + 2 = 4 := rfl

theorem double_injective : Function.Injective double := by
  intro a b h
  simp only [double] at h
  omega

end Own
