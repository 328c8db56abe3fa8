"""The formulas that explanations write, worked by hand for one ranking."""

import pytest

from rankmark import (
    BPM,
    INSQ,
    NERR8,
    NERR9,
    SDCG,
    Compat,
    FallOut,
    IPrec,
    NumQ,
    NumRel,
    NumRet,
    Q,
    RBPResidual,
    Rndcg,
    Utility,
    binG,
    infAP,
    nDCGrel,
    yaAP,
)
from rankmark.measures.base.measure import Measure

RANKED = [0, 1, None, 3, -1, 0, 2]
MISSED = [0, 2]


@pytest.mark.parametrize(
    ("measure", "formula"),
    [
        (IPrec @ 0.5, "2/4 = 0.5"),
        (IPrec @ 1, "0/7 = 0"),  # never reached
        (IPrec(recall=[0.5, 1]), "(2/4 + 0/7) / 2 = 0.25"),
        (infAP, "((1 + 1 * 9.9998e-06)/2 + (1 + 2 * 0.5)/4 + (1 + 5 * 0.5)/7) / 4"),
        (yaAP, "ln((1 + (1/2 + 2/4 + 3/7)) / (1 + 4 - 1.42857))"),
        (binG, "(1/log2(2 + 1) + 1/log2(2 + 2) + 1/log2(2 + 4)) / 4"),
        (
            Q(beta=2),
            "((1 + 2 * 1)/(2 + 2 * 5) + (2 + 2 * 4)/(4 + 2 * 8) + (3 + 2 * 6)/(7 + 2 * 8))",
        ),
        (nDCGrel(discount=8), "((1/5 + 4/8 + 6/8) + 1 * 0.75) / 4"),
        # Levels end at ranks 1, 3 and 4, with ideal DCG 3, 7 and 8; n is the fourth point.
        (Rndcg(discount=8), "(1/1 * 0.392857 + 3/1 * 0.25 + 2/1 * 0.125) / 4"),
        (RBPResidual(p=0.5), "1 - (1 - 0.5) * 1.73438 = 0.132812"),  # 111/64
        (INSQ @ 4, "(0.444444 + 0.16) / 1.85444"),
        (SDCG @ 2, "0.63093 / 1.63093"),
        (BPM(T=2), "2 / 4 = 0.5"),
        (NERR8(max_rel=4) @ 2, "0.25 * 1 / 2 = 0.25 / 2 = 0.125"),
        (NERR9(max_rel=4) @ 4, "(0.25 * 0.5 + 0.75 * 0.1875) / 1.9375"),
        (FallOut @ 3, "2 / 4 = 0.5"),
        (FallOut(norm="judged") @ 3, "1 / 4 = 0.25"),
        (Utility(miss=-0.5, rest=0.01, collection=100), "1 * 3 - 1 * 4 - 0.5 * 1 + 0.01 * 92"),
        # Documents at ranks 2 and 4 meet those of the ideal ranking at depth 4.
        (Compat(p=0.5) @ 4, "(0.03125 + 0.03125) / (1.36458 + 0.364583 + 0.114583 + 0.03125)"),
        (NumQ, "1"),
        (NumRet @ 3, "min(7, 3) = 3"),
        (NumRel, "3 + 1 = 4"),
    ],
    ids=str,
)
def test_a_formula_is_written_as_it_is_worked_by_hand(measure: Measure, formula: str) -> None:
    told = measure.explain(RANKED, missed=MISSED)
    assert told.formula.startswith(f"{measure} = {formula}")


def test_precision_at_many_recalls_is_not_written_recall_by_recall() -> None:
    told = IPrec(recall=[step / 20 for step in range(21)]).explain([1, 0, 1])
    # 15 recalls below 0.75 want one document of the two (1/1), the six others want both (2/3).
    assert told.formula.endswith("= 19 / 21 = 0.904762")
