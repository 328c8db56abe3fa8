"""``python -m rankmark.compat.trec_eval`` is ``rankmark trec_eval``."""

import os
import sys

from rankmark.compat.trec_eval import main

if __name__ == "__main__":
    # Else NumPy's linear algebra, which is not used, starts a busy thread per core.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
