"""Write the JSON Schema of each document that results and commands write, into the package.

``python tests/json_schemas.py``. A schema follows from what the classes of results declare: the
annotations and docstrings of their fields and rows; and from documents of many results, where a
field has no annotation. ``tests/unit/results/test_json_schemas.py`` compares it with the file.
"""

import contextlib
import inspect
import json
import re
import runpy
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from click.testing import CliRunner

import rankmark as rm
from rankmark.commands.app import app
from rankmark.results.result import Result
from rankmark.verbs.gate.gates import Gates
from unit.results.made_results import EXAMPLE, NEW, OLD, QRELS, RESULTS, made

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "src" / "rankmark" / "results" / "json_schemas.json"
MAPS = {
    *("scores", "asked", "tie_interval", "bounds", "sampling_errors", "per_query", "runs"),
    *("areas", "best_alone", "weights", "coefficients", "undefined", "ways", "total_costs"),
    *("intervals", "dropped_tasks", "held_out", "alphas", "figures", "slices", "relabel", "moves"),
    *("values", "explanations", "lists", "conventions", "tried", "start", "given", "reasons"),
    *("gates", "columns", "held_out_means", "differs", "reached", "symbols", "by_task"),
}
"""Fields whose names come from the data: of runs, queries, measures and figures."""
OF_CONVENTIONS = {"conventions", "given", "tried", "settings"}
"""Maps whose values may be of any type, as keywords may."""
LOOSE = {"facts", "places", "ties"}
"""Objects that have only what is known, or what there is to say."""
OF_MAPS = {"per_query", "coefficients", "ways"}
"""Those whose values are such, too."""
JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
ANNOTATED = {kind.__name__: word for kind, word in JSON_TYPES.items()} | {
    **dict.fromkeys(["list", "tuple", "Sequence"], "array"),
    **dict.fromkeys(["dict", "Mapping"], "object"),
}
NESTED = {
    "source": ("", {"form"}),
    "audit": ("", {"averaged", "judged_at_10"}),
    "GivenScores": ("", {"name", "queries", "scores", "sources"}),
    "Evaluation": ("", {"rankmark", "audit", "scores"}),
    "Comparison": ("", {"rankmark", "leaderboard", "differences"}),
    "Explanation": ("", {"rankmark", "formula", "ideal"}),
    "FusionBounds": ("", {"rankmark", "oracle", "ideal"}),
    "GateResult": ("", {"rankmark", "verdict", "conditions"}),
    "interval": ("", {"estimate", "low", "high"}),
}
"""What stands in several documents, each a schema of its own: the field, if only that has it, and
some of its fields."""
TEXT, WHOLE = {"type": ["string", "null"]}, {"type": ["integer", "null"]}
KNOWN = {
    **dict.fromkeys(["sha256", "unit", "qrels_unit", "note"], TEXT),
    **dict.fromkeys(["depth", "unit_depth"], WHOLE),
    "normalised": {"type": ["number", "null"]},
}
"""Fields without an annotation that are often null."""
VERSIONS = {
    "schema": {
        "type": "integer",
        "description": "The version of the document's form; it increases if a field changes its "
        "meaning or is removed.",
    },
    "rankmark": {"type": "string", "description": "The version of rankmark."},
}


@cache
def declared() -> Any:
    return SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "declared.py")))


class Kinds:
    """The classes of a result and of what it holds, which say what fields are."""

    def __init__(self, found: Any) -> None:
        self.classes = declared().kinds_of(found)
        self.bases = dict.fromkeys(base for kind in self.classes for base in kind.__mro__)
        self.names = declared().names_in(found)
        self.annotation = cache(self._annotation)  # rows have the same fields

    def _annotation(self, name: str) -> str:
        """Return the annotation of a field, or of the property of that name; "" if it has none."""
        for base in self.bases:
            one = vars(base).get(name)
            returned = getattr(getattr(one, "fget", None), "__annotations__", {}).get("return")
            if written := vars(base).get("__annotations__", {}).get(name, returned):
                return str(written)
        return ""

    def about(self, names: Any) -> dict[str, str]:
        return declared().said(self.classes, names)


def is_alone(nested: str, value: dict[str, Any]) -> bool:
    """Say whether fields that stand in others, too, are all there is."""
    if nested == "interval":
        return {*value} <= {"estimate", "low", "high", "undefined"}
    return nested != "source" or isinstance(value["form"], str)


