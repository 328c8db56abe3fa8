"""Conventions are declared once: whoever lists them agrees, and takes one that is added."""

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import rankmark as rm
from rankmark.commands.app import app
from rankmark.compat.lightgbm import eval_metric, feval
from rankmark.compat.transformers import compute_metrics
from rankmark.compat.xgboost import custom_metric
from rankmark.conventions import DECLARED, Conventions
from rankmark.data.contract.reading_options import (
    OF_ITEMS,
    WITHOUT_EFFECT,
    Reading,
    ReadingOptions,
)
from rankmark.spark import compare as spark_compare
from rankmark.spark import evaluate as spark_evaluate
from rankmark.verbs.evaluate.evaluate_options import ConventionOptions, EvaluateOptions
from rankmark.verbs.plot.plot_request import conventions_in_words
from rankmark.verbs.reconcile import tools

GROUPS = ["Data", "Measures", "Conventions", "Reading"]
TAKING = {
    **{
        name: getattr(rm, name)
        for name in ("Accumulator", "compare", "explain", "gate", "gate_power", "power")
    },
    "reconcile": rm.reconcile,
    "scorer": rm.scorer,
    "spark.compare": spark_compare,
    "spark.evaluate": spark_evaluate,
    "compute_metrics": compute_metrics,
    "custom_metric": custom_metric,
    "eval_metric": eval_metric,
    "feval": feval,
}
COMMANDS = ("evaluate", "compare", "explain", "gate", "power", "report", "plot", "reconcile")


@pytest.mark.parametrize("name", DECLARED)
def test_evaluate_has_each_convention_with_its_default(name):
    assert inspect.signature(rm.evaluate).parameters[name].default == DECLARED[name].default
    assert name in ConventionOptions.__annotations__
    assert name in Conventions().to_dict()


def test_evaluate_has_the_keywords_of_its_options_and_no_others():
    _, _, _, *keywords = inspect.signature(rm.evaluate).parameters
    of_one = {"weights", "pass_score", "sampled"}  # of means; of trials; of what is asked for
    of_many = {"corpus", "unwinnable"}  # queries, of which others explain one
    assert {*keywords} == {*EvaluateOptions.__annotations__, *of_one, *of_many}
    assert {*Reading._fields} == {
        *(*ReadingOptions.__annotations__, "progress", *OF_ITEMS, "user_groups", *of_many),
    }


@pytest.mark.parametrize("name", ReadingOptions.__annotations__)
def test_an_option_of_reading_is_of_the_machine_or_says_what_inputs_contain(name):
    reading = Reading(**{name: 5})
    if name in WITHOUT_EFFECT:
        assert reading.is_plain
        assert reading.once_more() == reading, "add it to once_more, unless it is for one reading"
    else:
        assert not reading.is_plain, "add it to is_plain, or to WITHOUT_EFFECT"
        assert reading.of_contents() == {name: 5}


@pytest.mark.parametrize("name", TAKING)
def test_functions_that_take_conventions_show_each_with_its_default_and_text(name):
    function = TAKING[name]
    shown = inspect.signature(function).parameters
    told = inspect.getdoc(function)
    for one in DECLARED.values():
        default = None if name == "reconcile" else one.default
        assert shown[one.name].default == default
        text = text_of(one.name)
        assert text in told.split("\nConventions:\n")[1].split("\nReading:\n")[0]
    assert not any(one.kind is one.VAR_KEYWORD for one in shown.values())


@pytest.mark.parametrize("name", TAKING)
def test_an_unknown_keyword_is_refused_with_the_most_similar_one(name):
    called = name.rpartition(".")[2]
    message = rf"{called}\(\) got an unexpected keyword argument 'tie'. Did you mean 'ties'\?"
    with pytest.raises(TypeError, match=message):
        TAKING[name](tie="mean")


@pytest.mark.parametrize("name", DECLARED)
def test_reconcile_takes_over_each_convention_of_a_tool(name):
    taken = (*tools._BEFORE_FORMULA, *tools._AFTER_FORMULA)
    assert taken.count(name) == 1


def test_parameters_are_explained_in_groups():
    assert re.findall(r"^(.*):$", parameters_of(rm.evaluate), re.MULTILINE) == GROUPS
    for function in TAKING.values():
        named = re.findall(r"^(?! ).+$(?=\n    )", parameters_of(function), re.MULTILINE)
        explained = [one.strip("*") for line in named for one in line.split(", ")]
        assert sorted(explained) == sorted(inspect.signature(function).parameters)


def parameters_of(function):
    """Give the section on parameters of a docstring."""
    _, begun = inspect.getdoc(function).split("Parameters\n----------\n")
    return re.split(r"\n\n\w+\n---", begun)[0]


def text_of(name):
    """Give what evaluate's docstring says of a parameter."""
    lines = inspect.getdoc(rm.evaluate).splitlines()
    (first,) = (at for at, line in enumerate(lines) if name in line.split(", "))
    last = next(at for at in range(first + 1, len(lines)) if not lines[at].startswith(" "))
    return "\n".join(lines[first:last])


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_have_each_convention_with_its_words_and_default(name):
    command = app.get_command(click.Context(app), name)
    options = {option.name: option for option in command.params}
    for one in DECLARED.values():
        option = options[one.name]
        assert option.is_flag == one.is_flag
        if one.default is not None:
            assert option.get_default(click.Context(command)) == one.default
        if one.words and one.name != "queries":
            assert (*option.type.choices,) == one.words


