"""An editor knows the public interface: a strict type checker agrees with every asserted type."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_a_strict_type_checker_agrees_with_every_asserted_type(tmp_path: Path) -> None:
    settings = tmp_path / "mypy.ini"
    settings.write_text(
        "[mypy]\nstrict = True\npython_version = 3.11\n"
        "[mypy-pandas.*,pyarrow.*,scipy.*]\nignore_missing_imports = True\n"
    )
    done = subprocess.run(
        [
            *[sys.executable, "-m", "mypy", "public_api.py"],
            *["--config-file", settings, "--cache-dir", tmp_path / "cache"],
        ],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_that_it_is_typed() -> None:
    import rankmark

    assert (Path(rankmark.__file__).parent / "py.typed").is_file()
