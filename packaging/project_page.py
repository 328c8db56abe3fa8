"""What the package index shows: version, addresses, and the README with links that work there.

scikit-build-core calls this when metadata is made. The repository's address is that in
RANKMARK_REPOSITORY, which .github/workflows/wheels.yml sets, so that a fork names itself; without
it the README is as it is, and there are no addresses.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
VERSION = ROOT / "src/rankmark/version.py"
_LINK = re.compile(r'(\]\(|src=")(?!https?://|#)([^)"]+)')


def dynamic_metadata(
    _settings: Mapping[str, Any], _project: Mapping[str, Any]
) -> dict[str, str | dict[str, str]]:
    """Return the version, the README and the addresses of the project."""
    (version,) = re.findall('^__version__ = "(.*)"$', VERSION.read_text("utf-8"), re.MULTILINE)
    repository = os.environ.get("RANKMARK_REPOSITORY", "").rstrip("/")
    text, urls = (ROOT / "README.md").read_text("utf-8"), {}
    if repository:
        text = with_addresses(text, repository, f"v{version}")
        urls = addresses(repository, f"v{version}")
    readme = {"content-type": "text/markdown", "text": text}
    return {"version": version, "readme": readme, "urls": urls}


def addresses(repository: str, tag: str) -> dict[str, str]:
    """Return the addresses of a repository, of which the package index knows the names."""
    return {
        "Source": repository,
        "Documentation": f"{repository}/blob/{tag}/docs/index.md",
        "Changelog": f"{repository}/blob/{tag}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }


def with_addresses(text: str, repository: str, tag: str) -> str:
    """Replace paths of files in a README by their addresses in a repository, at a tag."""

    def address(found: re.Match[str]) -> str:
        kind = "raw" if Path(found[2]).suffix in {".svg", ".png"} else "blob"
        return f"{found[1]}{repository}/{kind}/{tag}/{found[2]}"

    return _LINK.sub(address, text)
