"""Read a measure's name as the Python expression that it is, without the library's parser."""

import ast
from typing import Any


def parts(name: str) -> tuple[str, dict[str, Any], int | None]:
    """Give the name proper, its parameters and the cutoff: ``AP(rel=2)@5`` is AP, {rel: 2}, 5."""
    tree = ast.parse(name, mode="eval").body
    k = None
    if isinstance(tree, ast.BinOp):
        k = ast.literal_eval(tree.right)
        tree = tree.left
    parameters: dict[str, Any] = {}
    if isinstance(tree, ast.Call):
        parameters = {str(item.arg): ast.literal_eval(item.value) for item in tree.keywords}
        tree = tree.func
    return ast.unparse(tree), parameters, k
