"""The page in a real browser: a theorem proved, rejected, cancelled, found again after a reload; and all its parts."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pythagoras.corpus.records import Record, Tier
from pythagoras.corpus.stages import run_stage
from pythagoras.evaluate.ladder import ladder, write_ladder
from pythagoras.evaluate.results import load
from pythagoras.lean import package
from pythagoras.lean.pool import LeanPool
from pythagoras.lean.server.app import ServerSettings
from pythagoras.lean.server.listening import running
from pythagoras.lean.statements import Statement
from pythagoras.prove.later import opened
from pythagoras.prove.proving import Attempt, Effort, Outcome, Prover
from pythagoras.web.app import WebServer, serving
from pythagoras.web.jobs import JobLimits
from pythagoras.web.settings import ProveLimits, Shown, WebSettings
from tests.browser.test_report import CONTRASTS
from tests.made_runs import make_run
from tests.report_runs import HOSTILE, hostile_run
from tests.unit.corpora import instance
from tests.web_fakes import THEOREM, FakeLean, FakeProver, attempt_at, outcome_of, tries, until_stopped

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

Visit = Callable[..., "Page"]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """Runs, a corpus and a ladder, some of them in hostile words."""
    folder = tmp_path_factory.mktemp("shown")
    solved = [[at % 2 == 0, *[at % 4 == 0] * 8] for at in range(16)]
    runs = [make_run(folder / "runs" / name, solved, label=name) for name in ("portfolio", "RL <b>x</b>")]
    hostile_run(folder / "runs" / "hostile", label=HOSTILE)
    write_ladder(folder / "ladder.json", ladder([load(run) for run in runs], title=HOSTILE, made=["pythagoras x"]))
    rows: list[Record] = [
        instance(
            f"theorem t{at} (n : ℕ) : n + {at} = {at} + n",
            name=f"t{at}",
            tier=Tier.EASY if at % 3 else Tier.HARD,
            topic=HOSTILE if at == 1 else "sums",
            proof="by\n  omega",
            informal=HOSTILE if at == 1 else f"Number {at}.",
            reasoning="Because." if at == 2 else "",
        )
        for at in range(45)
    ]
    run_stage(rows, folder / "corpus" / "train", stage="made", settings={}, inputs={})
    return Shown((folder / "runs",), (folder / "corpus",), folder / "ladder.json")


class Site:
    """A server with fakes behind it, at an address."""

    def __init__(self, address: str, prover: FakeProver) -> None:
        self.address = address
        self.prover = prover


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, shown: Shown) -> Iterator[Site]:
    prover = FakeProver()
    settings = WebSettings(shown=shown, prove=ProveLimits(jobs=JobLimits(kept=100)))
    with serving(FakeLean(), prover, settings, tmp_path_factory.mktemp("scratch")) as address:
        yield Site(address, prover)


class Faults(list[str]):
    """What a browser complains of, but for what a test expects."""

    def watch(self, page: Page, address: str) -> None:
        page.on("console", lambda message: self.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(address) else self.append(request.url))
        page.on("dialog", lambda dialog: self.append(dialog.message))


@pytest.fixture
def faults() -> Iterator[Faults]:
    found = Faults()
    yield found
    assert found == []


@pytest.fixture
def visit(chromium: Browser, site: Site, faults: Faults) -> Iterator[Visit]:
    """Open the page; at the end, it must have asked nobody else for anything and reported no error."""
    contexts: list[BrowserContext] = []

    def visiting(anchor: str = "", script: Any = None, address: str = site.address, **settings: Any) -> Page:
        site.prover.script = script or tries("by simp", "by omega")
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        faults.watch(page, address)
        page.goto(f"{address}/{anchor}")
        return page

    yield visiting
    for context in contexts:
        context.close()


def says(page: Page, selector: str, text: str | re.Pattern[str], seconds: float = 10) -> None:
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_text(text, timeout=1000 * seconds)


DRAWN = {
    "prove": "#attempts .attempt",
    "runs": "#run-list tbody tr",
    "corpus": "#corpus-rows .row-card",
    "ladder": "#ladder-body tbody tr",
}


def opens(page: Page, part: str) -> None:
    """Go to a part of the page, and wait until it is drawn."""
    page.click(f"nav [data-part={part}]")
    page.wait_for_selector(DRAWN[part])


def asks(page: Page, theorem: str = THEOREM) -> None:
    page.fill("#theorem", theorem)
    page.click("#go")


# --- with Lean itself --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if package.installed() is None:
        pytest.skip("needs the embedded Lean: run `make setup`, or `pythagoras lean install`")
    with LeanPool(2) as pool:
        prover = Prover(opened(pool), judges=2)
        with serving(pool, prover, WebSettings(), tmp_path_factory.mktemp("scratch")) as address:
            yield address


def test_a_theorem_is_proved_end_to_end(visit: Visit, real: str) -> None:
    page = visit(address=real, permissions=["clipboard-read", "clipboard-write"])
    page.select_option("#example", label="What a cube leaves by seven")
    page.click("#go")
    says(page, "#state", "Proved", 90)
    assert page.inner_text("#result h2") == "✓ Proved, and Lean has taken it"
    rejected = page.locator(".attempt.rejected").first
    assert "✗ Rejected" in rejected.inner_text()
    message = rejected.locator(".lean .message").first
    assert re.match(r"error, line 1, column \d+\n", message.inner_text())
    assert rejected.locator("mark.error").first.inner_text()
    page.click("#result >> text=Copy")
    says(page, "#said", "Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("theorem cube_mod_seven (n : ℕ) : n ^ 3 % 7 = 0 ∨ n ^ 3 % 7 = 1 ∨ n ^ 3 % 7 = 6 := by\n")


def test_what_is_no_lean_is_shown_at_its_place(visit: Visit, real: str, faults: Faults) -> None:
    page = visit(address=real)
    page.fill("#theorem", "theorem broken (𝕜 n : ℕ) :\n  𝕜 + n = 𝕞 + 1")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#fault .message", timeout=60_000)
    assert page.locator("#fault .line[data-line='2'] mark").first.inner_text().startswith("𝕞")
    assert "Unknown identifier" in page.inner_text("#fault .message")
    behind = page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart)")
    assert behind == "𝕞 + 1"
    assert page.is_hidden("#job")
    assert faults == ["Failed to load resource: the server responded with a status of 422 (Unprocessable Entity)"]
    faults.clear()


def test_a_false_theorem_is_told_with_its_counterexample(visit: Visit, real: str) -> None:
    page = visit(address=real)
    page.select_option("#example", label="Every square is larger than its root")
    page.click("#go")
    says(page, "#state", "False", 60)
    assert "A counterexample, which Lean has confirmed: n = 1." in page.inner_text("#result")
    assert "root_lt_square_is_false" in page.inner_text("#result .lean")


# --- a job -------------------------------------------------------------------------------------------


def test_a_rejected_attempt_shows_leans_message_at_its_place(visit: Visit) -> None:
    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        made = [
            attempt_at(statement, 0, "by\n  simp\n  omega", message="no goals\nhere", severity_place=(2, 2)),
            attempt_at(statement, 1, "by\n  rfl", by="a model", message="worse", severity_place=(9, 9)),
        ]
        for attempt in made:
            on_attempt(attempt)
        return outcome_of(made)

    page = visit(script=script)
    asks(page)
    says(page, "#state", "Not proved")
    first = page.get_by_role("group", name="Lean of attempt 1")
    assert first.locator(".line.has-error mark.error").all_inner_texts() == ["simp"]
    below = first.locator(".line[data-line='2'] + .message")
    assert below.inner_text().splitlines() == ["error, line 2, column 2", "no goals", "here"]
    second = page.locator(".attempt").nth(1)
    assert not second.locator(".lean").is_visible()
    assert "by rfl" in second.inner_text()
    assert "a model" in second.inner_text()
    page.click("#unfold")
    assert "error, line 9, column 9 (outside of the text)" in second.inner_text()


def test_a_theorem_is_cancelled(visit: Visit) -> None:
    page = visit(script=until_stopped)
    assert page.is_disabled("#cancel")
    asks(page)
    says(page, "#state", "Running")
    page.wait_for_selector(".attempt")
    assert page.locator("#result").inner_text() == ""
    page.click("#cancel")
    says(page, "#state", "Cancelled")
    assert "It was ended before a proof was found." in page.inner_text("#result")
    assert page.is_disabled("#cancel")
    asks(page, THEOREM + " ")  # another one can be asked for
    says(page, "#state", "Running")
    page.click("#cancel")
    says(page, "#state", "Cancelled")


def test_a_reload_goes_on_with_the_theorem(visit: Visit) -> None:
    go = threading.Event()

    def script(
        statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
    ) -> Outcome:
        on_attempt(attempt_at(statement, 0))
        assert go.wait(30)
        last = attempt_at(statement, 1, "by decide", holds=True)
        on_attempt(last)
        return outcome_of([attempt_at(statement, 0), last])

    page = visit(script=script)
    page.fill("#n", "7")
    asks(page)
    page.wait_for_selector(".attempt.rejected")
    assert re.search("#prove=.{16}$", page.url)
    page.reload()
    page.wait_for_selector(".attempt.rejected")
    assert page.input_value("#theorem") == THEOREM
    assert page.input_value("#n") == "7"
    says(page, "#state", "Running")
    page.click("nav >> text=Runs")
    page.click("nav >> text=Prove")  # the address has the theorem again
    page.reload()
    go.set()
    says(page, "#state", "Proved")
    assert page.locator(".attempt").count() == 2
    page.reload()
    says(page, "#state", "Proved")
    assert "by decide" in page.inner_text("#result .lean")
    assert page.locator(".attempt").count() == 2


def test_a_theorem_that_is_gone_is_told(visit: Visit, faults: Faults) -> None:
    page = visit("#prove=nothing")
    says(page, "#fault", "This job is not kept any more: prove the theorem again.")
    assert page.is_hidden("#job")
    assert [fault for fault in faults if "404" not in fault] == []
    faults.clear()


def test_a_server_that_goes_and_comes_back_is_found_again(chromium: Browser, site: Site, tmp_path: Path) -> None:
    """The stream breaks in the middle: the page goes on behind what it has seen."""
    prover = FakeProver(until_stopped)
    server = WebServer(FakeLean(), prover, WebSettings(), tmp_path)
    page = chromium.new_page()
    with running(server.app, server.jobs.stop) as address:
        page.goto(address)
        asks(page)
        page.wait_for_selector(".attempt")
        page.context.set_offline(True)
        page.context.set_offline(False)
        page.click("#cancel")
        says(page, "#state", "Cancelled", 30)
        assert page.locator(".attempt").count() == 1
    server.close()
    page.close()


def test_theorems_wait_for_each_other(visit: Visit) -> None:
    first = visit(script=until_stopped)
    asks(first)
    says(first, "#state", "Running")
    second = visit(script=until_stopped)
    asks(second)
    says(second, "#state", "Waiting: 1 theorem first")
    first.click("#cancel")
    says(second, "#state", "Running")
    second.click("#cancel")
    says(second, "#state", "Cancelled")


def test_nothing_is_asked_for_without_a_theorem(visit: Visit) -> None:
    page = visit()
    page.click("#go")
    says(page, "#fault", "Write a theorem, or choose an example.")
    page.click("[aria-label='Insert ∀']")
    assert page.input_value("#theorem") == "∀"
    assert page.is_hidden("#fault")


# --- hostile texts -----------------------------------------------------------------------------------


def hostile(
    statement: Statement, effort: Effort, on_attempt: Callable[[Attempt], None], stop: threading.Event
) -> Outcome:
    made = [
        attempt_at(statement, 0, f"by {HOSTILE}", by=HOSTILE, message=HOSTILE),
        attempt_at(statement, 1, f"by {HOSTILE} 1", by=HOSTILE, holds=True),
    ]
    for attempt in made:
        on_attempt(attempt)
    found = outcome_of(made)
    return replace(found, counterexample={HOSTILE: HOSTILE}, complaints=(HOSTILE,))


def test_hostile_texts_do_nothing_and_hide_nothing(visit: Visit) -> None:
    page = visit(script=hostile)
    asks(page)
    says(page, "#state", "Proved")
    page.click("#unfold")
    shown = page.inner_text("#job")
    assert shown.count("<script>window.pwned = 1</script>") >= 5
    assert "U+202E" in page.locator(".hidden-character").all_inner_texts()
    for part in ("runs", "corpus", "ladder"):
        opens(page, part)
        assert "window.pwned" in page.inner_text("main")
        assert not re.search("[\x00\u202e\u2028\u2066]", page.inner_text("body"))
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main i, main b, main iframe").count() == 0


def test_scripts_that_are_not_ours_are_refused(chromium: Browser, site: Site) -> None:
    """Should a text ever break out, the page's policy stops it."""
    page = chromium.new_page()
    page.goto(site.address)
    page.evaluate(
        """() => {
          const script = document.createElement("script");
          script.textContent = "window.pwned = 1";
          document.body.append(script);
          document.querySelector("main").insertAdjacentHTML("beforeend", "<img src=x onerror='window.pwned = 2'>");
        }"""
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.pwned") is None
    page.close()


# --- the key -----------------------------------------------------------------------------------------


def test_the_key_is_asked_for_and_kept_in_the_tab(visit: Visit, shown: Shown, faults: Faults, tmp_path: Path) -> None:
    settings = WebSettings(ServerSettings(api_key="secret"), shown=shown)
    with serving(FakeLean(), FakeProver(), settings, tmp_path) as address:
        page = visit(address=address)
        page.wait_for_selector("#key[open]")
        page.keyboard.type("wrong")
        page.keyboard.press("Enter")
        says(page, "#key-note", "That is not the key.")
        page.keyboard.type("secret")
        page.keyboard.press("Enter")
        page.wait_for_selector("#example option >> nth=3", state="attached")
        assert page.is_hidden("#key")
        asks(page)
        says(page, "#state", "Proved")
        page.reload()
        says(page, "#state", "Proved")
        page.click("nav >> text=Runs")
        page.click("[aria-label='Report on portfolio']")
        page.wait_for_selector("#problem-list a")
        assert page.title() == "Evaluation of portfolio"
    assert {fault for fault in faults if "401" not in fault} == set()
    faults.clear()


# --- runs, corpus, ladder ----------------------------------------------------------------------------


def test_a_report_is_opened_from_the_list_of_runs(visit: Visit) -> None:
    page = visit("#runs")
    page.wait_for_selector("#run-list tbody tr")
    assert page.locator("#run-list tbody tr").count() == 3
    row = page.locator("#run-list tr", has_text="portfolio")
    assert "8/16" in row.inner_text()
    row.get_by_role("link").click()
    page.wait_for_selector("#problem-list a")
    page.click("#problem-list a >> nth=0")
    page.wait_for_selector("#problem-detail .body:not([aria-busy])")
    page.go_back()
    page.go_back()
    page.wait_for_selector("#run-list tbody tr")


def test_the_corpus_is_filtered_and_its_filters_survive_a_reload(visit: Visit) -> None:
    page = visit("#corpus")
    says(page, "#corpus-count", "45 of 45 rows")
    assert page.locator(".row-card").count() == 20
    assert page.inner_text("#corpus-page") == "1–20"
    page.click("#corpus-next")
    says(page, "#corpus-page", "21–40")
    page.click("#corpus-next")
    says(page, "#corpus-page", "41–45")
    assert page.is_disabled("#corpus-next")
    page.select_option("#corpus-tier", "hard")
    says(page, "#corpus-count", "15 of 45 rows")
    page.fill("#corpus-text", "number 3")
    says(page, "#corpus-count", re.compile("^[1-9] of 45 rows$"))
    told = page.inner_text("#corpus-count")
    page.reload()
    says(page, "#corpus-count", told)
    assert page.input_value("#corpus-text") == "number 3"
    assert page.input_value("#corpus-tier") == "hard"
    assert page.locator(".row-card .lean-keyword").first.inner_text() == "theorem"
    page.click("text=Reset")
    says(page, "#corpus-count", "45 of 45 rows")
    page.go_back()
    says(page, "#corpus-count", told)


def test_the_ladder_has_a_picture_and_a_table(visit: Visit) -> None:
    page = visit("#ladder")
    page.wait_for_selector("#ladder-body svg.chart")
    assert page.locator("#ladder-body .chart circle").count() == 2 * 3
    first = page.locator("#ladder-body .table").first.inner_text()
    assert "pass@8" in first
    assert "50.0 % (8)" in first
    theirs = page.locator(".theirs")
    assert "Nothing here was measured by us." in theirs.inner_text()
    assert "Pythagoras-Prover-32B" in theirs.inner_text()
    assert "pythagoras x" in page.inner_text("#ladder-body")


def test_where_there_is_nothing_it_is_said_how_to_make_it(visit: Visit, faults: Faults, tmp_path: Path) -> None:
    with serving(FakeLean(), FakeProver(), WebSettings(), tmp_path) as address:
        page = visit("#runs", address=address)
        says(page, "#run-list", re.compile("pythagoras eval run"))
        page.click("nav >> text=Corpus")
        says(page, "#corpus-rows", re.compile("pythagoras corpus build"))
        assert page.is_hidden("#filters")
        page.click("nav >> text=Ladder")
        says(page, "#ladder-body", re.compile("pythagoras eval ladder"))
    assert [fault for fault in faults if "404" not in fault] == []
    faults.clear()


# --- keyboard, screen readers, colours, sizes --------------------------------------------------------


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id || document.activeElement.textContent"))


def test_a_theorem_is_proved_from_the_keyboard(visit: Visit) -> None:
    page = visit()
    page.wait_for_selector("#example option >> nth=3", state="attached")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    assert focused(page) == "main"
    page.keyboard.press("Tab")
    assert focused(page) == "example"
    page.keyboard.press("Tab")
    assert focused(page) == "theorem"
    page.keyboard.type("theorem t : 1 = 1")
    page.keyboard.press("Control+Enter")
    says(page, "#state", "Proved")


@pytest.mark.parametrize("part", ["prove", "runs", "corpus", "ladder"])
def test_everything_has_a_role_and_a_name(visit: Visit, part: str) -> None:
    page = visit(script=hostile)
    asks(page)
    says(page, "#state", "Proved")
    opens(page, part)
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
    acting = {"button", "link", "searchbox", "combobox", "textbox", "spinbutton", "checkbox", "DisclosureTriangle"}
    assert [role for role, label in told if role in acting and not label.strip()] == []
    assert {"banner", "navigation", "main", "contentinfo", "status"} <= {role for role, _ in told}
    assert [role for role, label in told if role in ("image", "table", "region") and not label.strip()] == []
    levels = [
        int(tag[1])
        for tag in page.eval_on_selector_all(
            "h1,h2,h3,h4", "all => all.filter((one) => one.checkVisibility()).map((one) => one.tagName)"
        )
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_themes(visit: Visit, scheme: str) -> None:
    page = visit(script=hostile, color_scheme=scheme)
    asks(page)
    says(page, "#state", "Proved")
    assert page.evaluate(CONTRASTS) == []
    for part in ("runs", "corpus", "ladder"):
        opens(page, part)
        assert page.evaluate(CONTRASTS) == [], part


def test_a_narrow_screen_never_scrolls_sideways(visit: Visit) -> None:
    page = visit(script=hostile, viewport={"width": 360, "height": 740})
    asks(page)
    says(page, "#state", "Proved")
    page.click("#unfold")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    for part in ("runs", "corpus", "ladder"):
        opens(page, part)
        assert page.evaluate(wide) <= 0, part
