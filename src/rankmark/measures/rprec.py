"""R-precision: precision where a perfect ranking would be complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.alignment import ratio
from rankmark.measures.measure import Measure
from rankmark.measures.parameters import threshold

if TYPE_CHECKING:
    from rankmark.alignment import Alignment, Floats


class RPrecision(Measure):
    """Precision at rank R, R being the number of relevant documents; recall there is the same.

    Formula: h_R / R.
    Nothing relevant: 0.
    Ties: seen only where they straddle rank R.
    Unjudged documents: not relevant.
    Elsewhere: trec_eval and ir_measures ``Rprec``, ranx ``r-precision``. RecTools' ``r_precision``
    divides by min(k, R); recommenders' leaves out users without a hit.
    Source: TREC-2 proceedings, appendix A, 1994; trec_eval 10.0, m_Rprec.c.
    """

    rel: float = threshold()

    name = "Rprec"
    aliases = {"RPrecision": {}, "R-precision": {}, "r_precision": {}, "R-Prec": {}}
    formula = "h_R / R"
    sees = "order"
    adds_up = True
    source = "TREC-2 proceedings 1994, appendix A; trec_eval 10.0, m_Rprec.c"

    def score(self, a: Alignment) -> Floats:
        relevant = a.num_relevant(self.rel)
        found = a.relevant(self.rel) & (a.rank <= a.spread(relevant))
        return ratio(a.count(found), relevant)


Rprec = RPrecision()
