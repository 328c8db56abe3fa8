"""The content of a file: its encoding, its line ends, and what kind of lines it contains."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, Literal

import numpy as np

from rankmark.errors import counted
from rankmark.verbs.check.finding import Finding, Place, verb

if TYPE_CHECKING:
    from rankmark.array_types import Ints
    from rankmark.data.contract.source_options import Kind
    from rankmark.data.files.input_file import InputFile

Looks = Literal["qrels", "run", "prels", "prefs", "features"]

_BLOCK_BYTES = 1 << 20
_LONGEST_LINE = 1 << 22  # bytes; longer lines are examined in pieces
_SAMPLED_BYTES = 1 << 22  # at the beginning of a file
_LONGEST_SAMPLE = 1 << 12  # bytes of a line that are split into columns
_UTF8_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = {  # the longer ones first, as UTF-32's begins with UTF-16's
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_SAMPLE_LINES = 1000
_CLEAR = 0.9  # share of the sample that must be of one kind
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?inf|nan", re.IGNORECASE)
_FEATURE = re.compile(rb"(?:qid|\d+):\S+")
_LINE = re.compile(rb"^(?!#)[ \t]*[^\s].*", re.MULTILINE)  # not blank, and not a comment
_WHOLE = re.compile(rb"[+-]?\d+(?:\.0*)?")


@dataclass(slots=True)
class Content:
    """The content of a file.

    Parameters
    ----------
    bytes
        Number of bytes, uncompressed.
    encoding
        "ASCII", "UTF-8", "UTF-16", "UTF-32", or "unknown" if some lines are not UTF-8.
    has_mark
        Whether the file begins with a byte order mark.
    ends
        How lines end: "LF", "CRLF", "mixed", or "none".
    is_cut
        Whether the last line has no end.
    odd_lines, odd_count
        The first lines that are not UTF-8, and the number of all of them.
    looks
        The kind of file that the lines look like; None if unknown.
    """

    bytes: int = 0
    encoding: str = "ASCII"
    has_mark: bool = False
    ends: str = "none"
    is_cut: bool = False
    odd_lines: list[int] = field(default_factory=list)
    odd_count: int = 0
    looks: Looks | None = None

    @property
    def is_wide(self) -> bool:
        """Whether the encoding is UTF-16 or UTF-32, so that no line can be read."""
        return self.encoding in {"UTF-16", "UTF-32"}


def content_of(file: InputFile) -> Content:
    """Examine all bytes of a file, block by block."""
    content = Content()
    with file.descriptor() as descriptor, open(descriptor, "rb", closefd=False) as stream:
        stream.seek(0)
        begin = stream.read(1 << 16)
        content.encoding = _wide(begin) or "ASCII"
        content.has_mark = begin.startswith((_UTF8_MARK, *_WIDE_MARKS))
        if content.is_wide:
            content.bytes = stream.seek(0, 2)
            return content
        stream.seek(0)
        sample = _read(stream, content)
        content.looks = _looks(sample)
    return content


def _wide(begin: bytes) -> str | None:
    """Recognise UTF-16 and UTF-32 by the byte order mark, or if every second byte is NUL."""
    for mark, name in _WIDE_MARKS.items():
        if begin.startswith(mark):
            return name
    if not begin.strip(b"\0\r\n"):
        return None  # only NULs, as after a disk failure, are not text
    for every_second in (begin[::2], begin[1::2]):
        if len(every_second) > 1 and every_second.count(0) > _CLEAR * len(every_second):
            return "UTF-16"
    return None


def _read(stream: BinaryIO, content: Content) -> list[list[bytes]]:
    """Examine all bytes, and return the columns of the first lines.

    A file may have as many lines as bytes, so nothing here may loop over lines in Python.
    """
    lines = with_return = 0
    sample: list[list[bytes]] = []
    for block in _blocks_of_lines(stream):
        if content.bytes < _SAMPLED_BYTES and len(sample) < _SAMPLE_LINES:
            sample += _sample(block, _SAMPLE_LINES - len(sample))
        content.bytes += len(block)
        content.is_cut = not block.endswith(b"\n")
        newlines = block.count(b"\n")
        with_return += block.count(b"\r\n")
        if not block.isascii() and not _is_utf8(block):
            odd = _odd_lines(block)
            content.odd_count += len(odd)
            more = odd[: 3 - len(content.odd_lines)] + lines + 1
            content.odd_lines += more.tolist()
            content.encoding = "unknown"
        elif content.encoding == "ASCII" and not block.isascii():
            content.encoding = "UTF-8"
        lines += newlines
    if lines:
        content.ends = "LF" if not with_return else "CRLF" if with_return == lines else "mixed"
    return sample


def _blocks_of_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield whole lines, or pieces of extremely long lines that do not split a character."""
    rest = b""
    while block := stream.read(_BLOCK_BYTES):
        end = block.rfind(b"\n") + 1
        if end:
            yield rest + block[:end]
            rest = block[end:]
        else:
            rest += block
        if len(rest) >= _LONGEST_LINE:
            end = _end_of_character(rest)
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _end_of_character(text: bytes) -> int:
    """Return the last position between characters of UTF-8, whose later bytes are 10xxxxxx."""
    for end in range(len(text) - 1, len(text) - 4, -1):
        if text[end] & 0xC0 != 0x80:
            return end
    return len(text)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _odd_lines(block: bytes) -> Ints:
    """Return the numbers, from 0, of the lines that are not UTF-8."""
    text = np.frombuffer(
        block.decode("utf-8", "surrogateescape").encode("utf-32-le", "surrogatepass"), np.uint32
    )
    odd = (text >= 0xDC80) & (text <= 0xDCFF)
    line = np.cumsum(text == ord("\n"))
    return np.unique(line[odd])


