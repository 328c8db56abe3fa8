"""Five million recommendations and as many things seen before, the same wherever they are made."""

from typing import Any

import numpy as np
import pandas as pd

USERS, ITEMS, EACH = 50_000, 20_000, 100
SEEN = USERS * EACH


def wanted() -> Any:
    """Return an item that each user wants."""
    items = np.random.default_rng(0).integers(0, ITEMS, USERS)
    return pd.DataFrame({"user_id": np.arange(USERS), "item_id": items})


def recommended(users: int = USERS) -> Any:
    """Return different items for each user, with scores."""
    rng = np.random.default_rng(1)
    items = (197 * np.arange(EACH) + rng.integers(0, ITEMS, (users, 1))) % ITEMS
    return pd.DataFrame(
        {
            "user_id": np.repeat(np.arange(users), EACH),
            "item_id": items.ravel(),
            "score": rng.random(users * EACH),
        }
    )


def history(users: int = USERS) -> Any:
    """Return what users had before, each item once: the more often, the lower its number."""
    found = seen(users)
    found["item_id"] = found["item_id"] * found["item_id"] // ITEMS
    return found.drop_duplicates()


def seen(users: int = USERS) -> Any:
    """Return what users have seen, in any order, some of it twice."""
    rng = np.random.default_rng(2)
    who, items = rng.integers(0, users, SEEN), rng.integers(0, ITEMS, SEEN)
    return pd.DataFrame({"user_id": who, "item_id": items})
