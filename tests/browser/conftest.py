"""A real browser: Debian's chromium, driven by playwright. Without either, these tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@pytest.fixture(scope="module")  # while it is open, an event loop runs here, and other tests start their own
def chromium() -> Iterator[Browser]:
    executable = shutil.which("chromium")
    if executable is None:
        pytest.skip("chromium is not installed: `apt-get install chromium` to test pages in a real browser")
    sync_api: Any = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: `pip install playwright`"
    )
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(FLAGS))
        yield browser
        browser.close()