def _sample(block: bytes, most: int) -> list[list[bytes]]:
    """Split the first lines that are not blank into columns."""
    lines = islice(_LINE.finditer(block), most)
    fields = (line[0][:_LONGEST_SAMPLE].removeprefix(_UTF8_MARK).split() for line in lines)
    return [some for some in fields if some]  # of a byte order mark alone, nothing is left


def _looks(sample: list[list[bytes]]) -> Looks | None:
    """Recognise the kind of a TREC file by its columns."""
    tests: dict[Looks, Callable[[list[bytes]], bool]] = {
        "features": _is_features,
        "run": _is_run,
        "qrels": _is_qrels,
        "prels": _is_prels,
        "prefs": _is_prefs,
    }
    for looks, test in tests.items():
        if sample and sum(map(test, sample)) >= _CLEAR * len(sample):
            return looks
    return None


def _is_run(fields: list[bytes]) -> bool:
    return len(fields) >= 6 and bool(_WHOLE.fullmatch(fields[3]) and _NUMBER.fullmatch(fields[4]))


def _is_qrels(fields: list[bytes]) -> bool:
    return len(fields) == 4 and bool(_NUMBER.fullmatch(fields[3]))


def _is_prels(fields: list[bytes]) -> bool:
    """Recognise `qid docid label method probability`."""
    return (
        len(fields) == 5
        and bool(_WHOLE.fullmatch(fields[2]))
        and fields[3] in {b"0", b"1", b"2"}
        and bool(_NUMBER.fullmatch(fields[4]))
        and 0 <= float(fields[4]) <= 1
    )


def _is_prefs(fields: list[bytes]) -> bool:
    """Recognise `qid judge group docid preference`."""
    return len(fields) == 5 and bool(_NUMBER.fullmatch(fields[4]))


def _is_features(fields: list[bytes]) -> bool:
    """Recognise `label qid:1 1:0.5 ...`, as in files of LibSVM and SVMrank."""
    return bool(_NUMBER.fullmatch(fields[0]) and all(map(_FEATURE.fullmatch, fields[1:3])))


_KINDS: dict[str, str] = {
    "qrels": "qrels (qid iter docid label)",
    "run": "a run (qid iter docid rank score tag)",
    "prels": "prels, judgments of a sample (qid docid label method probability)",
    "prefs": "preferences (qid judge group docid preference)",
    "features": "features for learning to rank (label feature:value ...)",
}


def wrong_kind(content: Content, kind: Kind) -> Finding | None:
    """Find out whether a file is not what it was given as."""
    if content.looks is None or content.looks == kind:
        return None
    swapped = content.looks in {"qrels", "run"}
    effects = {
        ("qrels", "run"): "ranks would be taken for labels",
        ("run", "qrels"): "there are no scores to rank by",
    }
    return Finding(
        code="kind",
        severity="error",
        count=1,
        what=f"{'these are not judgments' if kind == 'qrels' else 'this is not a run'}: the lines "
        f"look like {_KINDS[content.looks]}",
        effect=effects.get((kind, content.looks), "columns would be misread"),
        remedy=f"give {_KINDS[kind]}" + ("; are judgments and runs swapped?" if swapped else ""),
    )


def encoding_findings(content: Content) -> Iterator[Finding]:
    """Find problems with the encoding."""
    if content.is_wide:
        yield Finding(
            code="encoding",
            severity="error",
            count=1,
            what=f"the file is {content.encoding}, as spreadsheets write it",
            effect="no line can be read",
            remedy=f"convert it: iconv -f {content.encoding} -t UTF-8",
        )
    elif content.odd_count:
        yield Finding(
            code="encoding",
            severity="warning",
            count=content.odd_count,
            what=f"{counted(content.odd_count, 'line')} {verb(content.odd_count, 'is', 'are')} not "
            "UTF-8, perhaps Latin-1",
            effect="ids are compared byte by byte, so that one written in UTF-8 elsewhere is "
            "another id",
            remedy="convert the file: iconv -f LATIN1 -t UTF-8",
            places=tuple(Place(line=line) for line in content.odd_lines),
        )
    elif content.has_mark:
        yield Finding(
            code="byte-order-mark",
            severity="note",
            count=1,
            what="the file begins with a byte order mark",
            effect="none here; some tools take it for a part of the first query's id",
            remedy="nothing, or save the file as UTF-8 without it",
            places=(Place(line=1),),
        )
