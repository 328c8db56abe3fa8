"""Each profile was compared with its tool."""

from pathlib import Path

from rankmark.profiles.known import NAMES

HERE = Path(__file__).parent


def test_every_profile_is_compared_with_its_tool() -> None:
    files = {*HERE.rglob("test_*.py")} - {Path(__file__)}
    tests = "\n".join(file.read_text(encoding="utf-8") for file in files)
    # Of mteb-older, the difference from mteb is tested in tests/unit/profiles/test_profiles.py.
    missing = [name for name in NAMES if f'"{name}' not in tests and name != "mteb-older"]
    assert missing == [], "compare the names of each in tests/conformance/oracles"
