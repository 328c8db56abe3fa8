"""The page of a report in headless Chromium: sorting, filtering, keyboard, accessibility."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark.verbs.report.write_report import report_page
from unit.report.reported import HOSTILE, compared, hostile


def expect(locator: Any) -> Any:
    """Wait for what a locator shows; the page's policy forbids to wait for an expression."""
    return pytest.importorskip("playwright.sync_api").expect(locator)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("reports")
    texts = {f"q{number}": f"words of {number}" for number in range(0, 300, 2)}
    several = compared(queries=300, depth=25, by={f"q{n}": f"slice {n % 3}" for n in range(300)})
    (path / "report.html").write_text(report_page(several, queries_text=texts), "utf-8")
    (path / "hostile.html").write_text(
        report_page(
            hostile(),
            title=HOSTILE[0],
            queries_text={HOSTILE[0]: HOSTILE[1]},
            docs_text={HOSTILE[0]: HOSTILE[2]},
        ),
        "utf-8",
    )
    (path / "long.html").write_text(report_page(long_names()), "utf-8")
    many = compared(queries=12, runs=17)
    (path / "many.html").write_text(report_page(many), "utf-8")
    return path


def long_names() -> rm.Comparison:
    """Compare few queries of runs with long names, whose differences ties could reverse."""
    names = [f"msmarco-passage-v2-bm25-rocchio-k1-0.9-{n:02d}" for n in range(3)]
    qrels = {f"2f0c9b1e-7d3a-4e55-9c1f-{q:04d}-0123456789": {"a": 1} for q in range(6)}
    runs = {
        name: {query: {"a": 1 - (n > at % 3), "b": 1, "c": 0} for at, query in enumerate(qrels)}
        for n, name in enumerate(names)
    }
    return rm.compare(qrels, runs, ["nDCG@10", "AP(rel=1)", "RR"], bounds=True, resamples=1000)


class Opened:
    """A page, and whatever it said or asked for that it should not."""

    def __init__(self, browser: Any, path: Path, fragment: str = "", **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.faults.append("dialog"), dialog.dismiss()))
        self.page.on("request", self._requested)
        self.page.goto(path.as_uri() + fragment)
        self.page.wait_for_selector("html[data-ready]")

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.faults.append(request.url)

    def column(self, number: int) -> list[str]:
        return self.page.eval_on_selector_all(
            f"#rows tr[aria-rowindex] > :nth-child({number})",
            "cells => cells.map(cell => cell.textContent)",
        )


@pytest.fixture
def opened(browser: Any, folder: Path) -> Iterator[Opened]:
    report = Opened(browser, folder / "report.html")
    yield report
    report.context.close()
    assert report.faults == []


def numbers(texts: list[str]) -> list[float]:
    return [float(text.replace("−", "-")) for text in texts if text != "–"]


@pytest.mark.slow
def test_a_click_on_a_heading_sorts(opened: Opened) -> None:
    page = opened.page
    assert opened.column(1)[:3] == ["q0", "q1", "q2"]
    page.click("#heads button:has-text('run2')")
    scores = numbers(opened.column(3))
    assert scores == sorted(scores, reverse=True)
    assert page.get_attribute("#heads th:nth-child(3)", "aria-sort") == "descending"
    page.click("#heads button:has-text('run2')")
    scores = numbers(opened.column(3))
    assert scores == sorted(scores)
    page.click("#heads button:has-text('Query')")
    page.click("#heads button:has-text('Query')")
    page.click("#heads button:has-text('Query')")
    assert opened.column(1)[0] == "q299"


def test_only_the_rows_that_are_seen_are_drawn(opened: Opened) -> None:
    page = opened.page
    assert page.locator("#rows tr").count() < 60
    assert page.get_attribute("#table", "aria-rowcount") == "301"
    page.eval_on_selector("#window", "window => { window.scrollTop = 36 * 200; }")
    page.wait_for_selector("#rows tr[aria-rowindex='203']")
    assert page.locator("#rows tr").count() < 60