@pytest.mark.parametrize("name", DECLARED)
def test_the_page_on_conventions_has_each(name):
    page = Path(__file__).parents[2] / "docs" / "reference" / "conventions.md"
    assert f"`{name}" in page.read_text(encoding="utf-8"), (
        f"docs/reference/conventions.md lacks {name}"
    )


@pytest.mark.parametrize("name", sorted({*DECLARED} - {"queries"}))
def test_the_titles_of_plots_tell_each_convention(name):
    one = DECLARED[name]
    texts = {"unit": ["#"], "qrels_unit": ["#"], "combine": ["best", "sum@2"]}
    for value in one.words or texts.get(name) or ([True] if one.is_flag else [5]):
        told = conventions_in_words(Conventions(**{name: value}))
        at_default = told == conventions_in_words(Conventions())
        assert at_default == (value == one.default), f"plot/captions.py has no words for {name}"


ADDED = {
    "conventions.py": {
        "    profile: str | None = None\n": """
    backwards: Flag = field(default=False, metadata=_option())
    profile: str | None = None
""",
        "    rel: Finite | None\n": """
    backwards: Flag
    rel: Finite | None
""",
    },
    "verbs/evaluate/evaluate.py": {
        "    unit_depth: FromOne | None = None,\n": """
    unit_depth: FromOne | None = None,
    backwards: Flag = False,
""",
        "        unit_depth,\n": """
        unit_depth,
        backwards,
""",
        "    profile\n        The name": """
    backwards
        Whether rankings are read from their end.
    profile
        The name""",
    },
}
"""What is written to add a convention, but for what it does to a ranking."""
ASKS = """
import inspect

import click
import rankmark as rm
from rankmark.commands.app import app
from rankmark.conventions import Conventions
from rankmark.verbs.reconcile import tools
from rankmark.verbs.reconcile.found_conventions import Inputs
from rankmark.measures import AP
from rankmark.verbs.gate.explain_command import ExplainCommand
from rankmark.verbs.gate.gate import gate
from rankmark.verbs.gate.gate_config import ConfigFile

chosen = Conventions(backwards=True)
assert str(chosen).endswith(" backwards=True"), chosen
assert chosen.to_dict()["backwards"] is True
for name in {commands}:
    options = [one.name for one in app.get_command(click.Context(app), name).params]
    assert "backwards" in options, name
assert ConfigFile.read("gate.toml", gate).contents({{}}).conventions == {{"backwards": True}}
line = ExplainCommand.of("q", "a", "b", {{"backwards": True}}).line("q1", AP)
assert line.endswith("--backwards"), line
command = Inputs("q", "a", {{}}).command([AP], {{"backwards": True}})
assert command.endswith("--backwards"), command
try:
    Conventions(backwards="yes")
except ValueError as error:
    assert "need True or False" in str(error)
else:
    raise AssertionError
assert "backwards" in tools._BEFORE_FORMULA

from rankmark.compat.torchmetrics.any_metric import Metric
from rankmark.compat.lightgbm import feval
from rankmark.compat.transformers import compute_metrics
from rankmark.spark import compare, evaluate

names = "evaluate compare explain gate gate_power power Accumulator scorer reconcile reward".split()
functions = [getattr(rm, name) for name in names]
for function in (*functions, evaluate, compare, feval, compute_metrics, Metric):
    default = None if function is rm.reconcile else False
    assert inspect.signature(function).parameters["backwards"].default is default, function
    told = inspect.getdoc(function)
    assert "backwards\\n    Whether rankings are read from their end." in told, function

qrels = {{"q": {{"a": 1}}, "r": {{"a": 1}}}}
run = {{"q": {{"a": 2.0, "b": 1.0}}, "r": {{"b": 2.0}}}}
chosen = {{"backwards": True}}
acc = rm.Accumulator("AP", **chosen)
acc.update(qrels, run)
for conventions in (
    rm.evaluate(qrels, run, "AP", **chosen).settings,
    rm.compare(qrels, {{"a": run, "b": run}}, "AP", **chosen).evaluations["b"].settings,
    rm.explain(qrels, run, "q", "AP", **chosen).settings,
    rm.explain(qrels, run, measure="AP", against=run, **chosen).settings,
    rm.gate(qrels, run, run, "AP", max_drop=0.1, **chosen).settings,
    rm.gate_power(qrels, run, run, "AP", max_drop=0.1, **chosen).settings,
    rm.power(qrels, run, {{"q": {{"b": 1.0}}}}, "AP", **chosen).settings,
    acc.result().settings,
):
    assert conventions["backwards"] is True, conventions
found = rm.reconcile(qrels, run, "AP", "0.1234", **chosen)
assert "backwards=True" in found.nearest[0].call, found.nearest[0].call
"""


@pytest.mark.slow
def test_a_convention_that_is_declared_is_taken_everywhere(tmp_path):
    """A copy of the package has one more; only what it does to a ranking is not written."""
    package = tmp_path / "rankmark"
    shutil.copytree(Path(rm.__file__).parent, package)  # with what is compiled and stays as it is
    for file, replaced in ADDED.items():
        text = (package / file).read_text(encoding="utf-8")
        for place, added in replaced.items():
            assert text.count(f"\n{place}") == 1
            text = text.replace(f"\n{place}", added)
        (package / file).write_text(text, encoding="utf-8")
    (tmp_path / "gate.toml").write_text(
        '[[conditions]]\nmeasure = "AP"\nmax_drop = 0.1\n[conventions]\nbackwards = true\n'
    )
    asks = ASKS.format(commands=COMMANDS)
    done = subprocess.run(
        [sys.executable, "-c", asks],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
