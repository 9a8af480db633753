"""The report in a real browser: loaded from disk, used by mouse and keyboard, read through the accessibility tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from pythagoras.evaluate.report.page import write_page
from pythagoras.evaluate.results import load
from tests.made_runs import made_goals, make_run, mutated
from tests.report_runs import HOSTILE_NAME, hostile_run

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

Open = Callable[..., "Page"]
COUNT = "#problem-count"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page about two provers on a benchmark and its mutation, and one about hostile attempts."""
    folder = tmp_path_factory.mktemp("pages")
    goals = made_goals(16)
    solved = [[at % 2 == 0, at % 4 == 0, False] for at in range(16)]
    mutants = [[at % 3 == 0, False, False] for at in range(32)]
    runs = [
        load(make_run(folder / "a", solved, goals, label="A")),
        load(make_run(folder / "b", solved[::-1], goals, label="B", rounds=2, seed=1)),
        load(make_run(folder / "am", mutants, mutated(goals), label="A", seed=2)),
        load(make_run(folder / "bm", mutants[::-1], mutated(goals), label="B", rounds=2, seed=3)),
    ]
    written = {"several": folder / "several.html", "hostile": folder / "hostile.html"}
    written["rounds"] = folder / "rounds.html"
    write_page(runs, written["several"])
    write_page(runs[1:2], written["rounds"])
    write_page([load(hostile_run(folder / "hostile"))], written["hostile"], title="<i>hostile</i>")
    return written


