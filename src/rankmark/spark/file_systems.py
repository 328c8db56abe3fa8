"""Where files are that tasks read: on disk, or elsewhere by a URL, as pyarrow's file systems."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from rankmark.errors import InputError, MissingDependencyError, SchemaError, shown

if TYPE_CHECKING:
    Setting = Callable[[str], str | None]
    """Return a setting of Hadoop's configuration."""

_MAGIC = re.compile(r"[*?[]")
_S3 = {"s3", "s3a", "s3n"}
_LOGS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}


class FoundFile(NamedTuple):
    """A file and its size in bytes."""

    path: str
    size: int


class Place(NamedTuple):
    """A file system and the paths in it that the caller gave.

    Parameters
    ----------
    name
        The paths as the caller gave them, for messages.
    system
        A file system of pyarrow, which can be pickled.
    """

    name: str
    system: Any
    paths: Sequence[str]

    @property
    def is_local(self) -> bool:
        """Whether the files are on disk."""
        from pyarrow.fs import LocalFileSystem  # noqa: PLC0415

        return isinstance(self.system, LocalFileSystem)

    def files(self) -> list[FoundFile]:
        """Return the files of all paths in order, those in folders included.

        Raises
        ------
        InputError
            If there are none, or a path cannot be listed.
        SchemaError
            If they belong to a table whose rows are known to its log only.
        """
        found: dict[str, int] = {}
        try:
            for path in self.paths:
                found |= {one.path: one.size for one in _files_at(self.system, path) if one.size}
            files = [FoundFile(path, found[path]) for path in sorted(found)]
            if files:
                self._refuse_tables(files)
        except OSError as error:
            raise InputError(
                f"it cannot be listed: {error}", "check the path and your permissions",
                where=self.name,
            ) from None  # fmt: skip
        if not files:
            raise InputError("no file matches", "check the path", where=self.name)
        return files

    def _refuse_tables(self, files: Sequence[FoundFile]) -> None:
        """Refuse files of tables that have logs of which rows were deleted."""
        folders: dict[str, None] = {}
        for file in files:
            folder = file.path.rpartition("/")[0]
            while folder and folder not in folders:
                folders[folder] = None
                folder = folder.rpartition("/")[0]
        logs = {f"{folder}/{log}": name for folder in folders for log, name in _LOGS.items()}
        logs |= {f"{folder}/metadata": "Iceberg" for folder in folders}
        for info in self.system.get_file_info([*logs]):
            name = logs[info.path]
            if not _is_folder(info) or (name == "Iceberg" and not self._has_metadata(info.path)):
                continue
            raise SchemaError(
                f"the files belong to a table of {name}, whose log says which of their rows are "
                "still there",
                f"give the table as a DataFrame, such as spark.table(NAME) or "
                f'spark.read.format("{name.partition(" ")[0].lower()}").load(PATH)',
                where=self.name,
            )

    def _has_metadata(self, folder: str) -> bool:
        """Return whether a folder has the metadata of an Iceberg table."""
        return any(one.path.endswith(".metadata.json") for one in _entries(self.system, folder))


def place_of(given: Any, name: str, filesystem: Any, setting: Setting) -> Place:
    """Return where files are.

    Parameters
    ----------
    given
        A path, a pattern or a URL, or several.
    name
        The name of the argument, for messages.
    filesystem
        A file system of pyarrow or fsspec; None to find it by the URL.

    Raises
    ------
    InputError
        If it is none of these.
    MissingDependencyError
        If pyarrow is not installed, or what a URL needs.
    """
    try:
        from pyarrow import fs  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("pyarrow", "spark", "reading files") from None
    several = [given] if isinstance(given, (str, os.PathLike)) else [*given]
    paths = [os.fspath(one) if isinstance(one, os.PathLike) else one for one in several]
    if not paths or not all(isinstance(path, str) and path for path in paths):
        raise InputError(f"{name} is {shown(given)}", "need a path, or a list of paths")
    shown_paths = paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    if filesystem is not None:
        if not isinstance(filesystem, fs.FileSystem):
            filesystem = fs.PyFileSystem(fs.FSSpecHandler(filesystem))
        return Place(shown_paths, filesystem, [path.rstrip("/") for path in paths])
    roots = {_root(path) for path in paths}
    if len(roots) > 1:
        raise InputError(
            f"{name} has paths of several file systems: {', '.join(sorted(roots))}",
            "give those of one",
        )
    system, _ = _system_of(paths[0], fs, setting)
    return Place(shown_paths, system, [_within(path) for path in paths])


def _root(path: str) -> str:
    """Return the scheme and the host of a URL; "file" for paths on disk."""
    scheme, separator, rest = path.partition("://")
    if not separator or scheme == "file":
        return "file"
    return scheme if scheme in _S3 else f"{scheme}://{rest.partition('/')[0]}"


