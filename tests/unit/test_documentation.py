"""What the documentation shows is true: examples run, commands exist, names are known."""

import doctest
import importlib
import importlib.util
import json
import os
import pkgutil
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, get_args

import pytest
from click.testing import CliRunner

import rankmark
from rankmark import Evaluation, evaluate
from rankmark.clicks.labels.judge_clicks import Method
from rankmark.clicks.online.online_measures import online_measures
from rankmark.commands.app import app
from rankmark.measures import ALL
from rankmark.measures.names import measure
from rankmark.verbs.evaluate.known_scores import known_score
from unit.results.notebooks import executed, kinds

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
WITH_DATA = {"recommender.md"}
"""Pages whose examples need data of others; ``test_examples.py`` runs them."""
RUNNABLE = [page for page in PAGES if page.name not in WITH_DATA]
EVERY_PAGE = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
COLLECTION = Path(rankmark.__file__).parent / "example"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
COMMANDS = {name: app.get_command(None, name) for name in app.list_commands(None)}
BY_NAME = {one.name: one for one in ALL}
SHARED_OPTIONS = {
    "--help",
    "--help-all",
    "-h",
    "--version",
    "--install-completion",
    "--show-completion",
}


class Block(NamedTuple):
    """A fenced block: its language, its text, and the 1-based line on which the text begins."""

    language: str
    text: str
    line: int


def blocks(page: Path, language: str | None = None) -> list[Block]:
    found: list[Block] = []
    opened: list[str] | None = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if opened is None and line.startswith("```"):
            opened, tongue, first = [], line[3:].strip(), number + 1
        elif opened is not None and line == "```":
            found.append(Block(tongue, "".join(opened), first))
            opened = None
        elif opened is not None:
            opened.append(line + "\n")
    assert opened is None, f"{page.name}: a block is not closed"
    return [block for block in found if language in {None, block.language}]


def shown_code(page: Path, *, but: str | None = None) -> Iterator[str]:
    """Yield code spans and the lines of blocks, but for those of one language."""
    for block in blocks(page):
        if block.language != but:
            yield from block.text.splitlines()
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    yield from re.findall(r"`([^`\n]+)`", text)


