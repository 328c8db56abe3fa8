"""The site of the documentation, as it was built: links, screens, keyboard, search, accessibility.

``make docs-check`` builds the site, and names its folder in RANKMARK_SITE.
"""

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

SITE = Path(os.environ.get("RANKMARK_SITE", "there is no site"))
pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="make docs-check builds the site first")
LOOKED_AT = (
    *("index", "start/quickstart", "start/notebook", "learn/index", "learn/ndcg", "learn/try-it"),
    *("how-to/comparing", "how-to/plots", "reference/measures", "reference/command-line"),
    *("reference/api/functions", "other-tools/profiles-by-tool", "evidence/conformance"),
    *("development/how-it-works", "search"),
)
# axe takes minutes for a page of so many signatures, which has nothing but more of the same.
SHORTER = {"reference/api/functions": "reference/api/spans"}
SCREENS = ((380, "light"), (768, "dark"), (1600, "dark"), (1600, "light"))


class Contents(HTMLParser):
    """The links of a page, what it loads, and what links can name behind a #."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loaded: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        elif tag in {"link", "script", "img", "iframe"}:
            self.loaded |= {given[name] for name in ("href", "src") if name in given}


@pytest.fixture(scope="module")
def pages() -> dict[Path, Contents]:
    return {
        page.resolve(): Contents(page)
        for page in SITE.rglob("*.html")
        if "_static" not in page.parts
    }


def test_every_link_leads_to_a_page_and_a_place_on_it(pages: dict[Path, Contents]) -> None:
    lost = []
    for page, contents in pages.items():
        for link in contents.links | contents.loaded:
            parts = urlsplit(link)
            to = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            # What stands behind the # of reports and of the page to try is read by their scripts.
            read_by_script = page.stem in {"try-it", "example-report"} or to.stem == "try-it"
            if parts.scheme in {"http", "https", "mailto", "data"}:
                continue
            named = (
                to not in pages or read_by_script or unquote(parts.fragment) in pages[to].anchors
            )
            if not to.exists() or (parts.fragment and not named):
                lost.append((page.name, link))
    assert len(pages) > 100
    assert lost == []


def test_nothing_is_loaded_from_elsewhere(pages: dict[Path, Contents]) -> None:
    loaded = {url for contents in pages.values() for url in contents.loaded}
    assert {url for url in loaded if url.startswith(("http:", "https:", "//"))} == set()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of the site, without a log."""

    def log_message(self, *said: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    handler = functools.partial(Quiet, directory=str(SITE))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("width", "scheme"), SCREENS)
def test_no_page_scrolls_sideways_or_has_faults(
    browser: Any, address: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en"
    )
    for name in LOOKED_AT:
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error, faults=faults: faults.append(str(error)))
        page.on("requestfailed", lambda request, faults=faults: faults.append(request.url))
        page.goto(f"{address}{name}.html")
        assert page.evaluate("document.documentElement.scrollWidth") == width, name
        assert page.get_attribute("html", "data-theme") == scheme
        assert faults == [], name
        page.close()
    context.close()


CODE_BLOCKS = """() => [...document.querySelectorAll('.bd-article pre')].map(block => {
    const isCut = block.scrollWidth > block.clientWidth + 1;
    block.style.whiteSpace = 'pre';
    const isFolded = block.scrollWidth > block.clientWidth + 1;
    block.style.whiteSpace = '';
    return [isCut, isFolded, Math.max(...block.textContent.split('\\n').map(line => line.length))];
})"""


@pytest.mark.parametrize(("width", "letters"), [(390, 0), (1280, 120), (1920, 130)])
def test_code_blocks_are_as_wide_as_what_they_show(
    browser: Any, address: str, width: int, letters: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 900})
    blocks = []
    for path in sorted((SITE / "how-to").glob("*.html")):
        if path.stem == "example-report":
            continue
        page.goto(f"{address}how-to/{path.name}", wait_until="domcontentloaded")
        blocks += [(path.stem, *block) for block in page.evaluate(CODE_BLOCKS)]
    page.close()
    assert len(blocks) > 150
    assert [block for block in blocks if block[1]] == []
    assert [block for block in blocks if block[2] and block[3] <= letters] == []


@pytest.mark.parametrize(("width", "scheme"), [SCREENS[0], SCREENS[2]])
def test_axe_finds_no_violation(browser: Any, address: str, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name in (SHORTER.get(name, name) for name in LOOKED_AT):
        page = context.new_page()
        page.goto(f"{address}{name}.html" + "?q=ndcg" * (name == "search"))
        page.wait_for_load_state("networkidle")
        found = axe.run(page)
        assert found.violations_count == 0, f"{name}: {found.generate_report()}"
        page.close()
    context.close()


def test_the_first_tab_is_a_way_past_the_menus(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}learn/ndcg.html")
    page.keyboard.press("Tab")
    assert page.inner_text(":focus") == "Skip to main content"
    page.keyboard.press("Enter")
    assert urlsplit(page.url).fragment == "main-content"
    page.close()


def found_pages(page: Any) -> list[str]:
    """Return the pages that a search has found, best first."""
    page.wait_for_selector("ul.search li a")
    # The list grows until all is found; its summary says so.
    page.wait_for_selector(".search-summary:has-text('found'), #search-results p:has-text('found')")
    links = page.eval_on_selector_all(
        "ul.search li > a", "links => links.map(link => new URL(link.href).pathname)"
    )
    return list(dict.fromkeys(link.lstrip("/").removesuffix(".html") for link in links))


def test_a_page_is_found_with_the_keyboard(browser: Any, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("reciprocal rank")
    page.keyboard.press("Enter")
    assert "learn/reciprocal-rank" in found_pages(page)[:5]
    page.close()


@pytest.mark.parametrize(
    ("words", "sought"),
    [
        ("RAG", "start/rag"),
        ("install", "start/quickstart"),
        ("pre-commit", "how-to/ci"),
        ("dataframe", "reference/inputs"),
    ],
)
def test_search_finds_what_newcomers_look_for(
    browser: Any, address: str, words: str, sought: str
) -> None:
    page = browser.new_page()
    page.goto(f"{address}search.html?q={words}")
    assert sought in found_pages(page)[:3]
    page.close()


def test_the_menus_of_a_narrow_screen_open_with_the_keyboard(browser: Any, address: str) -> None:
    page = browser.new_page(viewport={"width": 380, "height": 800})
    page.goto(f"{address}learn/ndcg.html")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.primary-toggle')"):
            break
    page.keyboard.press("Enter")
    link = page.locator("dialog[open] a", has_text="Reciprocal rank").first
    link.wait_for()
    page.keyboard.press("Escape")
    link.wait_for(state="hidden")
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_button_opens_the_places_of_a_page_where_they_do_not_stand_beside_it(
    browser: Any, address: str, width: int
) -> None:
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.goto(f"{address}how-to/judges.html")
    place = page.locator("nav.page-toc a", has_text="Missing labels")
    assert not place.is_visible()
    page.click("button.secondary-toggle")
    place.wait_for()
    box = place.bounding_box()
    assert 0 <= box["x"] < box["x"] + box["width"] <= width
    place.click()
    page.wait_for_url("**#missing-labels")
    page.close()