def _within(path: str) -> str:
    """Return the path within its file system."""
    scheme, separator, rest = path.partition("://")
    if not separator:
        scheme, separator, rest = path.partition(":/")
        if scheme != "file" or not separator:
            return Path(path).absolute().as_posix()
        return f"/{unquote(rest).strip('/')}"
    if scheme in {"file", "hdfs", "viewfs"}:
        return f"/{unquote(rest.partition('/')[2]).strip('/')}"
    if scheme in {"abfs", "abfss"} and "@" in rest:
        container, _, rest = rest.partition("@")
        rest = f"{container}/{rest.partition('/')[2]}"
    return rest.rstrip("/")


def _system_of(path: str, fs: Any, setting: Setting) -> tuple[Any, str]:
    """Return the file system of a URL or of a path on disk, and its name."""
    root = _root(path)
    if root == "file":
        return fs.LocalFileSystem(), root
    scheme = urlsplit(path).scheme
    try:
        if scheme in _S3:
            return fs.S3FileSystem(**s3_options(urlsplit(path).netloc, setting, fs)), root
        try:
            return fs.FileSystem.from_uri(root)[0], root
        except (ValueError, NotImplementedError):  # pyarrow does not know the scheme
            return _of_fsspec(path, fs), root
    except OSError as error:
        raise InputError(
            f"the file system cannot be reached: {error}", "check the URL", where=path
        ) from None


def _of_fsspec(url: str, fs: Any) -> Any:
    """Return one of fsspec's file systems."""
    try:
        from fsspec.core import url_to_fs  # noqa: PLC0415
    except ImportError:
        raise MissingDependencyError("fsspec", "remote", "reading from a URL", where=url) from None
    try:
        system, _ = url_to_fs(url)
    except ValueError as error:
        raise InputError(str(error), "give the file system as filesystem=", where=url) from None
    except ImportError as error:
        raise MissingDependencyError(str(error), None, "reading from this URL", where=url) from None
    return fs.PyFileSystem(fs.FSSpecHandler(system))


def s3_options(bucket: str, setting: Setting, fs: Any) -> dict[str, Any]:
    """Return the options of pyarrow's S3FileSystem, as Hadoop's configuration has them.

    What is not configured, the environment says, or the machine's role.
    """
    named = {
        "access_key": "access.key",
        "secret_key": "secret.key",
        "session_token": "session.token",
        "region": "endpoint.region",
    }
    found: dict[str, Any] = {}
    for option, key in named.items():
        value = setting(f"fs.s3a.bucket.{bucket}.{key}") or setting(f"fs.s3a.{key}")
        if value:
            found[option] = value
    endpoint = setting(f"fs.s3a.bucket.{bucket}.endpoint") or setting("fs.s3a.endpoint")
    if endpoint:
        scheme, separator, host = endpoint.partition("://")
        found["endpoint_override"] = host if separator else endpoint
        ssl = setting("fs.s3a.connection.ssl.enabled")
        found["scheme"] = scheme if separator else "http" if ssl == "false" else "https"
    elif "region" not in found:
        found["region"] = fs.resolve_s3_region(bucket)
    return found


def _files_at(system: Any, path: str) -> Iterator[FoundFile]:
    """Return the files at a path: itself, those in a folder, or those that a pattern names."""
    for info in _matching(system, path):
        if not _is_folder(info):
            yield FoundFile(info.path, info.size)
            continue
        begin = len(info.path) + 1
        for one in _entries(system, info.path, recursive=True):
            if not _is_folder(one) and not _is_hidden(one.path[begin:]):
                yield FoundFile(one.path, one.size)


def _matching(system: Any, path: str) -> Iterator[Any]:
    """Return what a pattern names, ``**`` being any folders; or the path itself."""
    parts = path.split("/")
    magic = [place for place, part in enumerate(parts) if _MAGIC.search(part)]
    (whole,) = system.get_file_info([path])
    if not magic or _exists(whole):
        return iter([whole] if _exists(whole) else [])
    folder = "/".join(parts[: magic[0]]) or "/"
    (at,) = system.get_file_info([folder])
    found: Iterable[Any] = [at] if _is_folder(at) else []
    for part in parts[magic[0] :]:
        found = [*chain.from_iterable(_step(system, one, part) for one in found)]
    return iter(found)


def _step(system: Any, folder: Any, part: str) -> Iterator[Any]:
    """Return the entries of a folder that a part of a pattern names."""
    if not _is_folder(folder):
        return
    if part == "**":
        yield folder
        for one in _entries(system, folder.path, recursive=True):
            if _is_folder(one) and not _is_hidden(one.path[len(folder.path) + 1 :]):
                yield one
        return
    for one in _entries(system, folder.path):
        name = one.path.rpartition("/")[2]
        if fnmatchcase(name, part) and not _is_hidden(name):
            yield one


def _entries(system: Any, folder: str, *, recursive: bool = False) -> list[Any]:
    from pyarrow.fs import FileSelector  # noqa: PLC0415

    return system.get_file_info(FileSelector(folder, recursive=recursive))


def _is_hidden(path: str) -> bool:
    """Return whether Spark leaves a path out: one with a part such as _SUCCESS or .crc."""
    return any(
        part.startswith(".") or (part.startswith("_") and "=" not in part)
        for part in path.split("/")
    )


def _is_folder(info: Any) -> bool:
    return bool(info.type.name == "Directory")


def _exists(info: Any) -> bool:
    return bool(info.type.name != "NotFound")