found_in_documents: dict[str, list[dict[str, Any]]] = {}


def schema_of(value: Any, name: str, kinds: Kinds) -> dict[str, Any]:
    """Return the schema of a value, of a field with a name."""
    if isinstance(value, dict):
        for nested, (field, fields) in NESTED.items():
            if field in {"", name} and fields <= {*value} and is_alone(nested, value):
                found_in_documents.setdefault(nested, []).append(
                    of_object(value, "", kinds, is_map=False)
                )
                return {"refs": [f"#/$defs/{nested}"]}
        return of_object(value, name, kinds, is_map=name in MAPS)
    if name in KNOWN and not isinstance(value, list):
        return KNOWN[name]
    annotation = kinds.annotation(name)
    if isinstance(value, list):
        items = [schema_of(each, name, kinds) for each in value]
        found = {"type": ["array"], "items": merged(items)}
    elif value is None:
        kind = ANNOTATED.get(re.split(r"[ [.]", annotation)[0])
        found = {"type": [kind] if kind else []}
    else:
        word = next(word for kind, word in JSON_TYPES.items() if isinstance(value, kind))
        found = {"type": [word]}
    # NaN becomes null, and so may what no annotation says.
    if value is None or type(value) is float or not annotation or "None" in annotation:
        found["type"].append("null")
    return found


def of_object(value: dict[str, Any], name: str, kinds: Kinds, *, is_map: bool) -> dict[str, Any]:
    if name in OF_CONVENTIONS:
        return {"type": ["object"]}
    if is_map:
        inner = name if name in OF_MAPS else ""
        each = [
            of_object(one, inner, kinds, is_map=True)
            if inner and isinstance(one, dict)
            else schema_of(one, "", kinds)
            for one in value.values()
        ]
        return {"type": ["object"], "additionalProperties": merged(each)}
    told = kinds.about(value)
    properties, others = {}, []
    for field, each in value.items():
        found = schema_of(each, field, kinds)
        if field in kinds.names:
            others.append(found)
            continue
        if about := told.get(field, ""):
            found["description"] = " ".join(about.replace("``", "`").split())
        properties[field] = VERSIONS.get(field, found) if field in VERSIONS else found
    needed = {*properties} - {"undefined"}
    if name in LOOSE or (name and not all(map(kinds.annotation, needed))):
        needed = set()
    made = {"type": ["object"], "properties": properties, "required": sorted(needed)}
    return made | ({"additionalProperties": merged(others)} if others else {})


