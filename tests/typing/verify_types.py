"""All public types are known to pyright, which users' editors run: ``make verifytypes``.

It looks at the package as it is installed beside this Python; give it the path of pyright.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# These inherit from torchmetrics' classes, whose types are known where it is installed.
OF_TORCHMETRICS = "rankmark.compat.torchmetrics.own_metrics."


def main() -> None:
    """Run pyright, and print each symbol whose type it does not know."""
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.argv[1], "--outputjson", "--ignoreexternal", "--verifytypes", "rankmark"],
        env=os.environ | {"PATH": beside, "VIRTUAL_ENV": sys.prefix},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if not done.stdout.startswith("{"):
        raise SystemExit(done.stdout + done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    symbols = found["typeCompleteness"]["symbols"]
    lacks_torchmetrics = importlib.util.find_spec("torchmetrics") is None
    unknown = [
        symbol
        for symbol in symbols
        if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]
        if not (lacks_torchmetrics and symbol["name"].startswith(OF_TORCHMETRICS))
    ]
    for symbol in unknown:
        print(symbol["name"])
        for one in symbol["diagnostics"]:
            print(f"  {one['message']} ({one.get('file')})")
    exported = sum(symbol["isExported"] for symbol in symbols)
    print(f"{exported:,} public symbols, {len(unknown)} with a type that is not known")
    if exported < 1000:
        raise SystemExit("the package that pyright found is not rankmark as it is")
    sys.exit(bool(unknown))


if __name__ == "__main__":
    main()
