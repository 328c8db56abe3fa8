"""Cells executed in a Jupyter kernel, and what they show."""

from collections.abc import Sequence
from typing import Any

import pytest


def executed(cells: Sequence[str], folder: str = ".") -> Any:
    """Execute a notebook of these cells in a folder, and return it; skip without Jupyter."""
    client = pytest.importorskip("nbclient")
    formats = pytest.importorskip("nbformat.v4")
    pytest.importorskip("ipykernel")
    notebook = formats.new_notebook(cells=[formats.new_code_cell(cell) for cell in cells])
    client.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        allow_errors=True,
        resources={"metadata": {"path": folder}},
    ).execute()
    return notebook


def kinds(cell: Any) -> list[str]:
    """List the forms of everything that a cell shows."""
    return [
        form
        for output in cell.outputs
        for form in output.get("data", {output.output_type: None})
        if output.output_type != "stream"
    ]