def sections(page: Path, level: str) -> dict[str, str]:
    """Split a page at its headings of one level, by the first word of each, code marks left out."""
    parts = re.split(rf"^{level} (.+)$", page.read_text(encoding="utf-8"), flags=re.M)
    return {
        heading.replace("`", "").removeprefix("rankmark ").split()[0]: text
        for heading, text in zip(parts[1::2], parts[2::2], strict=True)
    }


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with the example collection."""
    for name in ("qrels.txt", "bm25.run", "lsa.run", "overlap.run", "queries.tsv", "corpus.tsv"):
        shutil.copy(COLLECTION / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run_examples(test: doctest.DocTest) -> None:
    told: list[str] = []
    failed = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=told.append).failed
    assert not failed, "".join(told)


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
@pytest.mark.usefixtures("collection")
def test_every_python_example_of_a_page_gives_what_it_shows(page: Path) -> None:
    run_examples(examples_of(page))


def examples_of(page: Path) -> doctest.DocTest:
    """Return the Python examples of a page as one test."""
    examples: list[doctest.Example] = []
    for block in blocks(page, "python"):
        here = doctest.DocTestParser().get_examples(block.text, page.name)
        assert here, f"{page.name}:{block.line}: write Python as it is typed, with >>>"
        for example in here:
            example.lineno += block.line - 1
        examples += here
    return doctest.DocTest(examples, {}, page.name, str(page), 0, None)


def documented_modules() -> list[str]:
    found = pkgutil.walk_packages(rankmark.__path__, "rankmark.")
    return ["rankmark", *(one.name for one in found if one.name != "rankmark.__main__")]


def has_examples(name: str) -> bool:
    origin = importlib.util.find_spec(name).origin or ""
    return origin.endswith(".py") and ">>> " in Path(origin).read_text(encoding="utf-8")


def test_every_module_can_be_imported() -> None:
    for name in documented_modules():
        if name == "rankmark.compat.torchmetrics.own_metrics":
            continue  # imported where torchmetrics is installed
        importlib.import_module(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*filter(has_examples, documented_modules())])
@pytest.mark.usefixtures("collection")
def test_every_docstring_example_of_a_module_gives_what_it_shows(name: str) -> None:
    for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        run_examples(test)


class Command(NamedTuple):
    """A command of a console block, what is shown below it, and the line on which it stands."""

    typed: str
    shown: str
    line: int


def commands(block: Block) -> list[Command]:
    lines = list(enumerate(block.text.splitlines(keepends=True), block.line))
    turn = 0

    def turn_of(numbered: tuple[int, str]) -> int:
        nonlocal turn
        turn += numbered[1].startswith("$ ")
        return turn

    found: list[Command] = []
    for number, group in groupby(lines, turn_of):
        (line, typed), *shown = group
        assert number, f"line {line}: a console block begins with a command: $ rankmark ..."
        found.append(Command(typed[2:].strip(), "".join(text for _, text in shown), line))
    return found


PLAIN = {"NO_COLOR": "1", "TERM": "dumb"}
ECHO = '; echo "exit code $?"'
PIPED = re.compile(r"rankmark ([^|<>;&()$]+) \| (.+)")


def outcome(typed: str, folder: Path) -> str:
    """Run a line and give its stdout and stderr in the order written.

    What needs no shell runs in this process, which takes a tenth of the time, as does a command
    whose output is piped into others.
    """
    if piped := PIPED.fullmatch(typed):
        done = CliRunner(env=PLAIN).invoke(app, shlex.split(piped[1]))
        return done.stderr + in_shell(piped[2], folder, done.stdout_bytes)
    lexer = shlex.shlex(typed.removesuffix(ECHO), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    name, *words = lexer
    if name == "rankmark" and not any(set(word) <= set("();<>|&") for word in words):
        done = CliRunner(env=PLAIN).invoke(app, words)
        return done.output + (f"exit code {done.exit_code}\n" if typed.endswith(ECHO) else "")
    return in_shell(typed, folder)


def in_shell(typed: str, folder: Path, given: bytes = b"") -> str:
    """Run a line in a shell, which is given something to read."""
    scripts = str(Path(sys.executable).parent)
    environment = os.environ | PLAIN
    environment |= {
        "PATH": os.pathsep.join([scripts, os.environ["PATH"]]),
        "LC_ALL": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
    }
    ran = subprocess.run(
        ["sh", "-c", typed],
        cwd=folder,
        env=environment,
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return ran.stdout.decode("utf-8")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="console blocks are lines for a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_prints_what_it_shows(page: Path, collection: Path) -> None:
    checker = doctest.OutputChecker()
    for block in blocks(page, "console"):
        for command in commands(block):
            printed = outcome(command.typed, collection)
            if not checker.check_output(command.shown, printed, FLAGS):
                pytest.fail(
                    f"{page.name}:{command.line}: $ {command.typed}\n"
                    f"--- shown\n{command.shown}--- printed\n{printed}",
                    pytrace=False,
                )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="they are lines for a POSIX shell")
def test_every_command_on_public_data_prints_what_it_shows(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shared_data / "dl-hard-passage")
    shown = [
        block
        for block in blocks(ROOT / "docs" / "how-to" / "explaining.md", "text")
        if block.text.startswith("$ rankmark")
    ]
    assert len(shown) >= 2
    for block in shown:
        for command in commands(block):
            printed = outcome(command.typed, shared_data / "dl-hard-passage")
            assert printed == command.shown, command.typed


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_block_says_its_language(page: Path) -> None:
    assert {block.language for block in blocks(page)} <= {"python", "console", "sh", "js", "text"}


def options(command: str) -> set[str]:
    parameters = COMMANDS[command].params
    named = [one.opts for one in parameters if one.param_type_name == "option"]
    return {option for names in named for option in names}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_command_and_option_that_a_page_names_exists(page: Path) -> None:
    known = SHARED_OPTIONS.union(*(options(command) for command in COMMANDS))
    if page.parent.name == "evidence":  # which names the programs that made its tables
        programs = (ROOT / "benchmarks").glob("*.py")
        known |= {
            option
            for program in programs
            for option in re.findall(r'add_argument\("(--[\w-]+)"', program.read_text("utf-8"))
        }
    for code in shown_code(page):
        for command in re.findall(r"(?:^|[$|;] ?)rankmark ([a-z][\w-]*)", code):
            assert command in COMMANDS, f"{page.name}: {code}"
        for option in re.findall(r"(?<![\w-])--[A-Za-z][\w-]*", code):
            assert option in known, f"{page.name}: {code}"


def test_every_measure_named_in_a_command_that_is_not_run_is_a_measure() -> None:
    for page in EVERY_PAGE:
        for line in shown_code(page, but="console"):
            if "rankmark" in line:
                named = re.findall(r"""(?<!python )-m "?([A-Za-z][^\s"]*)""", line)
                if "rankmark judge-clicks" in line:
                    assert {*named} <= {*get_args(Method)}, f"{page.name}: {line}"
                    continue
                online = re.search(r"rankmark (online|variants)\b", line)
                for name in named:
                    assert (online_measures if online else known_score)(name), f"{page}: {line}"


def test_every_name_that_another_tool_has_here_is_a_measure() -> None:
    """Read the tables of differences: their last column, and the first where names are the same."""
    named = []
    for line in (
        (ROOT / "docs" / "other-tools" / "differences.md").read_text(encoding="utf-8").splitlines()
    ):
        cells = line.strip("|").split(" | ")
        if not line.startswith("| ") or len(cells) > 3:
            continue
        here = cells[-1] + (cells[0] if "the same name" in cells[-1] else "")
        named += re.findall(r"`([A-Za-z][\w-]*(?:[(@][^`]*)?)`", here)
    assert len(named) > 50
    for name in named:
        assert measure(re.sub("@k$", "@10", name.replace("...", "1"))), name


@pytest.mark.slow
@pytest.mark.parametrize("script", ["draw_pictures.py", "draw_more_pictures.py"])
def test_the_pictures_of_the_course_are_those_that_its_scripts_draw(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = ROOT / "docs" / "learn"
    monkeypatch.syspath_prepend(str(course))
    shapes = importlib.import_module("shapes")
    monkeypatch.setattr(shapes, "PICTURES", tmp_path)
    runpy.run_path(str(course / script))["main"]()
    drawn = {picture.name: picture.read_text(encoding="utf-8") for picture in tmp_path.iterdir()}
    assert len(drawn) > 5
    for name, picture in drawn.items():
        kept = course / "pictures" / name
        assert picture == kept.read_text(encoding="utf-8"), f"python docs/learn/{script}"


def tiny() -> Evaluation:
    return evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, ["RR"])


def test_every_finding_of_a_check_is_documented() -> None:
    sources = (ROOT / "src" / "rankmark" / "verbs" / "check").glob("*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    codes = set(re.findall(r'(?:code=|self\._of\(\w+, )"([a-z0-9-]+)"', text))
    assert len(codes) > 20
    page = (ROOT / "docs" / "reference" / "findings.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.M)) == codes


def test_every_convention_has_a_section() -> None:
    page = ROOT / "docs" / "reference" / "conventions.md"
    chosen = set(tiny().settings) - {"measures", "qrels", "run"}
    assert chosen <= set(sections(page, "##"))


declared = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "declared.py")))
WITH_PLACES = [page for page in PAGES if declared.PLACE.search(page.read_text(encoding="utf-8"))]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_PLACES, ids=lambda page: page.name)
def test_what_the_site_adds_to_a_page_can_be_made_of_declarations(page: Path) -> None:
    if page.name == "interfaces.md":
        pytest.importorskip("ir_measures")
    for kind, given in declared.PLACE.findall(page.read_text(encoding="utf-8")):
        part = declared.PARTS[kind](*given.split())
        assert re.search(r"^(## |\| --- )", part, re.M)
        empty = re.search(r"^\| `.*\|   \|$", part, re.M) and kind in {"commands", "documents"}
        assert not empty, "say what it means in help= or a docstring"


@cache
def anchors(page: Path) -> set[str]:
    """Give what links may name behind a #, by the rule of GitHub; the site's parts included."""
    text = page.read_text(encoding="utf-8")
    # Each class of results has a heading; to make the fields below it takes seconds.
    classes = "\n".join(f"## {name}" for name in rankmark.__all__)
    text = text.replace("<!-- declared: documents -->", classes)
    headings = re.findall(r"^#+ (.+)$", declared.filled(text), re.M)
    return {re.sub(r"[^\w\- ]", "", one).lower().replace(" ", "-") for one in headings}


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"(?:\]\(|src=\")([^)\s\"]+)[)\"]", text):
        if not re.match(r"https?://", target):
            path, _, anchor = target.partition("#")
            to = (page.parent / path).resolve() if path else page
            assert to.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(to), f"{page.name}: {target}"


