"""The measures that are computed if none are chosen."""

from __future__ import annotations

from rankmark.measures.ap import AP
from rankmark.measures.base.measure import Measure
from rankmark.measures.judged import Judged
from rankmark.measures.ndcg import nDCG
from rankmark.measures.p import P
from rankmark.measures.r import R
from rankmark.measures.rr import RR

DEFAULT: tuple[Measure, ...] = (nDCG @ 10, AP, RR @ 10, R @ 100, P @ 10, Judged @ 10)
