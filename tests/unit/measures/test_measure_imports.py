"""Measures are imported when they are used, under the same names as by the grammar."""

import subprocess
import sys

import pytest

import rankmark.measures
from rankmark.errors import MeasureError
from rankmark.measures.grammar import parse
from rankmark.measures.names import measures


def told(read, text):
    """The measures and their classes, or the error."""
    try:
        found = read(text)
    except MeasureError as error:
        return str(error)
    return found, [*map(type, found)]


@pytest.mark.parametrize("name", rankmark.measures.MODULES)
def test_a_canonical_name_is_what_the_grammar_reads(name):
    for written in ("{}", "{}@7", " {}@10 , {}", "{}@0", "{} @ 3", "{}@1,2"):
        text = written.format(*[name] * 2)
        assert told(measures, text) == told(parse, text)


@pytest.mark.slow
def test_other_measures_than_those_requested_are_not_imported():
    code = """
import sys
import rankmark
qrels, run = {"q": {"a": 1}}, {"q": {"a": 0.5}}
rankmark.evaluate(qrels, run, ["nDCG@10", "AP"])
imported = {name.removeprefix("rankmark.measures.") for name in sys.modules}
assert {"ndcg", "ap"} <= imported
assert not imported & {"grammar", "err", "rbp", "bpref"}
"""
    subprocess.run([sys.executable, "-c", code], check=True)
