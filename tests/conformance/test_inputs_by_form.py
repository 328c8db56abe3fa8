"""The page of inputs by form says what happens."""

from conformance.inputs_by_form import CASES, PAGE, page


def test_the_page_is_as_the_forms_are_read_now() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run inputs_by_form.py again"


def test_every_form_is_there_once() -> None:
    written = [(case.written, case.said) for cases in CASES.values() for case in cases]
    assert len(written) == len(set(written))
