"""``python -m rankmark.compat.trec_eval`` is ``rankmark trec_eval``."""

import sys

from rankmark.compat.trec_eval import main

if __name__ == "__main__":
    sys.exit(main())
