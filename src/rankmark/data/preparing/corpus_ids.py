"""The ids of a corpus in any form, read a block at a time, so that the corpus is never held."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from rankmark.conventions import query_text
from rankmark.data.evidence.line_looks import Lines, SameLook
from rankmark.data.evidence.near_ids import Near, NearLook, near_ids
from rankmark.data.files.columnar import ColumnarFile
from rankmark.data.files.first_bytes import extension_of
from rankmark.data.files.input_file import InputFile, is_file
from rankmark.data.files.json_text import entries_of_lines, whole_lines
from rankmark.data.files.lines_of_text import ids_of_documents, opened
from rankmark.data.files.opened import pieces_of
from rankmark.data.frames.arrow_frames import is_frame
from rankmark.data.given_tables.role_tables import Role, TableKind, role_table
from rankmark.data.tables.columns import OWN_IDS
from rankmark.errors import InputError, counted, listed, shown

if TYPE_CHECKING:
    from rankmark.data.preparing.qrels import Qrels

CorpusSource = Iterable[Any] | str | os.PathLike[str] | IO[Any]
"""Ids, a mapping or a frame by id, a file, or a folder as BEIR has them."""
Blocks = Callable[[], Iterator["list[str] | Lines"]]
"""Ids, or lines that are ids."""

WRITE_ALIKE = "write ids the same way in both"

_KIND = "ids, or a file or folder with them"
_NEEDED = f"need {_KIND}"
_BLOCK = 1 << 16  # ids in memory
_PIECE = 1 << 20  # bytes of a file
_MOST_NEAR = 500_000
"""Ids that are compared with those that are gone, if they may be alike; each takes microseconds."""
_TABLE = TableKind(
    "the corpus",
    (Role("doc_id", (*OWN_IDS, "docid", "docno", "corpusid", "itemid", "item")),),
    _KIND,
)
_COLUMNAR = {".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}
_IN_FOLDER = ("corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst", "corpus.parquet")


class InCorpus(NamedTuple):
    """What a corpus has of some ids.

    Parameters
    ----------
    documents
        The number of ids in the corpus.
    gone
        The ids that it lacks, in the order given.
    near
        Those of them that it has written otherwise; None if there are none.
    compared
        The number of its ids in which they were looked for, the first.
    """

    documents: int
    gone: list[str]
    near: Near | None
    compared: int

    def __str__(self) -> str:
        """Say which documents that are gone are written otherwise; empty if none is."""
        if self.near is None:
            return ""
        some = ""
        if self.compared < self.documents:
            some = f" (its first {self.compared:,} ids were compared)"
        return (
            f"{self.near.found:,} of the {len(self.gone):,} documents that are gone {self.near}"
            f"{some}"
        )


class JudgedInCorpus(NamedTuple):
    """What a corpus lacks of the judged documents.

    Parameters
    ----------
    found
        What it has of their ids.
    gone
        The documents of each query that it lacks, without queries of which it lacks none.
    unwinnable
        The queries with relevant documents, all of which it lacks.
    """

    found: InCorpus
    gone: dict[str, list[str]]
    unwinnable: tuple[str, ...]

    @classmethod
    def of(
        cls, qrels: Qrels, corpus: CorpusSource, lowest: float, unit: str | None = None
    ) -> JudgedInCorpus:
        """Look the judged documents up.

        Parameters
        ----------
        lowest
            The lowest relevant label.
        unit
            What separates the id of a document from the rest of a unit's, if the corpus has units.

        Raises
        ------
        InputError
            If the corpus cannot be read, or has no judged document.
        """
        labels = qrels.by_query()
        wanted = dict.fromkeys(doc for held in labels.values() for doc in held)
        found = in_corpus(corpus, wanted, unit)
        if wanted and len(found.gone) == len(wanted):
            near = "" if found.near is None else f": {found}"
            raise InputError(
                f"none of the judged documents ({len(wanted):,}) is in it{near}",
                WRITE_ALIKE if near else "are the ids of one kind?",
                where=os.fspath(corpus) if isinstance(corpus, (str, os.PathLike)) else "corpus",
            )
        lacking = {*found.gone}
        gone = {query: [doc for doc in held if doc in lacking] for query, held in labels.items()}
        gone = {query: lost for query, lost in gone.items() if lost}
        relevant = (
            (query, [doc for doc, label in labels[query].items() if label >= lowest])
            for query in gone
        )
        unwinnable = tuple(query for query, docs in relevant if docs and lacking.issuperset(docs))
        return cls(found, gone, unwinnable)

    @property
    def number(self) -> int:
        """The number of judgments of documents that are gone."""
        return sum(map(len, self.gone.values()))


def none_left(queries: int) -> str:
    """Say that so many queries cannot be won."""
    return (
        f"{counted(queries, 'query has', 'queries have')} no relevant document left in the corpus"
    )


def are_left_out(queries: Sequence[str]) -> str:
    """Say that queries that cannot be won are left out, and which."""
    are = "is" if len(queries) == 1 else "are"
    return f"{none_left(len(queries))}, and {are} left out: {listed(queries)}"


def in_corpus(corpus: CorpusSource, wanted: Collection[str], unit: str | None = None) -> InCorpus:
    """Look ids up in a corpus, which may have units of them.

    Raises
    ------
    InputError
        If the corpus cannot be read, or holds no ids.
    """
    blocks = _blocks_of(corpus)
    lacking, documents = set(wanted), 0
    same = SameLook([*lacking])
    for block in blocks():
        documents += len(block)
        if unit is not None:
            ids = block.at(slice(None)) if isinstance(block, Lines) else block
            lacking.difference_update(ids, (one.rpartition(unit)[0] for one in ids))
        else:
            lacking.difference_update(same.likely_in(block) if isinstance(block, Lines) else block)
    if not documents:
        raise InputError("the corpus holds no ids", _NEEDED)
    gone = [one for one in wanted if one in lacking]
    if not gone:
        return InCorpus(documents, gone, None, 0)
    look, known, compared = NearLook(gone), frozenset(wanted), 0
    alike: list[str] = []
    looked_at = 0
    for block in blocks():
        likely = look.likely_in(block if isinstance(block, Lines) else Lines.of(block))
        alike += [one for one in look.alike_in(likely) if one not in known]
        compared += len(block)
        looked_at += len(likely)
        if looked_at >= _MOST_NEAR:
            break
    return InCorpus(documents, gone, near_ids([(gone, alike)]), compared)


def _blocks_of(corpus: Any) -> Blocks:
    if is_file(corpus):
        return _blocks_of_file(corpus)
    if is_frame(corpus):
        table = role_table(corpus, _TABLE, {})
        return lambda: _cut(table.ids("doc_id", "the document"))
    is_listed = isinstance(corpus, Iterable) and getattr(corpus, "ndim", 1) == 1
    if not is_listed or isinstance(corpus, bytes):
        raise InputError(f"the corpus is {shown(corpus)}", _NEEDED)
    held = corpus if isinstance(corpus, (Mapping, Collection)) else list(corpus)
    if {*map(type, held)} == {str}:
        return lambda: _cut(held)
    return lambda: _cut(map(_id_of, held))


def _id_of(given: Any) -> str:
    return query_text(given, "a document id of the corpus")


def _cut(ids: Iterable[str]) -> Iterator[list[str]]:
    ids = iter(ids)
    while block := list(islice(ids, _BLOCK)):
        yield block


def _blocks_of_file(corpus: str | os.PathLike[str] | IO[Any]) -> Blocks:
    if isinstance(corpus, (str, os.PathLike)) and os.path.isdir(corpus):  # noqa: PTH112  (any text)
        found = [name for name in _IN_FOLDER if (Path(corpus) / name).exists()]
        if not found:
            raise InputError(
                "the folder has no corpus", f"need {' or '.join(_IN_FOLDER)}", where=str(corpus)
            )
        corpus = Path(corpus) / found[0]
    name = os.fspath(corpus) if isinstance(corpus, (str, os.PathLike)) else ""
    ending = extension_of(os.fsdecode(name))
    if ending in _COLUMNAR:
        held = ColumnarFile(InputFile(corpus), _COLUMNAR[ending])
        columns = _TABLE.roles[0].columns(held.names())
        if len(columns) == 1:  # the others hold texts, and are not read
            return lambda: _cut(map(_id_of, held.values_of(columns[0])))
    if ending == ".csv" or ending in _COLUMNAR:
        table = role_table(corpus, _TABLE, {})
        return lambda: _cut(table.ids("doc_id", "the document"))
    file = InputFile(corpus)
    return lambda: _blocks_of_lines(file)


def _blocks_of_lines(file: InputFile) -> Iterator[list[str] | Lines]:
    """Read an id a line, alone or before a tab, or JSON objects with ids."""
    number = 1
    with opened(file) as descriptor:
        for lines in whole_lines(pieces_of(descriptor, _PIECE), file.name):
            if lines.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
                entries = entries_of_lines(lines, file.name, number)
                yield ids_of_documents(entries, file.name)
            else:
                yield _ids_of(lines.removeprefix(b"\xef\xbb\xbf") if number == 1 else lines)
            number += lines.count(b"\n")


def _ids_of(lines: bytes) -> list[str] | Lines:
    if not any(one in lines for one in b"\t \r"):
        return Lines(lines if lines.endswith(b"\n") else lines + b"\n")
    ids = (line.partition("\t")[0] for line in lines.decode("utf-8", "surrogateescape").split("\n"))
    return [one for one in (each.strip(" \r") for each in ids) if one]
