"""What an evaluation is asked to compute: measures, and the conventions for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rankmark.conventions import Conventions
from rankmark.data.alignment import Needs
from rankmark.scoring.requested_measures import requested_measures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.profiles.profile import Profile


class Asked(NamedTuple):
    """Measures, and the conventions under which they are computed.

    Parameters
    ----------
    measures
        In the requested order.
    needs
        What they need of an alignment.
    names
        The names under which they were requested.
    anywhere
        Whether one of them depends on the judgments of other queries.
    conventions
        Those of the evaluation, with those that measures have for themselves.
    profile
        The profile that was named; None if there is none.
    """

    measures: tuple[Measure, ...]
    needs: Needs
    names: Mapping[str, Measure]
    anywhere: bool
    conventions: Conventions
    profile: str | Profile | None

    @classmethod
    def of(
        cls,
        measures: Iterable[AnyMeasure] | AnyMeasure | None,
        conventions: Conventions,
        rel: float | None = None,
        profile: str | Profile | None = None,
    ) -> Asked:
        """Resolve the measures, whose own conventions and those of the profile apply."""
        requested, needs, names, anywhere, apart = requested_measures(measures, rel, profile)
        if profile is not None or apart:
            from rankmark.scoring.profile_conventions import conventions_of  # noqa: PLC0415

            conventions = conventions_of(requested, conventions, profile)
        if profile is not None:
            needs = Needs(subtopics=needs.subtopics)  # all, to find what differs there
        return cls(requested, needs, names, anywhere, conventions, profile)
