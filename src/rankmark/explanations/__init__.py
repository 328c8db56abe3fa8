"""Where a number comes from: what each document adds to it, and what makes two numbers differ."""

from rankmark.explanations.difference import Difference
from rankmark.explanations.documents import Document, documents_of, in_rank_order, placed
from rankmark.explanations.explanation import Explanation, explanation_of
from rankmark.explanations.means import MeanDifference
from rankmark.explanations.telling import Told, told_over_groups, told_over_orders, unknown

__all__ = [
    "Difference",
    "Document",
    "Explanation",
    "MeanDifference",
    "Told",
    "documents_of",
    "explanation_of",
    "in_rank_order",
    "placed",
    "told_over_groups",
    "told_over_orders",
    "unknown",
]