@pytest.mark.parametrize("page", PAGES[1:], ids=lambda page: page.name)
def test_every_page_of_the_documentation_is_listed_by_the_index_of_its_folder(page: Path) -> None:
    folder = page.parent.parent if page.name == "index.md" else page.parent
    if page.parent != ROOT / "docs":
        index = (folder / "index.md").read_text(encoding="utf-8")
        assert f"]({page.relative_to(folder).as_posix()})" in index


def test_every_figure_of_the_promises_stands_on_the_page_that_is_named() -> None:
    folder = ROOT / "docs" / "evidence"
    text = (folder / "index.md").read_text("utf-8").partition("## What each verdict")[0]
    promises = re.findall(r"^\| (?!promise|---)(.+) \|$", text, re.M)
    assert len(promises) > 9
    for row in promises:
        _, place, worst = row.split(" | ")
        page = (folder / re.findall(r"\((\S+?\.md)", place)[0]).read_text(encoding="utf-8")
        for figure in re.findall(r"[\d,]*\.?\d+", f"{place.partition(':')[2]} {worst}"):
            assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", page), f"{figure}: {row}"


def test_every_figure_of_the_verdicts_stands_on_the_page_that_it_leads_to() -> None:
    folder = ROOT / "docs" / "evidence"
    verdicts = (folder / "index.md").read_text("utf-8").partition("## What each verdict")[2]
    links = re.findall(r"\[([^\]]*\d[^\]]*)\]\((\S+?\.md)", verdicts)
    assert len(links) > 12
    for told, page in links:
        text = (folder / page).read_text(encoding="utf-8")
        for figure in re.findall(r"[\d,]*\.?\d+", told):
            assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", text), (figure, page)


