"""The page on which people change a ranked list: its numbers are rankmark's, and it can be used.

The page is opened as a file, docs/_static/try-it/index.html; docs/learn/try-it.md loads the same
scripts.
"""

import json
import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import rankmark
from rankmark import Measure, measure

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "_static" / "try-it"
PAGE = FOLDER / "index.html"
LEARN = ROOT / "docs" / "learn" / "try-it.md"
NAMES = (
    *("P", "R", "F", "Success", "Rprec", "RR", "AP", "CG", "DCG", "nDCG", "ERR", "RBP", "Judged"),
)
LABELS = (None, 0, 1, 2, 3)
Labels = list[int | None]

pytestmark = pytest.mark.slow


class Ranked(NamedTuple):
    """One ranked list and the settings, as measures.js takes them."""

    labels: Labels
    missed: list[int]
    k: int | None
    rel: int
    gain: str

    def measure(self, name: str) -> Measure:
        """Give rankmark's measure of a name, with the settings that it takes."""
        found = measure(name)
        given = {"k": self.k, "rel": self.rel, "gain": self.gain}
        taken = {key: value for key, value in given.items() if key in found.parameters}
        if name == "ERR":
            del taken["gain"]  # of probabilities, and exp2 by default
        return found(**taken)


def random_lists(count: int) -> list[Ranked]:
    """Draw lists of 0 to 12 documents; a third have binary labels, and a third no unjudged ones."""
    draw = random.Random(28)
    lists = []
    for _ in range(count):
        labels = draw.choice([LABELS, LABELS[1:], LABELS[1:3]])
        lists.append(
            Ranked(
                [draw.choice(labels) for _ in range(draw.randint(0, 12))],
                [draw.choice(LABELS[1:]) for _ in range(draw.choice([0, 0, 1, 2, 4]))],
                draw.choice([None, 1, 2, 3, 5, 10, 15]),
                draw.choice([1, 1, 2, 3]),
                draw.choice(["linear", "exp2"]),
            )
        )
    return lists


LISTS = random_lists(250)

# Compute everything of every list and measure in one call: [list][measure], as JSON, because
# Playwright takes ten seconds to hand over as many objects.
COMPUTE = """lists => JSON.stringify(lists.map(list => RankingMeasures.MEASURES.map(measure => ({
    name: measure.name,
    canonical: RankingMeasures.canonicalName(measure, list),
    value: RankingMeasures.valueOf(measure, list),
    contributions: RankingMeasures.contributions(measure, list),
    ideal: RankingMeasures.idealRanking(measure, list),
    move: RankingMeasures.idealMove(measure, list),
    steps: RankingMeasures.workedSteps(measure, list),
}))))"""


