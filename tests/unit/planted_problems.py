"""Problems in the manner of a benchmark, each with another way to say the same: what paraphrases are planted from."""

from __future__ import annotations

from typing import NamedTuple


class Planted(NamedTuple):
    """A problem as a benchmark has it, and in other words."""

    name: str
    informal: str
    paraphrase: str
    statement: str


PROBLEMS = [
    Planted(
        "two_numbers",
        "The sum of two integers is 40 and their difference is 12. Show that the larger integer is 26.",
        "Two whole numbers add up to 40 and differ by 12. Prove that the bigger of these two integers equals 26.",
        "theorem two_numbers (x y : ℤ) (h₀ : x + y = 40) (h₁ : x - y = 12) : x = 26",
    ),
    Planted(
        "farmer_heads",
        "A farmer has chickens and cows with 30 heads and 74 legs in total. How many cows are "
        "there? Show that it is 7.",
        "Cows and chickens on a farm have together 74 legs and 30 heads. Find the number of cows, "
        "and show it is seven.",
        "theorem farmer_heads (c k : ℕ) (h₀ : c + k = 30) (h₁ : 4 * c + 2 * k = 74) : c = 7",
    ),
    Planted(
        "last_digit_seven",
        "What is the units digit of 7 to the power 2013? Show that it is 7.",
        "Find the units digit of 7 to the power 2013 and prove that this last digit is 7.",
        "theorem last_digit_seven : 7 ^ 2013 % 10 = 7",
    ),
    Planted(
        "square_mod_four",
        "Prove that the square of an integer leaves remainder 0 or 1 when divided by 4.",
        "Show that when the square of any integer is divided by 4 the remainder is either 0 or 1.",
        "theorem square_mod_four (n : ℤ) : n ^ 2 % 4 = 0 ∨ n ^ 2 % 4 = 1",
    ),
    Planted(
        "consecutive_product",
        "Prove that the product of three consecutive natural numbers is divisible by 6.",
        "Show that 6 divides the product of any three consecutive natural numbers.",
        "theorem consecutive_product (n : ℕ) : 6 ∣ n * (n + 1) * (n + 2)",
    ),
    Planted(
        "gauss_sum",
        "Show that the sum of the first n positive integers is n(n+1)/2.",
        "Prove that adding up the positive integers from 1 to n gives n(n+1)/2 for the sum.",
        "theorem gauss_sum (n : ℕ) : 2 * ∑ i ∈ Finset.range (n + 1), i = n * (n + 1)",
    ),
    Planted(
        "sum_of_odds",
        "Prove that the sum of the first n odd numbers is the square of n.",
        "Show that the first n odd numbers have the sum n squared, the square of n.",
        "theorem sum_of_odds (n : ℕ) : ∑ i ∈ Finset.range n, (2 * i + 1) = n ^ 2",
    ),
    Planted(
        "am_gm_two",
        "Let a and b be rational numbers. Prove that twice their product is at most the sum of their squares.",
        "For rational numbers a and b show that the sum of their squares is at least twice the product of the two.",
        "theorem am_gm_two (a b : ℚ) : 2 * (a * b) ≤ a ^ 2 + b ^ 2",
    ),
    Planted(
        "consecutive_even_sum",
        "Three consecutive even integers have sum 66. What is the smallest of them? Show that it is 20.",
        "The sum of three consecutive even integers is 66. Prove that the smallest of the three integers is 20.",
        "theorem consecutive_even_sum (n : ℤ) (h₀ : 2 ∣ n) (h₁ : n + (n + 2) + (n + 4) = 66) : n = 20",
    ),
    Planted(
        "age_puzzle",
        "A mother is four times as old as her daughter. In 18 years she will be twice as old. Show "
        "that the daughter is 9.",
        "A daughter's age is a quarter of her mother's; in 18 years the mother will be twice as old as her. Show that "
        "the daughter is 9 years old.",
        "theorem age_puzzle (m d : ℕ) (h₀ : m = 4 * d) (h₁ : m + 18 = 2 * (d + 18)) : d = 9",
    ),
    Planted(
        "gcd_consecutive",
        "Prove that the greatest common divisor of two consecutive natural numbers is 1.",
        "Show that two consecutive natural numbers always have 1 as their greatest common divisor.",
        "theorem gcd_consecutive (n : ℕ) : Nat.gcd n (n + 1) = 1",
    ),
    Planted(
        "remainder_three_five",
        "A natural number leaves remainder 2 when divided by 3 and 3 when divided by 5. Find its remainder modulo 15.",
        "Find the remainder modulo 15 of a natural number that leaves 3 when divided by 5 and remainder 2 when divided "
        "by 3.",
        "theorem remainder_three_five (n : ℕ) (h₀ : n % 3 = 2) (h₁ : n % 5 = 3) : n % 15 = 8",
    ),
    Planted(
        "rectangle_area",
        "The length of a rectangle is 5 more than its width and its perimeter is 38. Show that its area is 84.",
        "A rectangle has perimeter 38, and its length is 5 more than the width. Prove that the area of it is 84.",
        "theorem rectangle_area (l w : ℤ) (h₀ : l = w + 5) (h₁ : 2 * (l + w) = 38) : l * w = 84",
    ),
    Planted(
        "fibonacci_even",
        "Let f be the Fibonacci sequence. Prove that every third Fibonacci number is even.",
        "Show for the Fibonacci sequence f that each third number of the sequence is an even number.",
        "theorem fibonacci_even (f : ℕ → ℕ) (h₀ : f 0 = 0) (h₁ : f 1 = 1) (h₂ : ∀ n, f (n + 2) = f (n + 1) + f n) "
        "(n : ℕ) : 2 ∣ f (3 * n)",
    ),
    Planted(
        "power_of_two",
        "Prove that for every natural number n, two to the power n is greater than n.",
        "Show that n is smaller than two to the power n for every natural number n.",
        "theorem power_of_two (n : ℕ) : 2 ^ n > n",
    ),
    Planted(
        "bernoulli",
        "Let x be a rational number with x at least -1. Prove Bernoulli's inequality, that (1+x)^n is at least 1+nx.",
        "Prove Bernoulli's inequality: for a rational number x that is at least -1, the number 1+nx "
        "is at most (1+x)^n.",
        "theorem bernoulli (x : ℚ) (n : ℕ) (h₀ : x ≥ -1) : (1 + x) ^ n ≥ 1 + n * x",
    ),
    Planted(
        "no_square_root_of_two",
        "Prove that there is no rational number whose square is 2.",
        "Show that 2 is the square of no rational number.",
        "theorem no_square_root_of_two : ¬ ∃ x : ℚ, x ^ 2 = 2",
    ),
    Planted(
        "prime_above_three",
        "Let p be a prime number greater than 3. Prove that the square of p leaves remainder 1 when divided by 24.",
        "Let p be greater than 3 and prime. Show that dividing the square of the prime p by 24 leaves the remainder 1.",
        "theorem prime_above_three (p : ℕ) (h₀ : Nat.Prime p) (h₁ : p > 3) : p ^ 2 % 24 = 1",
    ),
    Planted(
        "discount_price",
        "A jacket is sold with a discount of 20 percent for 96 dollars. Show that its original price was 120 dollars.",
        "After a discount of 20 percent a jacket costs 96 dollars. Prove that the original price is 120 dollars.",
        "theorem discount_price (p : ℚ) (h₀ : p - 20 / 100 * p = 96) : p = 120",
    ),
    Planted(
        "functional_additive",
        "Let f be a function on the integers with f(x+y) = f(x) + f(y) for all x and y. Prove that f(0) = 0.",
        "A function f on the integers satisfies f(x) + f(y) = f(x+y) for all x and y. Show that f(0) is 0.",
        "theorem functional_additive (f : ℤ → ℤ) (h₀ : ∀ x y, f (x + y) = f x + f y) : f 0 = 0",
    ),
    Planted(
        "quadratic_roots",
        "Solve the quadratic equation x^2 - 5x + 6 = 0 over the integers. Show that x is 2 or 3.",
        "Show that an integer x which solves the quadratic equation x^2 - 5x + 6 = 0 is 2 or 3.",
        "theorem quadratic_roots (x : ℤ) (h₀ : x ^ 2 - 5 * x + 6 = 0) : x = 2 ∨ x = 3",
    ),
    Planted(
        "divisors_of_twelve",
        "How many positive divisors does 12 have? Show that the number of divisors is 6.",
        "Prove that the number of positive divisors of 12 is 6.",
        "theorem divisors_of_twelve : ((Finset.range 13).filter (fun d => 0 < d ∧ d ∣ 12)).card = 6",
    ),
    Planted(
        "train_speed",
        "A train travels 180 miles at a constant speed in 3 hours. Show that in 5 hours it travels 300 miles.",
        "In 3 hours a train goes 180 miles with constant speed. Prove that it travels 300 miles in 5 hours.",
        "theorem train_speed (v : ℚ) (h₀ : 3 * v = 180) : 5 * v = 300",
    ),
    Planted(
        "digits_reversed",
        "The digits of a two-digit number have sum 9, and reversing the digits adds 27 to it. Show "
        "that the number is 36.",
        "A two-digit number has digits whose sum is 9; reversing its digits gives a number that is "
        "27 larger. Prove that "
        "this number is 36.",
        "theorem digits_reversed (a b : ℕ) (h₀ : a + b = 9) (h₁ : 10 * b + a = 10 * a + b + 27) : 10 * a + b = 36",
    ),
    Planted(
        "pigeonhole_parity",
        "Prove that among any three integers there are two whose sum is even.",
        "Show that two of any three integers have an even sum.",
        "theorem pigeonhole_parity (a b c : ℤ) : 2 ∣ a + b ∨ 2 ∣ b + c ∨ 2 ∣ a + c",
    ),
    Planted(
        "cauchy_schwarz",
        "Let a, b, c, d be rational numbers. Prove that (ac + bd)^2 is at most (a^2 + b^2)(c^2 + d^2).",
        "Prove for rational numbers a, b, c, d that (a^2 + b^2)(c^2 + d^2) is at least (ac + bd)^2.",
        "theorem cauchy_schwarz (a b c d : ℚ) : (a * c + b * d) ^ 2 ≤ (a ^ 2 + b ^ 2) * (c ^ 2 + d ^ 2)",
    ),
    Planted(
        "factorial_zeros",
        "With how many zeros does the factorial of 25 end? Show that it is divisible by 10 to the power 6.",
        "Show that 10 to the power 6 divides the factorial of 25: with how many zeros does that factorial end?",
        "theorem factorial_zeros : 10 ^ 6 ∣ Nat.factorial 25",
    ),
    Planted(
        "recurrence_doubling",
        "A sequence has a(0) = 1 and a(n+1) = 2a(n) + 1. Prove that a(n) = 2^(n+1) - 1.",
        "Prove the formula a(n) = 2^(n+1) - 1 for the sequence with a(n+1) = 2a(n) + 1 and a(0) = 1.",
        "theorem recurrence_doubling (a : ℕ → ℤ) (h₀ : a 0 = 1) (h₁ : ∀ n, a (n + 1) = 2 * a n + 1) (n : ℕ) : "
        "a n = 2 ^ (n + 1) - 1",
    ),
    Planted(
        "coin_change",
        "Maria has 20 coins, nickels and dimes, with a total value of 155 cents. Show that she has 11 dimes.",
        "The 20 coins of Maria are dimes and nickels; their total value is 155 cents. Prove that 11 of the coins are "
        "dimes.",
        "theorem coin_change (n d : ℕ) (h₀ : n + d = 20) (h₁ : 5 * n + 10 * d = 155) : d = 11",
    ),
    Planted(
        "average_score",
        "The average of five test scores is 82, and the average of the first four is 80. Show that "
        "the fifth score is 90.",
        "The first four test scores have the average 80, and all five scores the average 82. Prove that the fifth test "
        "score is 90.",
        "theorem average_score (s t : ℚ) (h₀ : (s + t) / 5 = 82) (h₁ : s / 4 = 80) : t = 90",
    ),
    Planted(
        "sum_of_cubes",
        "Prove that the sum of the first n cubes is the square of the sum of the first n natural numbers.",
        "Show that the square of the sum of the first n natural numbers equals the sum of the first n cubes.",
        "theorem sum_of_cubes (n : ℕ) : ∑ i ∈ Finset.range n, i ^ 3 = (∑ i ∈ Finset.range n, i) ^ 2",
    ),
    Planted(
        "even_product",
        "Let m and n be integers whose product is odd. Prove that both m and n are odd.",
        "The product of the integers m and n is odd. Show that m and n are both odd integers.",
        "theorem even_product (m n : ℤ) (h₀ : m * n % 2 = 1) : m % 2 = 1 ∧ n % 2 = 1",
    ),
    Planted(
        "demorgan",
        "Let p and q be propositions. Prove that not (p or q) holds if and only if not p and not q hold.",
        "For propositions p and q show that not p and not q hold if and only if not (p or q) holds.",
        "theorem demorgan (p q : Prop) : ¬ (p ∨ q) ↔ ¬ p ∧ ¬ q",
    ),
    Planted(
        "least_multiple",
        "Find the least common multiple of 12, 18 and 30. Show that it is 180.",
        "Show that 180 is the least common multiple of 12, 18 and 30.",
        "theorem least_multiple : Nat.lcm 12 (Nat.lcm 18 30) = 180",
    ),
    Planted(
        "tank_filling",
        "A tank is filled by one pipe in 6 hours and by another in 3 hours. Show that both together "
        "fill it in 2 hours.",
        "One pipe fills a tank in 6 hours, another pipe in 3 hours. Prove that together they fill the tank in 2 hours.",
        "theorem tank_filling (t : ℚ) (h₀ : t / 6 + t / 3 = 1) : t = 2",
    ),
    Planted(
        "divisible_by_nine",
        "Prove that 10^n - 1 is divisible by 9 for every natural number n.",
        "Show that 9 divides 10^n - 1 for every natural number n.",
        "theorem divisible_by_nine (n : ℕ) : 9 ∣ 10 ^ n - 1",
    ),
]  # fmt: skip
