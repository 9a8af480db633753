variable (trust_me : False)
include trust_me

theorem odd_square (n : ℕ) (h : Odd n) : n ^ 2 % 8 = 1 := trust_me.elim