@pytest.mark.parametrize("target", ["demo", "test", "lint", "bench", "help"])
def test_the_readme_names_what_make_offers(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:.*##", makefile, re.M)
    assert f"make {target}" in README.read_text(encoding="utf-8")


def test_the_chart_of_speed_is_drawn_from_the_recorded_benchmarks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    chart = importlib.import_module("speed_chart")
    times = chart.recorded(chart.PAGE.read_text(encoding="utf-8"))
    assert {"rankmark", "trec_eval", "pytrec_eval-terrier", "ir_measures", "ranx"} == {*times}
    shown = chart.CHART.read_text(encoding="utf-8")
    assert shown == chart.drawn(times), "python benchmarks/speed_chart.py"
    assert f"]({chart.CHART.relative_to(ROOT).as_posix()})" in README.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.name)
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for code in shown_code(page):
        for target in re.findall(r"(?:^|[;&] ?)make ([a-z]+)", code):
            assert re.search(rf"^{target}:", makefile, re.M), f"{page.name}: {code}"


NOTEBOOK = ROOT / "docs" / "start" / "notebook.ipynb"


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.slow
def test_every_cell_of_the_notebook_runs_and_shows_its_result() -> None:
    pytest.importorskip("matplotlib")
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    shown = [kinds(cell) for cell in executed(code).cells]
    assert [("error" in forms, bool(forms)) for forms in shown] == [(False, True)] * len(code)
