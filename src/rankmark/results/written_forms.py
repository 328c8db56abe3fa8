"""The forms in which results are written beside text: Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from rankmark.errors import one_line
from rankmark.results import html_parts as html
from rankmark.results.escaped_bytes import readable
from rankmark.results.github_markdown import (
    code,
    code_block,
    html_code,
    plain,
    sparing,
    sparing_line,
)
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.shown_parts import (
    Command,
    Decision,
    Folded,
    Heading,
    Items,
    Labelled,
    Lines,
    Look,
    Notes,
    Part,
    Reason,
    Section,
    Told,
    Values,
)
from rankmark.results.text_form import Form, Text

_OWN = {Heading, Labelled}  # lines of their own kind


class Markdown(Form):
    """Markdown in which the best values are bold, and what comes from inputs stays text."""

    def _table(self, table: MarkedTable) -> str:
        return table.as_markdown()

    def _title(self, text: str) -> str:
        return f"**{sparing(text)}**\n"

    def _decision(self, part: Decision) -> str:
        told = part.text.write(code) if isinstance(part.text, Told) else sparing(part.text)
        return f"### {part.mark} {told}\n"

    def _sentence(self, text: str) -> str:
        return f"{sparing_line(text)}\n"

    def _formula(self, text: str) -> str:
        return f"`{one_line(text)}`\n"

    def _command(self, part: Command) -> str:
        return f"{part.use.capitalize()}:\n\n{code_block(part.command, 'sh')}"

    def _lines(self, part: Lines | Notes) -> str:
        return "  \n".join(sparing_line(str(line)) for line in part) + "\n" * bool(part)

    def _items(self, part: Items) -> str:
        return "".join(f"- {_item(line)}\n" for line in part)

    def _section(self, part: Section) -> str:
        return f"## {code(part.name)}\n\n{self.joined(part.parts)}"


class PullRequest(Markdown):
    """Markdown for GitHub, where names that are no code become links and call people."""

    def write(self, parts: Sequence[Part]) -> str:
        """Write all parts."""
        return readable(super().write(parts))

    def _lines(self, part: Lines | Notes) -> str:
        return "".join(f"{plain(str(line))}  \n" for line in part)

    def _notes(self, part: Notes) -> str:
        return "".join(f"<sub>{plain(line)}</sub>  \n" for line in part)

    def _folded(self, part: Folded) -> str:
        summary = f"{part.heading[:1].upper()}{part.heading[1:]}, {html_code(part.name)}"
        table = self._table(part.table)
        return f"<details><summary>{summary}</summary>\n\n{table}\n</details>\n"


class Latex(Form):
    """Tables as floats of LaTeX, with booktabs and siunitx; the rest is left out."""

    def _table(self, table: MarkedTable) -> str:
        return table.as_latex()


class Html(Form):
    """HTML for a notebook, without colours of its own; a table that is too wide scrolls."""

    def write(self, parts: Sequence[Part]) -> str:
        """Write all parts in a box."""
        return html.page(self.joined(parts))

    def joined(self, parts: Sequence[Part]) -> str:
        """Write all parts."""
        return "".join(map(self._part, parts))

    def _table(self, table: MarkedTable) -> str:
        return table.as_html()

    def _title(self, text: str) -> str:
        return html.title(text)

    def _decision(self, part: Decision) -> str:
        return html.title(f"{part.mark} {part.text}")

    def _heading(self, text: str) -> str:
        return html.title(text.strip().removesuffix(":"))

    def _sentence(self, text: str) -> str:
        return html.paragraph(text)

    def _formula(self, text: str) -> str:
        return html.formula(text)

    def _command(self, part: Command) -> str:
        return html.paragraph(f"{part.use}:") + html.formula(part.command)

    def _lines(self, part: Lines | Notes) -> str:
        written = []
        for kind, lines in groupby(part, lambda line: type(line) if type(line) in _OWN else str):
            if kind is Labelled:
                rows = [(x.label, x.text) for x in lines if isinstance(x, Labelled)]
                written.append(html.table([], rows, 2))
            elif kind is Heading:
                written += [self._heading(str(line)) for line in lines]
            else:
                written.append(html.notes(str(line).strip() for line in lines))
        return "".join(written)

    def _items(self, part: Items) -> str:
        return html.items(map(str, part))

    def _values(self, part: Values) -> str:
        return html.values(part)


def _item(line: str | Reason) -> str:
    if isinstance(line, Reason):
        return f"{line.mark} {', '.join(map(code, line.names))} **{line.verdict}**: {line.reason}"
    return sparing(line)


def written(parts: Sequence[Part], look: Look) -> str:
    """Write parts in a form."""
    forms: dict[str, Form] = {
        "text": Text(look.width),
        "markdown": Markdown(),
        "pull request": PullRequest(),
        "latex": Latex(),
        "html": Html(),
    }
    return forms[look.form].write(parts)
