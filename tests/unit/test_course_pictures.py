"""The pictures of the course show rankmark's own values: they are what their scripts draw."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

LEARN = Path(__file__).resolve().parents[2] / "docs" / "learn"
SCRIPTS = sorted(LEARN.glob("draw_*.py"))


def loaded(script: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_pictures_are_what_their_script_draws(
    script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(LEARN))
    drawing = loaded(script)
    for module in (drawing, sys.modules.get("shapes")):
        if hasattr(module, "PICTURES"):
            monkeypatch.setattr(module, "PICTURES", tmp_path)
    drawing.main()
    drawn = sorted(tmp_path.iterdir())
    assert drawn
    for picture in drawn:
        shown = (LEARN / "pictures" / picture.name).read_text(encoding="utf-8")
        assert picture.read_text(encoding="utf-8") == shown, (
            f"draw docs/learn/pictures/{picture.name} anew: python docs/learn/{script.name}"
        )


def test_every_picture_of_the_course_is_on_a_page() -> None:
    found = [*LEARN.glob("*.md"), *(LEARN.parent / "how-to").glob("*.md")]
    pages = "".join(page.read_text(encoding="utf-8") for page in found)
    for picture in (LEARN / "pictures").iterdir():
        assert f"pictures/{picture.name})" in pages
