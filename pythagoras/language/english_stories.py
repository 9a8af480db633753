"""Word problems: purchases, journeys, shares, ledgers, ages. Who and what they are about may be any words.

A story becomes a chain of named values (`let`), one for each step, and the last is what is asked for; ages become
unknowns.
"""

from __future__ import annotations

from collections.abc import Callable

from pythagoras.language.english_story_steps import StorySteps, Words
from pythagoras.language.english_words import PROVE
from pythagoras.language.meaning import Apply, Claim, Number, Term, Typed, Variable

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


class Stories(StorySteps):
    """A reader of word problems."""

    def story(self) -> Claim:
        words = self.words
        if words[0] == "on" and words[1] in _DAYS:
            return self._ledger()
        if words[0] in ("A", "an") and "has" in words[:6]:
            return self._shares()
        if words[0] == "one" or words[1] == "buys":
            return self._purchase()
        if "kilometres" in words:
            return self._journey()
        if "old" in words or "older" in words:
            return self._ages()
        raise self.stuck("neither a known sentence of a problem nor a known story")

    # --- shares ----------------------------------------------------------------------------------

    def _shares(self) -> Claim:
        """`A choir has 2070 singers. 5/6 of the singers are sopranos, the others are altos. ...`."""
        self.at += 1
        place = self.called("has")
        self.expect("has")
        count = self.symbolic()
        whole = self.called(".", "with")
        if self.accept("with"):
            count = Apply("*", (self.symbolic(), count))
            whole = self.called("each")
            self.expect("each")
            self.unknown()
        self.expect(".")
        everything = self.step(whole, "ℕ", count)
        taken = self._share()
        self.expect("of", "the", *whole, "are")
        first = self.called(",")
        self.expect(",", "the", "others", "are")
        second = self.called(".")
        self.expect(".")
        for group in (first, second):  # "sopranos", or "apple trees" of the trees
            if len(group) > 1 and group[1:] != whole[-1:]:
                raise self.stuck(f"whether {' '.join(group)} are {' '.join(whole)} is not certain")
        part = self.step(first, "ℕ", _of(taken, everything))
        others = self.step(second, "ℕ", Apply("-", (everything, part)))
        parts = {whole: everything, first: part, second: others}
        if self.word not in PROVE and self.words[self.at : self.at + 2] != ["how", "many"]:
            return self._chosen(place, whole, first, second)

        def question() -> Term:
            self.expect("how", "many")
            asked = self.called("are")
            self.expect("are", "there", "in", "the", *place)
            if asked not in parts:
                raise self.stuck(f"how many {' '.join(asked)} there are is not told")
            return parts[asked]

        return self.answered(question)

    def _chosen(self, place: Words, whole: Words, first: Words, second: Words) -> Claim:
        """`2/5 of the rye loaves and 1/4 of the wheat loaves were sold. How many of the loaves in the bakery ...`."""
        one = self._share()
        self.expect("of", "the", *first, "and")
        other = self._share()
        self.expect("of", "the", *second)
        did = self.called(".")
        self.expect(".")
        chosen = (
            self.step(("chosen", *first), "ℕ", _of(one, Variable("_".join(first)))),
            self.step(("chosen", *second), "ℕ", _of(other, Variable("_".join(second)))),
        )
        total = self.step(("total",), "ℕ", Apply("+", chosen))

        def question() -> Term:
            self.expect("how", "many", "of", "the", *whole, "in", "the", *place, *did)
            return total

        return self.answered(question)

    def _share(self) -> tuple[int, int]:
        """`half`, `2/5`."""
        if self.accept("half"):
            return 1, 2
        top, slash, bottom = self.words[self.at : self.at + 3]
        if not (top.isdigit() and slash == "/" and bottom.isdigit() and int(bottom)):
            raise self.stuck("expected a part like half or 2/5")
        self.at += 3
        return int(top), int(bottom)

    # --- purchases -------------------------------------------------------------------------------

    def _purchase(self) -> Claim:
        prices: dict[Words, Term] = {}
        unit = ""
        if self.accept("one"):
            one = self.called("costs")
            self.expect("costs")
            price = self.symbolic()
            unit = self.plain()
            self.unknown()
            self.expect(",", "and", "each", "of", "the")
            others = self.called("costs")
            self.expect("costs")
            prices = {_plural(one): price, others: Apply("+", (price, self.symbolic()))}
            self.expect(unit, "more", ".")
        buyer = self.plain()
        self.expect("buys")
        costs = []
        while True:
            count = self.symbolic()
            goods = self.called("at", "and", ".", ",")
            if len(goods) == 1 and self.accept("at"):
                price = self.symbolic()
                unit = unit or self.word
                self.expect(unit, "each")
            elif goods in prices:
                price = prices[goods]
            else:
                raise self.stuck(f"what {' '.join(goods)} cost is not told")
            costs.append(self.step(("cost", "of", *goods), "ℕ", Apply("*", (count, price))))
            if not (self.accept("and") or self.accept(",")):
                break
        self.expect(".")
        total: Term = costs[0]
        for cost in costs[1:]:
            total = Apply("+", (total, cost))
        paid = self.step(("total",), "ℕ", total)
        back: Term | None = None
        if self.accept("A", "voucher", "takes"):
            paid = self.step(("bill",), "ℕ", Apply("-", (paid, self.symbolic())))
            self.expect(unit, "off", "the", "bill", ",", "and", buyer, "hands", "over")
            back = self.step(("change",), "ℕ", Apply("-", (self.symbolic(), paid)))
            self.expect(unit, ".")

        def question() -> Term:
            if back is not None:
                self.expect("how", "many", unit, "does", buyer, "get", "back")
                return back
            self.expect("what", "does", buyer, "pay", "in", "total", ",", "in", unit)
            return paid

        return self.answered(question)

    # --- journeys --------------------------------------------------------------------------------

    def _journey(self) -> Claim:
        """`Emil drives for 11 hours at 15 kilometres an hour, then for 9 hours at 18 kilometres an hour. ...`."""
        who, _ = self.plain(), self.plain()
        if self.word != "for":
            return self._there_and_back()
        legs: list[Term] = []
        times: list[Term] = []
        while self.accept("for"):
            times.append(self.symbolic())
            if not self.accept_one("hours", "hour"):
                raise self.stuck('expected "hours"')
            self.expect("at")
            legs.append(self.step((_ORDER[len(legs)], "leg"), "ℚ", Apply("*", (self._speed(), times[-1]))))
            if len(legs) == len(_ORDER) or not self.accept(",", "then"):
                break
        self.expect(".")
        distance = self.step(("distance",), "ℚ", _total(legs))

        def question() -> Term:
            if self.accept("how", "far", "does", who, "get", ",", "in", "kilometres"):
                return distance
            self.expect("what", "is", "the", "average", "speed", "of", who, "over", "the", "whole", "time")
            self.expect(",", "in", "kilometres", "an", "hour")
            hours = self.step(("hours",), "ℚ", _total(times))
            return self.step(("average",), "ℚ", Apply("/", (distance, hours)))

        return self.answered(question)

    def _speed(self) -> Term:
        speed = self.symbolic()
        self.expect("kilometres", "an", "hour")
        return speed

    def _there_and_back(self) -> Claim:
        """`Lena cycles x kilometres at 43 kilometres an hour and comes back the same way at 22 ...`."""
        way = self.symbolic()
        self.expect("kilometres", "at")
        out = self.step(("time", "out"), "ℚ", Apply("/", (way, self._speed())))
        self.expect("and", "comes", "back", "the", "same", "way", "at")
        back = self.step(("time", "back"), "ℚ", Apply("/", (way, self._speed())))
        self.unknown()
        self.expect(".")
        if self.word not in PROVE:
            raise self.stuck('expected "Show that"')
        self.at += 1
        self.expect("that", "the", "average", "speed", "over", "both", "ways", ",", "the", "whole", "distance")
        self.expect("divided", "by", "the", "whole", "time", ",", "is")
        both = Apply("*", (Number(2), way))
        average = self.step(("average",), "ℚ", Apply("/", (both, Apply("+", (out, back)))))
        speed = self._speed()
        self.expect(".")
        return self.told(Apply("=", (average, speed)))

    # --- ledgers ---------------------------------------------------------------------------------

    def _ledger(self) -> Claim:
        """`On Monday Hugo has 150 pebbles. On Tuesday Hugo gets 33 more. ...`."""
        self.expect("on", "monday")
        who = self.plain()
        self.expect("has")
        start = self.symbolic()
        things = self.called(".", ",")
        self.unknown()
        self.expect(".")
        held = self.step(("monday",), "ℕ", start)
        days = 1
        while self.accept("on"):
            if days == len(_DAYS) or not self.accept(_DAYS[days]):
                raise self.stuck("expected the next day")
            held = self.step((_DAYS[days],), "ℕ", self._change(who, held))
            self.expect(".")
            days += 1

        def question() -> Term:
            self.expect("how", "many", *things, "does", who, "have", "on", _DAYS[days - 1])
            return held

        return self.answered(question)

    def _change(self, who: str, held: Term) -> Term:
        """What a day does to the number of things."""
        if self.accept("the", "number", "grows", "to"):
            factor = self.symbolic()
            self.expect("times", "that", "of", "the", "day", "before")
            return Apply("*", (factor, held))
        self.expect(who)
        if self.accept("gets"):
            more = self.symbolic()
            self.expect("more")
            return Apply("+", (held, more))
        if self.accept("gives"):
            fewer = self.symbolic()
            self.expect("away")
            return Apply("-", (held, fewer))
        self.expect("loses", "half", "of", "them")
        return Apply("//", (held, Number(2)))

    # --- ages ------------------------------------------------------------------------------------

    def _ages(self) -> Claim:
        """`Oskar is 36 years older than Lena. Together they are 136 years old. ... Write n for the age of Oskar`."""
        facts: list[Callable[[dict[str, Term]], Term]] = []
        people: set[str] = set()
        while not self.accept("all", "ages", "are", "natural", "numbers", "of", "years", "."):
            facts.append(self._age_fact(people))
            self.expect(".")
        self.expect("write")
        letters: dict[str, Term] = {}
        while True:
            name = self.name()
            self.expect("for", "the", "age", "of")
            who = self.plain()
            if who in letters:
                raise self.stuck(f"{who} has two letters")
            letters[who] = Variable(name)
            self.introduce(((Typed(name, "ℕ"),), ()))
            if not (self.accept(",") or self.accept("and")):
                break
        self.expect(".")
        if set(letters) != people:
            raise self.stuck("not everybody in the story has a letter")
        self.hypotheses += [fact(letters) for fact in facts]
        if self.word not in PROVE:
            raise self.stuck('expected "Show that"')
        self.at += 1
        self.expect("that")
        goal = self.formula()
        self.expect(".")
        return self.told(goal)

    def _age_fact(self, people: set[str]) -> Callable[[dict[str, Term]], Term]:
        """One sentence; which letters stand for the ages is told later."""
        if self.accept("together", "they", "are"):
            return self._together(2)
        if self.accept("all", "three", "together", "are"):
            return self._together(3)
        wait: Term = Number(0)
        if self.accept("in"):
            wait = self.symbolic()
            self._years()
        who = self.plain()
        self.expect(*(("will", "be") if wait != Number(0) else ("is",)))
        number = self.symbolic()
        if self.accept("times", "as", "old", "as"):
            other = self.plain()
            people |= {who, other}
            return lambda ages: Apply("=", (_later(ages[who], wait), Apply("*", (number, _later(ages[other], wait)))))
        self._years()
        comparison = self.accept_one("older", "younger")
        self.expect("than")
        if not comparison or wait != Number(0):
            raise self.stuck("expected how the ages compare")
        other = self.plain()
        people |= {who, other}
        old, young = (who, other) if comparison == "older" else (other, who)
        return lambda ages: Apply("=", (ages[old], Apply("+", (ages[young], number))))

    def _together(self, count: int) -> Callable[[dict[str, Term]], Term]:
        total = self.symbolic()
        self.expect("years", "old")

        def fact(ages: dict[str, Term]) -> Term:
            if len(ages) != count:
                raise self.stuck("who is meant by all of them is not certain")
            return Apply("=", (_total(list(ages.values())), total))

        return fact

    def _years(self) -> None:
        if not self.accept_one("year", "years"):
            raise self.stuck('expected "years"')


_ORDER = ("first", "second", "third", "fourth")


def _total(parts: list[Term]) -> Term:
    total = parts[0]
    for part in parts[1:]:
        total = Apply("+", (total, part))
    return total


def _later(age: Term, wait: Term) -> Term:
    return age if wait == Number(0) else Apply("+", (age, wait))


def _of(share: tuple[int, int], whole: Term) -> Term:
    """`5/6 of the singers`."""
    top, bottom = share
    return Apply("//", (whole if top == 1 else Apply("*", (Number(top), whole)), Number(bottom)))


def _plural(words: Words) -> Words:
    *before, last = words
    if last.endswith("y") and last[-2:-1] not in ("a", "e", "o", "u"):
        return (*before, f"{last[:-1]}ies")
    return (*before, last + ("es" if last.endswith(("s", "sh", "ch", "x")) else "s"))