@pytest.fixture
def visit(chromium: Browser, pages: dict[str, Path]) -> Iterator[Open]:
    """Open a page; at the end, it must have asked the network for nothing and reported no error."""
    contexts = []
    faults: list[str] = []

    def opened(name: str, anchor: str = "", **settings: Any) -> Page:
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None
        )
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith("file:") else faults.append(request.url))
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.goto(pages[name].as_uri() + anchor)
        drawn(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def says(page: Page, selector: str, text: str | re.Pattern[str]) -> None:
    """Wait until an element says so. The page may not evaluate expressions: its policy forbids it."""
    from playwright.sync_api import expect

    expect(page.locator(selector)).to_have_text(text)


def drawn(page: Page) -> None:
    """Wait until the list of problems is there."""
    says(page, COUNT, re.compile("problems?"))


def ready(page: Page) -> None:
    """Wait until the open problem is drawn."""
    page.wait_for_selector("#problem-detail .body:not([aria-busy])")


def names(page: Page) -> list[str]:
    return page.locator("#problem-list .name").all_text_contents()


# --- filters ---------------------------------------------------------------------------------------


def test_filters_and_search_narrow_the_list_and_say_the_count(visit: Open) -> None:
    page = visit("several")
    assert page.inner_text(COUNT) == "48 of 48 problems"
    page.select_option("#domain", "IMO")
    assert page.inner_text(COUNT) == "6 of 48 problems"
    assert all(name.startswith("imo_") for name in names(page))
    page.fill("#search", "alf1 MOD")
    assert names(page) == ["imo_1960_p0_alf1", "imo_1968_p8_alf1"]
    page.fill("#search", "nothing has this")
    assert page.inner_text(COUNT) == "0 of 48 problems"
    assert page.is_visible("#no-problems")
    page.click("text=Reset")
    says(page, "#problem-count", "48 of 48 problems")


def test_outcomes_are_those_of_the_chosen_run(visit: Open) -> None:
    page = visit("several")
    page.select_option("#run", label="A, minif2f/test")
    assert page.inner_text(COUNT) == "16 of 48 problems"
    page.select_option("#outcome", "solved")
    assert page.inner_text(COUNT) == "8 of 48 problems"
    page.select_option("#outcome", "unsolved")
    assert page.inner_text(COUNT) == "8 of 48 problems"
    page.select_option("#run", "")
    page.select_option("#outcome", "differ")
    assert 0 < len(names(page)) < 48


def test_failures_unfit_statements_and_disputes_are_found(visit: Open) -> None:
    page = visit("hostile")
    page.select_option("#outcome", "unfit")
    assert page.inner_text(COUNT) == "1 of 4 problems"
    page.select_option("#outcome", "disputed")
    assert page.inner_text(COUNT) == "1 of 4 problems"
    page.select_option("#outcome", "")
    page.select_option("#class", "type mismatch")
    assert page.inner_text(COUNT) == "1 of 4 problems"


# --- a problem -------------------------------------------------------------------------------------


def test_a_failure_opens_with_the_message_at_its_place(visit: Open) -> None:
    page = visit("hostile")
    page.click("text=amc12a_1961_p1")
    ready(page)
    lean = page.get_by_role("group", name="Lean of attempt 1", exact=True)
    marked = lean.locator(".line.has-error mark.error").all_inner_texts()
    assert "".join(marked) == "𝕜"  # the second one of its line, though JavaScript counts each as two
    below = lean.locator(".line[data-line='2'] + .message")
    assert below.inner_text().splitlines() == ["error, line 2, column 15", "this is wrong", "and why"]
    assert (
        lean.locator(".message").last.inner_text().splitlines()[0] == "error, line 99, column 0 (outside of the text)"
    )
    assert lean.locator(".line[data-line='3'] mark.warning").inner_text() == "omega"
    assert lean.locator(".lean-keyword").first.inner_text() == "theorem"
    assert "Lean reports an error" in page.inner_text("#problem-detail .facts")


def test_identical_attempts_are_shown_once_with_their_number(visit: Open) -> None:
    page = visit("hostile", "#problem=imo_1960_p0")
    ready(page)
    summaries = page.locator(".attempt > summary").all_inner_texts()
    assert [re.sub(r"\s+", " ", text) for text in summaries] == [
        "✓ Proved Attempt 1×3 10 tokens",
        "✗ Rejected Attempt 2×2 tactic failure 11 tokens",
    ]
    assert "5 attempts, 2 with different Lean." in page.inner_text("#problem-detail")


def test_rounds_and_what_was_written_unfold(visit: Open) -> None:
    page = visit("several", "#problem=amc12a_1961_p1")
    ready(page)
    assert "Round 1 of 2: " in page.inner_text("#problem-detail")
    written = page.locator(".written").first
    assert not written.locator("pre").is_visible()
    written.locator("summary").click()
    assert "First <i>think</i> about amc12a_1961_p1." in written.locator("pre").inner_text()


def test_text_is_copied(visit: Open) -> None:
    page = visit("hostile", "#problem=imo_1960_p0", permissions=["clipboard-read", "clipboard-write"])
    ready(page)
    page.get_by_role("button", name="Copy: Statement of imo_1960_p0").click()
    says(page, "#said", "Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("theorem imo_1960_p0 (n : ℕ)")


def test_addresses_open_problems_and_survive_a_reload(visit: Open) -> None:
    page = visit("several", "#problem=imo_1960_p0_alf0")
    for _ in range(2):
        ready(page)
        assert page.inner_text("#problem-title") == "imo_1960_p0_alf0"
        page.reload()
    ready(page)
    page.click("#problem-detail .tag a")  # its original
    says(page, "#problem-title", "imo_1960_p0")
    assert page.url.endswith("#problem=imo_1960_p0")
    page.go_back()
    says(page, "#problem-title", "imo_1960_p0_alf0")


def test_an_address_that_names_no_problem_says_so(visit: Open) -> None:
    page = visit("several", "#problem=%E0%A4%A")
    assert "There is no problem" in page.inner_text("#problem-detail")


# --- hostile texts ---------------------------------------------------------------------------------


def test_hostile_texts_do_nothing_and_hide_nothing(visit: Open) -> None:
    page = visit("hostile", "#problem=" + quote(HOSTILE_NAME))
    ready(page)
    for summary in page.locator(".attempt:not([open]) > summary").all():
        summary.click()
    for summary in page.locator(".written > summary").all():
        summary.click()
    page.wait_for_function(  # what an attempt wrote is put in when it is opened
        "document.querySelector('#problem-detail').innerText.includes('characters left out')"
    )
    shown = page.inner_text("#problem-detail")
    assert "</script><script>window.pwned = 1</script>" in shown
    assert {"U+0000", "U+202E", "U+2028", "U+FEFF"} <= set(page.locator(".hidden-character").all_inner_texts())
    assert not re.search("[\x00\u202e\u2028\u2066]", page.inner_text("body"))
    assert page.evaluate("window.pwned") is None
    assert page.locator("main img, main i, main b:not(.headline b):not(.sums b):not(.times)").count() == 0
    assert "The first 60,000 of 1,000,000 characters." in shown  # of Lean
    assert "… 984,000 characters left out …" in shown
    assert "The beginning and the end; 984,000 of 1,000,000 characters between them are not in this page." in shown
    assert page.title() == "<i>hostile</i>"


def test_scripts_that_are_not_ours_are_refused(chromium: Browser, pages: dict[str, Path], tmp_path: Path) -> None:
    """Should a text ever break out, the page's policy stops it."""
    broken = tmp_path / "broken.html"
    text = pages["hostile"].read_text(encoding="utf-8")
    planted = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 2'>"
    broken.write_text(text.replace("<footer", f"{planted}<footer"), encoding="utf-8")
    page = chromium.new_page()
    page.goto(broken.as_uri())
    drawn(page)
    assert page.evaluate("window.pwned") is None
    page.close()


# --- keyboard, screen readers, colours -------------------------------------------------------------


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id || document.activeElement.textContent"))


def test_everything_can_be_done_from_the_keyboard(visit: Open) -> None:
    page = visit("hostile")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the results"
    page.keyboard.press("Enter")
    assert focused(page) == "main"
    page.focus("#sort")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page).startswith("imo_1960_p0")
    page.keyboard.press("ArrowDown")
    assert focused(page).startswith("amc12a_1961_p1")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    ready(page)
    assert focused(page) == "problem-title"
    assert page.inner_text("#problem-title") == "amc12a_1961_p1"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "next"
    page.keyboard.press("Escape")
    assert focused(page).startswith("amc12a_1961_p1")
    assert not page.is_visible("#problem-title")
    assert page.evaluate("document.querySelectorAll('#problem-list a[tabindex=\"0\"]').length") == 1


def test_focus_is_seen(visit: Open) -> None:
    page = visit("hostile")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top") >= 0


@pytest.mark.parametrize("name", ["several", "hostile", "rounds"])
def test_everything_has_a_role_and_a_name(visit: Open, name: str) -> None:
    page = visit(name, "#problem=imo_1960_p0")
    ready(page)
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    told = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]
    acting = {"button", "link", "searchbox", "combobox", "textbox", "DisclosureTriangle"}
    assert [role for role, label in told if role in acting and not label.strip()] == []
    roles = {role for role, _ in told}
    assert {
        "banner",
        "navigation",
        "main",
        "contentinfo",
        "search",
        "status",
        "table",
        "columnheader",
        "rowheader",
    } <= roles
    assert [role for role, label in told if role in ("image", "img", "table", "region") and not label.strip()] == []
    levels = [
        int(tag[1]) for tag in page.eval_on_selector_all("h1,h2,h3,h4,h5", "all => all.map((one) => one.tagName)")
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


CONTRASTS = """
() => {
  const channels = (colour) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (top, below) => [0, 1, 2].map((at) => (top[at] * top[3] + below[at] * (255 - top[3])) / 255);
  const ground = (element) => {
    if (!element) return [255, 255, 255];
    const own = channels(getComputedStyle(element).backgroundColor);
    return own[3] === 255 ? own.slice(0, 3) : over(own, ground(element.parentElement));
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!text || element.closest("svg, script, style, noscript") || element.disabled) continue;
    if (!element.checkVisibility()) continue;
    const below = ground(element);
    const ink = over(channels(getComputedStyle(element).color), below);
    const [a, b] = [light(ink), light(below)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) found.push([element.tagName, element.className, ratio, element.textContent.slice(0, 30)]);
  }
  return found;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_both_themes(visit: Open, scheme: str) -> None:
    page = visit("hostile", "#problem=amc12a_1961_p1", color_scheme=scheme)
    ready(page)
    assert page.evaluate(CONTRASTS) == []


def test_the_theme_follows_the_system_and_the_button(visit: Open) -> None:
    page = visit("several", color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    button = page.get_by_role("button", name="Dark colours")
    assert button.get_attribute("aria-pressed") == "true"
    button.click()
    light = page.evaluate(ground)
    assert light != dark
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    assert page.evaluate(ground) == dark


# --- sizes -----------------------------------------------------------------------------------------


def test_a_narrow_screen_shows_one_thing_at_a_time_and_never_scrolls_sideways(visit: Open) -> None:
    page = visit("several", viewport={"width": 360, "height": 740})
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    page.click("#problem-list a >> nth=0")
    ready(page)
    assert not page.is_visible("#problem-list")
    assert page.evaluate(wide) <= 0
    page.click("#close")
    assert page.is_visible("#problem-list")


def test_print_has_the_results_and_no_controls(visit: Open) -> None:
    page = visit("several")
    page.emulate_media(media="print")
    assert page.is_visible("#summary")
    assert not page.is_visible("#filters")
    assert not page.is_visible("nav")


def test_print_cuts_nothing_off(visit: Open) -> None:
    page = visit("hostile", "#problem=amc12a_1961_p1")
    ready(page)
    page.locator(".written > summary").first.click()
    styles = """(all) => all.map((one) => {
      const { display, maxHeight, overflowX, overflowY } = getComputedStyle(one);
      return [display, maxHeight, overflowX, overflowY].join(" ");
    })"""
    cut_off = ".lean, pre.text, .table, .scroll"
    assert any("auto" in style for style in page.eval_on_selector_all(cut_off, styles))
    page.emulate_media(media="print")
    assert set(page.eval_on_selector_all(cut_off, styles)) == {"block none visible visible"}
