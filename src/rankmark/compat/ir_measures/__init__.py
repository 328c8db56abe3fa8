"""ir_measures' interface: ``from rankmark.compat import ir_measures``.

The functions are those of ir_measures, and rankmark computes the measures that it has. Importing
this module changes nothing elsewhere; ``install()`` also changes ir_measures itself, and with it
PyTerrier, until ``uninstall()``.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Final, Self

import ir_measures as _theirs
from ir_measures import Measure, Provider
from ir_measures.providers import Evaluator, FallbackProvider, registry

from rankmark.compat.ir_measures.provider import RankmarkProvider

__all__ = [*_theirs.__all__, "RankmarkProvider", "install", "uninstall"]  # noqa: PLE0604

rankmark: Final = RankmarkProvider()  # type: ignore[no-untyped-call]
"""The provider, to be asked directly: ``ir_measures.rankmark.calc_aggregate(...)``."""


def _with_rankmark(providers: list[Provider]) -> list[Provider]:
    """Insert the provider after ``runtime``, which has the measures that users define."""
    names = [provider.NAME for provider in providers]
    place = names.index("runtime") + 1 if "runtime" in names else 0
    return [*providers[:place], rankmark, *providers[place:]]


class _InOrder(FallbackProvider):
    """A pipeline whose results have the order in which measures are requested."""

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> Evaluator:
        requested = [*dict.fromkeys(measures)]
        evaluator: Evaluator = super()._evaluator(requested, qrels)  # type: ignore[no-untyped-call]
        evaluator.measures = requested
        return evaluator


DefaultPipeline: Final = _InOrder(  # type: ignore[no-untyped-call]
    _with_rankmark(_theirs.DefaultPipeline.providers)
)
evaluator: Final = DefaultPipeline.evaluator
iter_calc: Final = DefaultPipeline.iter_calc
calc_aggregate: Final = DefaultPipeline.calc_aggregate
calc: Final = DefaultPipeline.calc
run_inputs: Final = DefaultPipeline.run_inputs
qrel_inputs: Final = DefaultPipeline.qrel_inputs


class Installed:
    """What ``install`` returns; as a context manager, it uninstalls at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        uninstall()


def install() -> Installed:
    """Make ir_measures compute with rankmark in this process, wherever it is called from.

    The provider is inserted after ``runtime`` in ``ir_measures.DefaultPipeline.providers``, and
    registered as ``ir_measures.providers.registry["rankmark"]``. All functions of ir_measures, the
    methods of its measures, and PyTerrier's ``pt.Experiment`` use that pipeline. Installing twice
    has no further effect.

    Returns
    -------
    Installed
        A context manager, for use in a ``with`` statement.

    Examples
    --------
    >>> import ir_measures
    >>> from rankmark.compat.ir_measures import install
    >>> with install():
    ...     [provider.NAME for provider in ir_measures.DefaultPipeline.providers][:3]
    ['runtime', 'rankmark', 'pytrec_eval']
    """
    providers = _theirs.DefaultPipeline.providers
    if not any(provider.NAME == rankmark.NAME for provider in providers):
        providers[:] = _with_rankmark(providers)
        registry[rankmark.NAME] = rankmark
    return Installed()


def uninstall() -> None:
    """Undo ``install()``, if it was called."""
    providers = _theirs.DefaultPipeline.providers
    providers[:] = [provider for provider in providers if provider.NAME != rankmark.NAME]
    registry.pop(rankmark.NAME, None)


def __getattr__(name: str) -> Any:
    """Take everything else from ir_measures."""
    return getattr(_theirs, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(_theirs)})
