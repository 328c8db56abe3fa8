"""Lists: of ids, best first, for one query; or of one such list, set or mapping for each query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import _core
from rankmark.errors import DuplicateError, InputError, SchemaError
from rankmark.sources.columns import Chosen
from rankmark.sources.mappings import NestedMapping
from rankmark.sources.source import AlignedRun, Judged
from rankmark.sources.table import TableSource, refuse_another_shape, worded

if TYPE_CHECKING:
    from rankmark.conventions import Conventions
    from rankmark.sources.files import Progress
    from rankmark.sources.forms import Kind, Options
    from rankmark.sources.qrels import Qrels
    from rankmark.sources.source import Source