def merged(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the schema of what fits one of several."""
    if not schemas:
        return {}
    first, *others = schemas
    for other in others:
        first = both(first, other)
    return first


def both(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    if not a or not b:
        return a or b
    if a == b:
        return a
    if "refs" in a or "refs" in b:
        others = [*{one: 1 for each in (a, b) for one in each.get("refs", [])}]
        is_null = any(each.get("may_be_null") or "null" in each.get("type", []) for each in (a, b))
        about = a.get("description") or b.get("description")
        found = {"refs": others} | ({"may_be_null": True} if is_null else {})
        return found | ({"description": about} if about else {})
    types = sorted({*listed(a["type"]), *listed(b["type"])})
    if "number" in types and "integer" in types:
        types.remove("integer")
    found: dict[str, Any] = {"type": types}
    for key in ("items", "additionalProperties"):
        if key in a or key in b:
            found[key] = both(a.get(key, {}), b.get(key, {}))
    if "properties" in a or "properties" in b:
        mine, theirs = a.get("properties", {}), b.get("properties", {})
        found["properties"] = {
            name: both(mine.get(name, {}), theirs.get(name, {})) for name in (*mine, *theirs)
        }
        needed = [set(one["required"]) for one in (a, b) if "required" in one]
        found["required"] = sorted(set.intersection(*needed))
    about = a.get("description") or b.get("description")
    return found | ({"description": about} if about else {})


def listed(types: Any) -> list[str]:
    return [types] if isinstance(types, str) else types


def tidy(schema: dict[str, Any]) -> dict[str, Any]:
    """Write a schema shortly: one type as text, and nothing that allows everything."""
    found = dict(schema)
    if "refs" in found:
        choices = [{"$ref": one} for one in found.pop("refs")]
        choices += [{"type": "null"}] * found.pop("may_be_null", False)
        return found | (choices[0] if len(choices) == 1 else {"anyOf": choices})
    types = sorted({*listed(found.pop("type", []))} - {"null"})
    if types:  # null alone says nothing of what else there may be
        types += ["null"] * ("null" in schema["type"])
        found = {"type": types[0] if len(types) == 1 else types} | found
    for key in ("items", "additionalProperties"):
        if key in found:
            found[key] = tidy(found[key])
            if not found[key]:
                del found[key]
    if "properties" in found:
        found["properties"] = {name: tidy(each) for name, each in found["properties"].items()}
        if not found["required"]:
            del found["required"]
    return found


def documents() -> Iterator[tuple[str, dict[str, Any], Kinds]]:
    """Yield many documents: the class of the result, the document, and what its classes say."""
    repeated = rm.gate(QRELS, [OLD, {**OLD}], [NEW, OLD], rm.Condition("AP", 0.1))
    scores = {f"q{at}": {"AP": at % 3 / 2, "RR": 1.0} for at in range(20)}
    of_scores = rm.gate(None, scores, scores, "AP", max_drop=0.1)
    traffic = rm.choose_queries(n=3, method="traffic", weights={"q1": 3, "q2": 1})
    others = repeated, of_scores, traffic, Gates({"a": made("gate")}), rm.measures()
    for found in [*map(made, RESULTS), *of_examples(), *others]:
        name, kinds = type(found).__name__, Kinds(found)
        name = "Evaluation" if name == "Trials" else name
        writer = getattr(found, "_contents", found.to_dict)
        choices = [
            one.name
            for one in inspect.signature(writer).parameters.values()
            if one.kind is one.KEYWORD_ONLY and isinstance(one.default, bool)
        ]
        for chosen in (dict.fromkeys(choices, True), dict.fromkeys(choices, False)):
            with contextlib.suppress(rm.RankmarkError):
                yield name, found.to_dict(**chosen), kinds


@cache
def of_examples() -> tuple[Any, ...]:
    """Return the results of the examples in the docstrings of public names."""
    found: list[Any] = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
        warnings.simplefilter("ignore")
        with contextlib.chdir(folder):
            for name in ["testing.which_convention", *rm.__all__]:
                found += declared().made_by(attrgetter(name)(rm))
    return tuple(one for one in found if isinstance(one, Result) and hasattr(one, "to_dict"))


def of_commands() -> dict[str, Any]:
    """Return the schemas of documents that commands write, and of tables with any columns."""
    evaluation, cases = Kinds(made("evaluation")), written("cases")
    cases_kinds = Kinds(made("evaluation"))
    for case in cases["cases"]:
        cases_kinds.names |= {*case["judged"], *case["run"]}
    runs = [str(EXAMPLE / name) for name in ("qrels.txt", "bm25.run", "lsa.run")]
    several = written("evaluate", *runs, "-m", "AP")
    profile = Kinds(rm.profiles()[0])
    every = [of_object(one, "", profile, is_map=False) for one in written("profiles")]
    rows = {"type": ["array"], "items": {"type": ["object"]}}
    return {
        "Table": {"type": ["object"], "properties": {"rows": rows}, "required": ["rows"]},
        "Evaluations": of_object(several, "", evaluation, is_map=False),
        "Profile": merged(every),
        "Profiles": {"type": "array", "items": {"refs": ["#/$defs/Profile"]}},
        "Cases": of_object(cases, "", cases_kinds, is_map=False),
    }


def written(*words: str) -> Any:
    return json.loads(CliRunner().invoke(app, [*words, "--format", "json"]).stdout)


@cache
def schemas() -> dict[str, Any]:
    """Return the schema of each document, and of what stands in several, by its name."""
    found_in_documents.clear()
    for name, document, kinds in documents():
        made_of = of_object(document, "", kinds, is_map=False)
        found_in_documents.setdefault(name, []).append(made_of)
    alone = of_commands()
    every = {name: merged(several) for name, several in found_in_documents.items()} | alone
    return {name: tidy(one) for name, one in sorted(every.items())}


def text_of(found: dict[str, Any]) -> str:
    """Write a line for each schema."""
    lines = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(text_of(schemas()), encoding="utf-8")