class Opened:
    """The page in a browser, with what it said or asked for that it should not."""

    def __init__(self, browser: Any, fragment: str = "", **options: Any) -> None:
        self.context = browser.new_context(reduced_motion="reduce", **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(30_000)
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", self._requested)
        self.page.goto(PAGE.as_uri() + fragment)
        self.page.wait_for_selector("#try-it[data-ready]")

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            self.faults.append(request.url)

    def names(self, listed: str = "ranking") -> str:
        """Give the names of the documents of a list, in their order."""
        return self.page.eval_on_selector_all(
            f"[data-list={listed}] .document", "all => all.map(one => one.dataset.name).join('')"
        )

    def value(self, name: str) -> float:
        row = self.page.locator(f".measures tr:has([data-measure={name}])")
        return float(row.locator(".number").first.inner_text())

    def grip(self, name: str) -> Any:
        return self.page.locator(f".documents [data-name={name}] .grip")


@pytest.fixture
def opened(browser: Any) -> Iterator[Opened]:
    one = Opened(browser, "#ranking=0,1,0,1&missed=2&measure=AP")
    yield one
    one.context.close()
    assert one.faults == []


@pytest.fixture(scope="module")
def computed(browser: Any) -> list[dict[str, dict[str, Any]]]:
    """Give what the page computes: for each list, by the name of the measure."""
    one = Opened(browser)
    found = json.loads(one.page.evaluate(COMPUTE, [ranked._asdict() for ranked in LISTS]))
    one.context.close()
    assert one.faults == []
    return [{each["name"]: each for each in of_list} for of_list in found]


def near(here: float, there: float) -> bool:
    return math.isclose(here, there, rel_tol=1e-12, abs_tol=1e-12)


def test_the_page_has_the_measures_by_their_names(computed: list[dict[str, Any]]) -> None:
    assert tuple(computed[0]) == NAMES
    for ranked, here in zip(LISTS, computed, strict=True):
        for name in NAMES:
            assert here[name]["canonical"] == str(ranked.measure(name))


def test_values_contributions_and_ideal_rankings_are_those_of_rankmark(
    computed: list[dict[str, Any]],
) -> None:
    above_zero = dict.fromkeys(NAMES, 0)
    for ranked, of_list in zip(LISTS, computed, strict=True):
        for name, here in of_list.items():
            there = ranked.measure(name).explain(ranked.labels, missed=ranked.missed)
            told = f"{name} of {ranked}"
            assert near(here["value"], there.value), told
            # rankmark explains the ranks that count, and further down nothing contributes.
            shares = [row["contribution"] for row in there.rows]
            assert all(map(near, here["contributions"], shares)), told
            assert not any(here["contributions"][len(shares) :]), told
            ideal = here["ideal"] or []
            assert [one["label"] for one in ideal] == [one["label"] for one in there.ideal], told
            shares = [one["contribution"] for one in there.ideal]
            assert all(near(one["contribution"], x) for one, x in zip(ideal, shares, strict=True))
            above_zero[name] += there.value > 0
    assert min(above_zero.values()) > 75


def every_move(ranked: Ranked) -> Iterator[tuple[tuple[Any, ...], Labels, list[int]]]:
    """Try every move of one document: its place in the order of preference, and what results."""
    n = len(ranked.labels)
    for source in range(n):
        for to in range(n):
            rest = [*ranked.labels[:source], *ranked.labels[source + 1 :]]
            moved = [*rest[:to], ranked.labels[source], *rest[to:]]
            if to != source:
                yield (abs(to - source), to, "among ranked", source), moved, ranked.missed
    for source, label in enumerate(ranked.missed):
        others = [*ranked.missed[:source], *ranked.missed[source + 1 :]]
        for to in range(n + 1):
            moved = [*ranked.labels[:to], label, *ranked.labels[to:]]
            yield (n - to, to, "from missed", source), moved, others


def test_the_ideal_move_is_the_best_of_all_moves(computed: list[dict[str, Any]]) -> None:
    found = {"among ranked": 0, "from missed": 0, "none": 0}
    for number, (ranked, of_list) in enumerate(zip(LISTS, computed, strict=True)):
        for name in NAMES[number % 5 :: 5]:  # every measure for a fifth of the lists
            score = ranked.measure(name)
            before = score(ranked.labels, missed=ranked.missed)
            after = {
                move: score(labels, missed=missed) for move, labels, missed in every_move(ranked)
            }
            best = max(after.values(), default=0.0)
            here = of_list[name]["move"]
            if best <= before + 1e-9:
                assert here is None, f"{name} of {ranked}"
                found["none"] += 1
                continue
            move = min(move for move, value in after.items() if value > best - 1e-9)
            source = {"ranking": "among ranked", "missed": "from missed"}[here["from"]]
            assert (here["passed"], here["to"], source, here["source"]) == move, f"{name} {ranked}"
            assert near(here["before"], before)
            assert near(here["after"], after[move])
            found[source] += 1
    assert min(found.values()) > 75


def test_every_step_of_a_formula_has_the_value(computed: list[dict[str, Any]]) -> None:
    known = {"log2": math.log2, "__builtins__": {}}
    for of_list in computed:
        for here in of_list.values():
            if here["steps"] == ["0 / 0, which counts as 0"]:
                assert here["value"] == 0
                continue
            for step in here["steps"]:
                written = step.translate({ord("×"): "*", ord("−"): "-"}).replace("^", "**")
                value = eval(written, known)
                assert value == pytest.approx(here["value"], rel=1e-5, abs=1e-9), here


@pytest.mark.parametrize("settings", ["missed=2&k=3&rel=2&gain=exp2", "missed=?"])
def test_the_line_of_python_gives_the_value(browser: Any, settings: str) -> None:
    one = Opened(browser, f"#ranking=0,?,3,2&{settings}")
    for name in NAMES:
        one.page.click(f"[data-measure={name}]")
        written = one.page.inner_text(".chosen code")
        value = eval(written, {"rankmark": rankmark})
        assert value == pytest.approx(one.value(name), abs=5e-5)
    one.context.close()
    assert one.faults == []


def test_the_examples_have_the_values_of_the_other_pages(browser: Any) -> None:
    one = Opened(browser)
    chooser = one.page.locator(".example")
    values = {}
    for option in chooser.locator("option").all()[1:]:
        chooser.select_option(label=option.inner_text())
        values[option.inner_text()] = (one.value("RR"), one.value("AP"), one.value("nDCG"))
    assert values["Cats in boxes, query 1"][:2] == (0.5, 0.5429)
    assert values["Cats in boxes, query 2"][:2] == (1.0, 0.6679)
    assert values["Cats in boxes, query 3"][:2] == (0.2, 0.225)
    assert values["Graded labels"][2] == 0.9238
    assert values["Relevant documents missed"][2] == 0.785
    one.context.close()
    assert one.faults == []


def drag(one: Opened, name: str, to: str, *, touch: bool = False) -> None:
    """Drag a document to the place of another with the mouse, in steps as a hand does."""
    source, target = one.grip(name).bounding_box(), one.grip(to).bounding_box()
    x, y = source["x"] + 10, source["y"] + source["height"] / 2
    way = target["y"] - source["y"]
    beyond = math.copysign(4, way)
    if touch:
        session = one.context.new_cdp_session(one.page)
        points = [(x, y), *((x, y + way * i / 10 + beyond) for i in range(1, 11))]
        for kind, (px, py) in zip(["touchStart", *["touchMove"] * 10], points, strict=True):
            session.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": px, "y": py}]}
            )
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        return
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    one.page.mouse.move(x, y + way + beyond, steps=10)


