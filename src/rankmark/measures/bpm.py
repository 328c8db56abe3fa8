"""The Bejeweled player model: a user who stops after enough gain, or at rank k."""

from __future__ import annotations

from rankmark.array_types import Floats
from rankmark.data.alignment import Alignment
from rankmark.measures.base.measure import Aliases
from rankmark.measures.base.parameters import horizon, positive
from rankmark.measures.families.normalized_gain import BoundedGain
from rankmark.results.explanations.contributions import Contributions


class BejeweledPlayerModel(BoundedGain):
    """The mean gain per rank reached by a user who stops after enough gain.

    Formula: cg_i / i at the first rank i with cg_i >= T, or at k if the first k have less, where
    cg_i is the gain of the first i.
    Gains are 1 from label ``rel`` up, or with ``max_rel`` (label - min_rel) / (max_rel - min_rel).
    Nothing relevant: 0.
    Ties: by the evaluation's rule.
    Unjudged documents: gain 0, as for ranks beyond the end of the ranking.
    Elsewhere: cwl_eval ``BPM-Static-T=1-K=10`` with costs of 1, ir_measures ``BPM@k``, which
    refuses to be without a cutoff. The dynamic model of the paper is not included.
    Source: Zhang et al., SIGIR 2017, section 3.2 (static); cwl_eval cwl_bpm.py.
    """

    k: int = horizon()
    T: float = positive("the gain after which the user stops", 1.0)

    name = "BPM"
    full_name = "bejeweled player model"
    aliases: Aliases = {"bejeweled_player_model": {}}
    formula = "cg_i / i at the first rank i with cg_i >= T, or at i = k"
    latex = (
        r"\frac{\mathrm{cg}_i}{i} \text{ at the first rank } i \text{ with } \mathrm{cg}_i \ge "
        r"T, \text{ or at } i = k"
    )

    def score(self, a: Alignment) -> Floats:
        gain, gained = self._gained(a)
        stop = self._stop(a, gained)
        return a.sum(gain * (a.rank <= a.spread(stop))) / stop

    def contributions(self, a: Alignment) -> Contributions:
        gain, gained = self._gained(a)
        stop = self._stop(a, gained)
        return Contributions(
            gain * (a.rank <= a.spread(stop)),
            divisor=stop,
            columns={"gain": gain, "gained": gained},
            written="1" if self.max_rel is None else "{gain}",
        )

    def _gained(self, a: Alignment) -> tuple[Floats, Floats]:
        """Return the gain of each document, 0 beyond k, and the total so far: (H,) each."""
        gain = self.gains(a) * a.within(self.k)
        return gain, a.cumsum(gain)

    def _stop(self, a: Alignment, gained: Floats) -> Floats:
        return a.first(gained >= self.T, a.rank.astype("float64"), absent=float(self.k))


BPM = BejeweledPlayerModel()
