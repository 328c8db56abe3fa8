"""Load a function that is named as ``module:function``, or ``file.py:function``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from types import ModuleType
from typing import Any

from rankmark.errors import InputError, one_line, shown

_FORM = "write MODULE:FUNCTION, such as mymodule:ndcg, or FILE.py:FUNCTION"


def loaded(name: str) -> Callable[..., Any]:
    """Return the function of that name.

    Modules are looked for in the current folder first, as by ``python -m``. What is behind the
    colon may have dots, as a method of an object; that of a class is found, not called.

    Raises
    ------
    InputError
        If there is no such module or function, or the module cannot be imported.
    """
    place, colon, attribute = name.rpartition(":")
    if not colon or not place or not attribute:
        raise InputError(f"{shown(name)} does not name a function", _FORM)
    is_file = place.endswith(".py") or "/" in place
    module = _of_file(place) if is_file else _of_module(place)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise InputError(f"{place} has no {attribute}", _instead_of(part, found), where=name)
        found = getattr(found, part)
    if not callable(found):
        raise InputError(f"{attribute} is {shown(found)}", "name a function", where=name)
    return found


def _instead_of(name: str, owner: Any) -> str:
    known = [one for one, value in vars(owner).items() if callable(value) and one[0] != "_"]
    if near := get_close_matches(name, known, 3, 0.5):
        return f"did you mean {' or '.join(near)}?"
    own = [one for one in known if getattr(vars(owner)[one], "__module__", "") == owner.__name__]
    return f"it has {', '.join((own or known)[:5])}" if own or known else "it has no functions"


def _of_file(place: str) -> ModuleType:
    path = Path(place)
    if not path.is_file():
        raise InputError("there is no such file", _FORM, where=place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError("it is no Python file", _FORM, where=place)
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # as dataclasses and pickle need it
    sys.path.insert(0, str(path.resolve().parent))  # as by `python FILE.py`
    with _importing(place):
        spec.loader.exec_module(module)
    return module


def _of_module(place: str) -> ModuleType:
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    with _importing(place):
        return importlib.import_module(place)


@contextmanager
def _importing(place: str) -> Iterator[None]:
    """Turn errors of a module that is imported into one line."""
    try:
        yield
    except KeyboardInterrupt:
        raise
    except ModuleNotFoundError as error:
        if error.name == place.partition(".")[0]:
            raise InputError(
                f"there is no module {place} here", "look at the folder and the spelling"
            ) from None
        reason = one_line(str(error))
        raise InputError(
            f"it cannot be imported: {reason}", "install what it imports", where=place
        ) from None
    except BaseException as error:  # also SystemExit, of a script
        reason = one_line(f"{type(error).__name__}: {error}")
        raise InputError(
            f"it cannot be imported: {reason}", "importing it must run without errors", where=place
        ) from None
