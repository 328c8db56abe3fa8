"""What trec_eval prints, and what the same is here: from its manual, not from our names."""

import re
from pathlib import Path
from typing import Any

from conformance.cases import Case

WHOLE: dict[str, tuple[str, dict[str, Any]]] = {
    "map": ("ap", {}),
    "Rprec": ("rprec", {}),
    "recip_rank": ("rr", {}),
    "ndcg": ("ndcg", {}),
    "ndcg_1=3,2=9,4=4.5": ("ndcg", {"gain": {1: 3, 2: 9, 3: 3, 4: 4.5}}),
    "set_P": ("p", {}),
    "set_recall": ("r", {}),
    "set_relative_P": ("r", {"norm": "min"}),
    "set_F": ("f", {}),
    "set_map": ("ap", {"precision": "set"}),
    "gm_map": ("ap", {"aggregate": "gmean"}),
    "bpref": ("bpref", {}),
    "gm_bpref": ("bpref", {"aggregate": "gmean"}),
    "infAP": ("infap", {}),
    "11pt_avg": ("iprec", {}),
    "11pt_avg_.25,.5,.75": ("iprec", {"recall": (0.25, 0.5, 0.75)}),
    "utility": ("utility", {}),
    "utility_2,-1,0,0": ("utility", {"hit": 2.0}),
    "G": ("g", {}),
    "binG": ("bing", {}),
    "Rndcg": ("rndcg", {}),
    "ndcg_rel": ("ndcg_rel", {}),
    "num_nonrel_judged_ret": ("num_nonrel_judged_ret", {}),
    "num_q": ("num_q", {}),
    "num_ret": ("num_ret", {}),
    "num_rel": ("num_rel", {}),
    "num_rel_ret": ("num_rel_ret", {}),
}
CUT: dict[str, tuple[str, dict[str, Any]]] = {
    "P": ("p", {}),
    "recall": ("r", {}),
    "relative_P": ("r", {"norm": "min"}),
    "map_cut": ("ap", {}),
    "ndcg_cut": ("ndcg", {}),
    "success": ("success", {}),
    "unj": ("unjudged", {}),
}
SHARES = {"iprec_at_recall": ("iprec", "recall"), "Rprec_mult": ("rprec", "multiple")}
# trec_eval's -l moves all others.
WITHOUT_LEVEL = {"ndcg", "num_q", "num_ret", "g", "rndcg", "ndcg_rel", "unjudged"}


def case_of(name: str, level: float = 1, version: int = 10) -> Case | None:
    """Give our measure of what trec_eval prints under a name at ``-l level``, or None."""
    if name in WHOLE:
        stem, parameters = WHOLE[name]
    elif (cut := re.fullmatch(r"(\w+)_(\d+)", name)) and cut[1] in CUT:
        stem, parameters = CUT[cut[1]]
        parameters = {**parameters, "k": int(cut[2])}
    elif (share := re.fullmatch(r"(\w+)_(\d\.\d\d)", name)) and share[1] in SHARES:
        stem, parameter = SHARES[share[1]]
        parameters = {parameter: float(share[2])}
    else:
        return None
    if stem == "iprec" and version < 10:
        parameters = {**parameters, "rounding": "tenth"}
    if level != 1 and stem not in WITHOUT_LEVEL:
        parameters = {**parameters, "rel": level}
    return Case(stem, parameters)


def printed(path: Path) -> dict[tuple[str, str], str]:
    """Read what trec_eval printed: under a measure and a query id (or ``all``), the figure."""
    lines = (line.split() for line in path.read_text().splitlines())
    return {(fields[0], fields[1]): fields[2] for fields in lines if len(fields) == 3}