def test_dragging_changes_the_numbers_while_it_goes_on(opened: Opened) -> None:
    assert opened.names() == "ABCD"
    assert opened.value("RR") == 0.5
    drag(opened, "B", "A")
    assert opened.names() == "BACD"
    assert opened.value("RR") == 1
    assert "ranking=0,1,0,1" in opened.page.url
    opened.page.mouse.up()
    assert opened.names() == "BACD"
    assert "ranking=B1,A0,C0,D1" in opened.page.url
    rise = opened.page.locator(".measures tr:has([data-measure=RR]) .rise")
    assert rise.inner_text() == "+0.5000"
    opened.page.click(".undo")
    assert opened.names() == "ABCD"
    assert opened.value("RR") == 0.5


def test_documents_are_dragged_between_the_lists(opened: Opened) -> None:
    recall = opened.value("R")
    drag(opened, "E", "A")
    opened.page.mouse.up()
    assert (opened.names(), opened.names("missed")) == ("EABCD", "")
    assert recall < opened.value("R") == 1
    opened.page.click(".undo")
    drag(opened, "B", "E")
    opened.page.mouse.up()
    assert (opened.names(), opened.names("missed")) == ("ACD", "EB")


def test_escape_brings_a_document_back(opened: Opened) -> None:
    drag(opened, "D", "A")
    assert opened.names() == "DABC"
    opened.page.keyboard.press("Escape")
    assert opened.names() == "ABCD"
    opened.page.mouse.up()
    assert opened.names() == "ABCD"
    assert opened.page.locator(".undo").is_disabled()


def test_a_finger_drags_by_the_grip(browser: Any) -> None:
    options = {"has_touch": True, "viewport": {"width": 380, "height": 900}}
    one = Opened(browser, "#ranking=0,1,0,1&measure=RR", **options)
    drag(one, "D", "A", touch=True)
    assert one.names() == "DABC"
    assert one.value("RR") == 1
    one.context.close()
    assert one.faults == []


def test_the_keyboard_moves_labels_and_removes(opened: Opened) -> None:
    page = opened.page
    opened.grip("B").click()
    page.keyboard.press("ArrowUp")
    assert opened.names() == "BACD"
    assert opened.value("RR") == 1
    assert page.inner_text(".status") == "B is now at rank 1. AP is 0.5 (+0.1667)."
    assert page.evaluate("document.activeElement.closest('.document').dataset.name") == "B"
    page.keyboard.press("ArrowDown")
    assert opened.names() == "ABCD"
    page.keyboard.press("3")
    assert opened.value("CG") == 4
    page.keyboard.press("?")
    assert opened.value("Judged") == 0.75
    opened.grip("D").focus()
    page.keyboard.press("ArrowDown")
    assert (opened.names(), opened.names("missed")) == ("ABC", "DE")
    opened.grip("E").focus()
    page.keyboard.press("ArrowUp")
    assert opened.names() == "ABCE"
    page.keyboard.press("Delete")
    assert opened.names() == "ABC"
    # The focus goes to a neighbour, so that the keyboard is not lost.
    assert page.evaluate("document.activeElement.className") == "grip"


