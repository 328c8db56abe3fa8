"""Every writer with a name that means something in every format; `make injection` tries more."""

from collections import Counter
from pathlib import Path

import pytest

import rankmark as rm
from reliability import injection

pytestmark = pytest.mark.slow
MEANT_FOR_ALL = "=\x1b]8;;x\x07\u202e\r\n::error::]]>--><script>'\"|`*[l](x)$(id)\\\\input{x}%&#_"


def test_no_name_changes_the_structure_of_what_results_write() -> None:
    tried: Counter[str] = Counter()
    plain = {(form, where): text for form, where, text in injection.written(["harmless"])}
    for form, where, text in injection.written([MEANT_FOR_ALL]):
        said = injection.faults(form, text, plain[form, where])
        assert said is None, (where, said)
        tried[form] += 1
    assert {*tried} == {*injection.WRITERS}


@pytest.mark.parametrize("name", [MEANT_FOR_ALL])
def test_no_path_title_or_slice_changes_pages_commands_or_jobs(name: str, tmp_path: Path) -> None:
    plain = {
        (form, where): text for form, where, text in injection.in_files(["harmless"], tmp_path)
    }
    tried = set()
    for form, where, text in injection.in_files([name], tmp_path):
        assert injection.faults(form, text, plain[form, where]) is None, where
        tried.add(form)
    assert tried >= {"report page", "shell", "GitHub workflow", "LaTeX", "JUnit XML"}


def test_every_public_writer_is_tried() -> None:
    known = injection.ELSEWHERE | {m for forms in injection.WRITERS.values() for m in forms}
    with rm.quiet():
        results = [type(make()) for _, make in injection.results(["harmless"])]
    public = {name for one in results for name in dir(one) if name.startswith("to_")}
    assert public <= known


@pytest.mark.parametrize("name", ["\x1b[1mX", "a\x9b2Jb", "\u202eb\u2028c\x07", "\x1b\\"])
def test_no_control_character_reaches_text_or_safe_csv(name: str) -> None:
    for form, where, text in injection.written([name]):
        if form in {"text", "text, folded", "Markdown", "LaTeX", "HTML", "CSV, safe"}:
            raw = {c for c in text if not c.isprintable()} - {"\n"}
            assert not raw, (form, where)


def test_no_control_character_of_a_path_reaches_a_message(tmp_path: Path) -> None:
    name = str(tmp_path / "\x1b[31m*.run")
    for read in (
        lambda: rm.evaluate({"q": {"a": 1}}, name),
        lambda: rm.compare({"q": {"a": 1}}, [name]),
        lambda: rm.leaderboard(name),
    ):
        with pytest.raises(rm.RankmarkError) as caught:
            read()
        assert str(caught.value).isprintable()
        assert r"\x1b[31m" in str(caught.value)


def test_a_caption_is_one_paragraph_of_latex() -> None:
    runs = {"a": {"q": {"d": 1.0}}, "b": {"q": {"e": 1.0}}}
    compared = rm.compare({"q": {"d": 1}}, runs, "AP", resamples=10)
    assert r"\caption{two \textbackslash{}x1b lines}" in compared.to_latex(
        caption="two\n\n\x1b\r\nlines"
    )
