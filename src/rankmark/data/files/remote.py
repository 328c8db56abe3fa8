"""Files elsewhere, named by a URL such as ``s3://bucket/run.parquet``, through fsspec."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from rankmark.data.files.columnar import ColumnarFile, from_columnar_file
from rankmark.data.files.file_source import FileSource
from rankmark.data.files.formats import columnar_form
from rankmark.data.files.input_file import InputFile
from rankmark.data.files.several_files import source_of
from rankmark.errors import InputError, MissingDependencyError

if TYPE_CHECKING:
    from rankmark.data.contract.source import Source
    from rankmark.data.contract.source_options import Kind, SourceOptions

_MAGIC_BYTES = 6


def from_url(url: str, kind: Kind, options: SourceOptions) -> Source:
    """Read a file elsewhere: Parquet in batches, other formats from a temporary copy.

    Raises
    ------
    MissingDependencyError
        If fsspec, or what it needs for this protocol, is not installed.
    InputError
        If there is no such file.
    """
    with _reading(url):
        try:
            from fsspec.core import url_to_fs  # noqa: PLC0415
        except ImportError:
            raise MissingDependencyError(
                "fsspec", "remote", "reading from a URL", where=url
            ) from None
        system, path = url_to_fs(url)
        if glob.has_magic(path) and not system.exists(path):
            paths = sorted(system.glob(path))
        elif system.isdir(path):
            paths = sorted(system.find(path))
        else:
            paths = [path]
        paths = [each for each in paths if not each.rsplit("/", 1)[-1].startswith(("_", "."))]
        if not paths:
            raise InputError("no file matches", "check the URL", where=url)
        files = [_Elsewhere(system, each, url if [each] == [path] else each) for each in paths]
        if len(files) > 1:
            return source_of(url, files, paths, kind, options)
        with files[0].opened() as opened:
            form = columnar_form(opened.read(_MAGIC_BYTES))
        if form is None:
            with files[0].opened() as opened:
                file = InputFile(opened)
            file.name = url
            return FileSource(file, kind, options)
        return from_columnar_file(ColumnarFile(files[0], form), kind, options)


class _Elsewhere:
    """A file of one of fsspec's file systems."""

    def __init__(self, system: Any, path: str, name: str) -> None:
        self._system = system
        self._path = path
        self.name = name

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open it for reading."""
        with _reading(self.name), self._system.open(self._path, "rb") as file:
            yield file

    def as_read(self) -> _Elsewhere:
        """Return the file itself."""
        return self

    def pinned(self) -> _Elsewhere:
        """Return the file itself."""
        return self

    def sha256(self) -> str | None:
        """Return None: it would have to be read as a whole."""
        return None


@contextmanager
def _reading(url: str) -> Iterator[None]:
    """Turn errors of fsspec into ours."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError("there is no such file", "check the URL", where=url) from None
    except ImportError as error:
        if isinstance(error, MissingDependencyError):
            raise
        named = re.search(r"[Ii]nstall [`'\"]?([\w-]+)", str(error))
        library = str(error) if named is None else named[1]
        raise MissingDependencyError(library, None, "reading from this URL", where=url) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"the file cannot be read: {error}", "check the URL and your permissions", where=url
        ) from None