def test_filters_and_search_choose_queries(opened: Opened) -> None:
    page = opened.page
    page.fill("#search", "WORDS of 12")
    assert page.inner_text("#count") == "6 of 300 queries"  # 12, and 120 to 128
    page.fill("#search", "nothing like it")
    assert "No query fits" in page.inner_text("#rows")
    page.click("button[type=reset]")
    expect(page.locator("#count")).to_have_text("300 queries")
    page.select_option("#slice", "slice 1")
    assert page.inner_text("#count") == "100 of 300 queries"
    page.select_option("#slice", "")
    page.select_option("#show", "better")
    page.fill("#least", "0.2")
    assert min(numbers(opened.column(6))) >= 0.2
    page.select_option("#show", "worse")
    assert max(numbers(opened.column(6))) <= -0.2
    page.fill("#least", "")
    page.select_option("#show", "unanswered")
    page.select_option("#measure", label="RR")
    assert "of 300 queries" in page.inner_text("#count")


def test_a_query_opens_with_ranked_lists_and_contributions(opened: Opened) -> None:
    page = opened.page
    page.click("#rows a:has-text('q3')")
    page.wait_for_selector(".documents")
    assert page.url.endswith("#query=q3")
    assert page.inner_text("#query-title") == "Query q3"
    assert page.locator(".list").count() == 3
    value = float(page.locator(".list .value").first.inner_text())
    added = page.locator(".list").first.locator(".added").all_inner_texts()
    assert sum(numbers([text for text in added if text])) == pytest.approx(value, abs=1e-3)
    page.click(".by-measure button:has-text('RR')")
    page.wait_for_selector(".by-measure tr[aria-current] button:has-text('RR')")
    page.locator(".documents .id").first.click()
    assert page.locator(".documents .same").count() >= 1
    assert page.locator(".documents [aria-pressed=true]").count() >= 1
    page.click("#next")
    expect(page.locator("#query-title")).to_have_text("Query q4")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    assert "#query" not in page.url


def test_the_address_opens_a_query(browser: Any, folder: Path) -> None:
    report = Opened(browser, folder / "report.html", "#query=q205")
    report.page.wait_for_selector(".documents")
    assert report.page.inner_text("#query-title") == "Query q205"
    report.page.evaluate("location.hash = 'query=nobody'")
    report.page.wait_for_selector("#failed:not([hidden])")
    assert report.faults == []
    report.context.close()


def test_the_keyboard_reaches_every_query(opened: Opened) -> None:
    page = opened.page
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.locator("#rows a").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "q2"
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent") == "q299"
    page.keyboard.press("Enter")
    page.wait_for_selector(".documents")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    assert page.evaluate("document.activeElement.textContent") == "q299"
    page.locator("#heads button").nth(3).focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.key") == "run-1"


def test_hostile_names_are_shown_as_text(browser: Any, folder: Path) -> None:
    report = Opened(browser, folder / "hostile.html")
    page = report.page
    assert page.inner_text("h1") == HOSTILE[0]
    shown = report.column(1)
    assert shown[:3] == HOSTILE[:3]
    assert "⟨U+202E⟩gnp.exe⟨U+202C⟩" in shown
    for number in range(len(HOSTILE)):
        page.locator("#rows a").nth(number).click()
        page.wait_for_selector(".documents")
        assert page.inner_text("#query-title") == f"Query {shown[number]}"
        address = page.url
        page.click("#close")
        page.wait_for_selector("dialog", state="hidden")
        if number in {0, 7, 9}:
            page.goto(address)
            page.wait_for_selector("dialog[open] .documents")
            assert page.inner_text("#query-title") == f"Query {shown[number]}"
            page.click("#close")
    assert page.locator("img, b.bold").count() == 0
    assert report.faults == []
    page.evaluate(
        """() => {
            const script = document.createElement('script');
            script.textContent = 'window.wasRun = true';
            document.body.append(script);
            document.body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:9/a.png">');
        }"""
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.wasRun") is None
    refused = [fault for fault in report.faults if "Content Security Policy" in fault]
    assert len(refused) == 2
    report.context.close()


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 380)])
def test_the_page_is_accessible_in_both_themes(
    browser: Any, folder: Path, theme: str, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 800}}
    report = Opened(browser, folder / "report.html", bypass_csp=True, **options)
    page = report.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def violations() -> list[Any]:
        found = axe.run(page).response["violations"]
        return [(one["id"], [node["target"] for node in one["nodes"]]) for one in found]

    assert violations() == []
    page.click("#rows a:has-text('q3')")
    page.wait_for_selector(".documents")
    assert violations() == []
    report.context.close()


