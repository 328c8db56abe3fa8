"""``python -m rankmark.compat.trec_eval`` is ``rankmark trec_eval``."""

import sys

from rankmark.compat.trec_eval import main

sys.exit(main())
