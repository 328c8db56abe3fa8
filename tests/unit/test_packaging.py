"""What the package index shows, the licences of what is compiled in, and the tag of a release."""

import importlib.util
import re
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://example.org/someone/rankmark"


def packaging_file(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / f"packaging/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page() -> ModuleType:
    return packaging_file("project_page")


def test_links_of_the_readme_lead_to_the_repository(
    page: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKMARK_REPOSITORY", f"{REPOSITORY}/")
    shown = page.dynamic_metadata({}, {})
    text = shown["readme"]["text"]
    targets = re.findall(r'\]\(([^)]+)\)|src="([^"]+)"', text)
    assert len(targets) > 10
    assert [one for pair in targets for one in pair if one and not one.startswith("http")] == []
    tag = f"v{shown['version']}"
    for kind, path in re.findall(rf"{REPOSITORY}/(blob|raw)/{tag}/([^)\"#]+)", text):
        assert (ROOT / path).is_file(), path
        assert (kind == "raw") == path.endswith((".svg", ".png"))
    assert shown["urls"]["Source"] == REPOSITORY


def test_without_an_address_the_readme_is_as_it_is(
    page: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANKMARK_REPOSITORY", raising=False)
    shown = page.dynamic_metadata({}, {})
    assert shown["readme"]["text"] == (ROOT / "README.md").read_text("utf-8")
    assert shown["urls"] == {}


def test_licences_are_those_of_what_is_compiled_in() -> None:
    try:
        nanobind = distribution("nanobind")
    except PackageNotFoundError:
        pytest.skip("needs nanobind, with which the core is built")
    licence = next(one for one in nanobind.files or () if one.name == "LICENSE")
    header = next(one for one in nanobind.files or () if one.name == "robin_map.h")
    assert (ROOT / "LICENSES/nanobind.txt").read_text("utf-8") == licence.read_text("utf-8")
    comment = header.read_text("utf-8").partition("*/")[0]
    lines = [line.removeprefix(" *").strip() for line in comment.splitlines()[1:]]
    written = (ROOT / "LICENSES/robin-map.txt").read_text("utf-8")
    assert [line for line in written.splitlines() if line] == [line for line in lines if line]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_release_may_have_the_tag_of_its_commit_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    release = packaging_file("release")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    git("init")
    git("commit", "--allow-empty", "-m", "First")
    assert "v1 is free" in release.check_tag("1")
    git("tag", "v1")
    assert "v1 is of this commit" in release.check_tag("1")
    git("commit", "--allow-empty", "-m", "Second")
    with pytest.raises(release.WrongError, match="v1 exists, at another commit"):
        release.check_tag("1")
    (tmp_path / "new").touch()
    with pytest.raises(release.WrongError, match="not committed"):
        release.check_tag("2")
