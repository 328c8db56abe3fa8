"""Headers of run files in the schema ir_metadata: comments that describe an experiment.

Breuer, Keller and Schaer 2022, ir_metadata: an extensible metadata schema for IR experiments,
SIGIR, pages 3078-3089; https://www.ir-metadata.org.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_START, _END = "# ir_metadata.start", "# ir_metadata.end"
_VERSION = "0.1"


def found_header(text: str) -> str | None:
    """Return the header at the beginning of a run's text, its first and last line included."""
    lines = text.removeprefix("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != _START:
        return None
    for number, line in enumerate(lines):
        if line.rstrip() == _END:
            return "\n".join(each.rstrip() for each in lines[: number + 1]) + "\n"
        if not line.startswith("#"):
            break
    return None


def evaluation_header(
    *,
    tag: str,
    qrels: str,
    measures: Sequence[str],
    baseline: str | None,
    tests: Sequence[str],
) -> str:
    """Return a header on the evaluation of a run: test collection, measures, baseline and tests.

    How the run was made is for its authors to say: platform, implementation, method and actor are
    left out.
    """
    evaluation: dict[str, Any] = {"reported_measures": list(measures)}
    if baseline is not None:
        evaluation["baseline"] = [baseline]
    if tests:
        evaluation["significance_test"] = [{"name": test} for test in tests]
    content = {
        "schema version": _VERSION,
        "tag": tag,
        "research goal": {"evaluation": evaluation},
        "data": {"test_collection": {"qrels": qrels}},
    }
    lines = [_START, *(f"# {line}" for line in _yaml(content, "")), _END]
    return "\n".join(lines) + "\n"


def _yaml(content: Mapping[str, Any], indent: str) -> list[str]:
    lines = []
    for key, value in content.items():
        if isinstance(value, Mapping):
            lines += [f"{indent}{key}:", *_yaml(value, indent + "  ")]
        elif isinstance(value, list):
            lines.append(f"{indent}{key}:")
            for item in value:
                text = f"name: {_scalar(item['name'])}" if isinstance(item, dict) else _scalar(item)
                lines.append(f"{indent}  - {text}")
        else:
            lines.append(f"{indent}{key}: {value if key == 'schema version' else _scalar(value)}")
    return lines


def _scalar(value: str) -> str:
    """Write text as YAML reads it: JSON's strings are YAML's, in ASCII."""
    return json.dumps(value)