def test_buttons_do_the_same_without_dragging(opened: Opened) -> None:
    page = opened.page
    page.click(".documents [data-name=B] .up")
    assert opened.names() == "BACD"
    page.click(".documents [data-name=E] .up")
    assert opened.names() == "BACDE"
    page.click(".documents [data-name=A] .remove")
    assert opened.names() == "BCDE"
    page.click(".lists .add >> nth=0")
    assert opened.names() == "BCDEA"
    page.locator(".documents [data-name=A] [data-label='3']").click()
    assert opened.value("CG") == 7
    page.fill(".cutoff", "2")
    assert page.inner_text(".measures [data-measure=P] b") == "P@2"
    assert opened.value("P") == 0.5
    page.select_option(".rel", "2")
    assert opened.value("P") == 0


def test_making_the_ideal_move_gives_the_value_that_was_promised(opened: Opened) -> None:
    page = opened.page
    for name in NAMES:
        page.click(f"[data-measure={name}]")
        for _ in range(9):
            told = page.inner_text(".move p >> nth=0")
            if told.startswith("No single move"):
                break
            promised = float(re.findall(r"to ([\d.]+)\.$", told)[0])
            page.click(".make")
            assert opened.value(name) == pytest.approx(promised, abs=5e-5)
        else:
            pytest.fail(f"moves raise {name} without end")
        assert page.inner_text(".move").count(f"No single move raises {name}.") == 1


def test_an_address_opens_a_list_or_says_why_not(browser: Any) -> None:
    one = Opened(browser, "#ranking=Lisbon0,Porto2&k=1&measure=R")
    page = one.page
    assert page.locator(".name").all_inner_texts() == ["Lisbon", "Porto"]
    assert page.get_attribute("[data-measure=R]", "aria-pressed") == "true"
    page.evaluate("location.hash = 'ranking=1,0&measure=P'")
    page.wait_for_selector("[data-name=A]")
    assert one.value("P") == 0.5
    for wrong, told in [
        ("ranking=1,7", "“7” is no document"),
        ("ranking=1&k=0", "a whole number"),
        ("ranking=1&measure=Z", "measure is one of"),
        ("ranking=A1,A0", "same name"),
        ("ranking=" + ",".join("1" * 27), "at most 26"),
        ("ranking=<b>1</b>", "is no document"),
    ]:
        page.evaluate("wrong => { location.hash = wrong; }", wrong)
        page.wait_for_function(
            "told => document.querySelector('.fault').textContent.includes(told)", arg=told
        )
        assert one.names() == "AB"  # the list before stays
    one.context.close()
    assert one.faults == []


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 380)])
def test_the_page_is_accessible_and_fits(browser: Any, theme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    options = {"color_scheme": theme, "viewport": {"width": width, "height": 800}}
    one = Opened(browser, "#ranking=?,0,1,2,3,Porto1,0,0&missed=0,1,3&k=5&measure=nDCG", **options)
    one.page.click(".documents [data-name=C] .up")  # numbers that rise and fall
    assert one.page.locator(".rise").count() > 0
    assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert one.faults == []
    found = axe.run(one.page).response["violations"]
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []
    one.context.close()


@pytest.mark.parametrize(("system", "chosen"), [("light", "dark"), ("dark", "light")])
def test_the_theme_of_the_site_goes_before_that_of_the_system(
    browser: Any, system: str, chosen: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    one = Opened(browser, color_scheme=system)
    one.page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", chosen)
    only = {"runOnly": ["color-contrast"]}  # a theme changes colours alone
    found = axe.run(one.page, options=only).response["violations"]
    assert [(each["id"], [node["target"] for node in each["nodes"]]) for each in found] == []
    red = one.page.evaluate(
        "Number(getComputedStyle(document.querySelector('.grip')).color.match(/\\d+/)[0])"
    )
    assert (red > 128) is (chosen == "dark")
    one.context.close()


def test_the_page_of_the_documentation_loads_the_same_scripts() -> None:
    alone = re.findall(r'<script src="([^"]+)">', PAGE.read_text(encoding="utf-8"))
    learn = re.findall(r'<script src="([^"]+)">', LEARN.read_text(encoding="utf-8"))
    assert learn == [f"../_static/try-it/{name}" for name in alone]
    assert sorted(alone) == sorted(path.name for path in FOLDER.glob("*.js"))


def test_the_lists_that_the_page_of_the_documentation_links_to_can_be_opened(browser: Any) -> None:
    text = LEARN.read_text(encoding="utf-8")
    linked = re.findall(r"#(ranking=[^\s\"]+)", text)
    assert len(linked) == 4
    one = Opened(browser)
    for address in linked:
        one.page.evaluate(
            "address => RankedLists.fromAddress(address)", address.replace("&amp;", "&")
        )
    one.context.close()
