"""The JSON Schemas of documents: they are published, current, and hold for every document."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankmark as rm
from json_schemas import FILE, documents, schemas, text_of
from rankmark.commands.app import app
from rankmark.commands.schema import DOCUMENTS
from rankmark.results.json_schema import has_schema, json_schema
from reliability import determinism
from unit.results.made_results import RESULTS, made

jsonschema = pytest.importorskip("jsonschema")


def refuse(document: Any, *names: str) -> None:
    """Fail where a document does not have one of some schemas."""
    validator = jsonschema.Draft202012Validator(json_schema(*names))
    assert [error.message for error in validator.iter_errors(document)][:3] == []


@pytest.mark.slow
def test_the_schemas_are_those_that_results_declare_now() -> None:
    assert text_of(schemas()) == FILE.read_text(encoding="utf-8"), "run tests/json_schemas.py"


@pytest.mark.parametrize("name", json.loads(FILE.read_text(encoding="utf-8")))
def test_every_schema_is_one(name: str) -> None:
    found = json_schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    referred = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(found)))
    assert referred == {*found["$defs"]}


@pytest.mark.parametrize("name", RESULTS)
def test_the_document_of_every_result_has_its_schema(name: str) -> None:
    found = made(name)
    document = json.loads(found.to_json())
    kind = next(base for base in type(found).__mro__ if has_schema(base.__name__))
    assert found.json_schema() == json_schema(kind.__name__)
    refuse(document, kind.__name__)


@pytest.mark.slow
def test_documents_with_all_that_can_be_asked_for_have_their_schema() -> None:
    for name, document, _ in documents():
        refuse(json.loads(json.dumps(document)), name)


@pytest.mark.slow
def test_what_commands_write_has_the_schema_of_the_command(tmp_path: Path) -> None:
    determinism.make_collection(tmp_path)
    tried = set()
    for _, words, form in determinism.commands(tmp_path, with_plots=False):
        if words[0] in DOCUMENTS and form in {"json", "jsonl"}:
            printed = CliRunner().invoke(app, words).stdout
            for text in [printed] if form == "json" else printed.splitlines():
                refuse(json.loads(text), *DOCUMENTS[words[0]])
            tried.add(words[0])
    for name in ("measures", "profiles", "cases"):
        refuse(
            json.loads(CliRunner().invoke(app, [name, "--format", "json"]).stdout), *DOCUMENTS[name]
        )
    assert len(tried) > 6


@pytest.mark.parametrize("change", ["scores", "audit", "schema"])
def test_a_document_that_lacks_a_field_or_has_another_type_is_told(change: str) -> None:
    document = made("evaluation").to_dict()
    validator = jsonschema.Draft202012Validator(rm.Evaluation.json_schema())
    assert validator.is_valid(document)
    assert not validator.is_valid({**document, change: "text"})
    assert not validator.is_valid({name: document[name] for name in document if name != change})
    assert validator.is_valid({**document, "added later": 1})


def test_every_command_with_json_has_documents() -> None:
    with_json = {
        name
        for name in app.list_commands(None)
        for one in getattr(app.get_command(None, name), "params", [])
        if "--format" in one.opts and "json" in one.type.choices
    }
    assert with_json == {*DOCUMENTS}
    assert all(map(has_schema, {name for names in DOCUMENTS.values() for name in names}))


def test_the_command_prints_a_schema() -> None:
    printed = CliRunner().invoke(app, ["schema", "evaluate"]).stdout
    assert json.loads(printed) == json_schema("Evaluation", "Evaluations")
    assert CliRunner().invoke(app, ["schema", "fuse"]).exit_code == 2
