"""What simulations print: the command, shares and tables in Markdown."""

import shlex
import sys
from collections.abc import Iterable, Sequence


def command(name: str, argv: Sequence[str] | None) -> str:
    """Return the command that was given, in Markdown."""
    given = shlex.join(sys.argv[1:] if argv is None else argv)
    return f"`{f'python benchmarks/{name} {given}'.strip()}`\n"


def share(value: float) -> str:
    """Write a share in percent, bold where it is above 6%."""
    text = f"{100 * value:.1f}" if value < 0.0995 else f"{100 * value:.0f}"
    return f"**{text}**" if value > 0.06 else text


def table(
    title: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1
) -> None:
    """Print a table row by row; the first columns have words, the others figures."""
    print(f"\n{title}\n\n| {' | '.join(head)} |")
    print(f"|{' --- |' * words}{' ---: |' * (len(head) - words)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)