WIDER = """() => [...document.querySelectorAll('main .scroll, main .window')]
    .filter(wide => wide.checkVisibility() && wide.scrollWidth > wide.clientWidth + 1)
    .map(wide => wide.getAttribute('aria-label'))"""


def test_no_column_is_cut_off_at_1280(browser: Any, folder: Path) -> None:
    for name in ("long", "report"):
        report = Opened(browser, folder / f"{name}.html", viewport={"width": 1280, "height": 900})
        report.page.eval_on_selector_all(
            "details", "all => all.forEach(one => { one.open = true; })"
        )
        heads = report.page.locator(".differences th").all_inner_texts()
        wide = {"Smallest p", "Order of ties", "Unjudged documents"}
        assert wide <= {*heads} or name != "long"
        assert report.page.evaluate(WIDER) == []
        assert report.page.locator(".hint:visible").count() == 0
        report.context.close()


def test_what_goes_on_to_the_right_says_so(browser: Any, folder: Path) -> None:
    for name, width in (("long", 390), ("many", 1280)):
        report = Opened(browser, folder / f"{name}.html", viewport={"width": width, "height": 900})
        wider = report.page.evaluate(WIDER)
        assert "Scores by query" in wider
        assert report.page.locator(".hint:visible").count() == len(wider)
        assert report.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if name == "long":
            report.page.set_viewport_size({"width": 1280, "height": 900})
            expect(report.page.locator(".hint:visible")).to_have_count(0)
        report.context.close()


def test_bars_have_an_axis_and_the_colours_of_their_runs(opened: Opened) -> None:
    page = opened.page
    ticks = numbers(page.locator(".values span:not(.widest)").all_inner_texts())
    assert ticks == sorted(ticks)
    assert 0.0 in ticks
    values = numbers(opened.column(6))
    assert ticks[0] <= min(values) < max(values) <= ticks[-1]
    box = page.locator("#chart svg").bounding_box()
    zero = page.locator(".values span:not(.widest)", has_text=re.compile(r"^0(\.0)?$"))
    at = zero.bounding_box()
    assert box is not None
    assert at is not None
    share = ticks[-1] / (ticks[-1] - ticks[0])
    assert at["y"] + at["height"] / 2 == pytest.approx(box["y"] + share * box["height"], abs=2)
    assert "queries, gains first" in page.inner_text(".of-queries")
    fill = "path => getComputedStyle(path).fill"
    dot = "circle => getComputedStyle(circle).fill"
    best, second = (page.locator("#leaderboard circle").nth(at).evaluate(dot) for at in (0, 1))
    assert page.eval_on_selector("#chart .up", fill) == best
    assert page.eval_on_selector("#chart .down", fill) == second != best


def test_seventeen_runs_fit_into_a_narrow_window(browser: Any, folder: Path) -> None:
    report = Opened(browser, folder / "many.html", viewport={"width": 380, "height": 700})
    page = report.page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cut = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)"
    assert page.eval_on_selector_all(".of-queries *", cut) == []
    page.locator("#rows a").first.click()
    page.wait_for_selector(".documents")
    assert page.locator(".list").count() == 4
    page.locator(".choose input").nth(9).check()
    expect(page.locator(".list")).to_have_count(5)
    assert report.faults == []
    report.context.close()


def test_the_theme_can_be_chosen(opened: Opened) -> None:
    page = opened.page
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.click("#theme")
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: dark"
    assert page.evaluate(colour) != light


def test_a_printed_page_has_closed_tables_and_all_rows(opened: Opened) -> None:
    page = opened.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("#rows tr[aria-rowindex]").count() == 300
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#rows tr[aria-rowindex]").count() < 60


@pytest.mark.slow
def test_without_script_the_page_says_so(browser: Any, folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "report.html").as_uri())
    assert page.locator("noscript p").is_visible()
    assert page.locator("#leaderboard td").count() == 9
    context.close()
