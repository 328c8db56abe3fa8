"""Forks the Python workers of Spark from a process that has imported what all of them use.

Each worker would import it anew, and look through all of it for garbage after every task, which is
most of what short tasks take. `rankmark` is not among it: tests put another one in its place.
"""

import gc

import pandas  # noqa: F401
import pyarrow.compute  # noqa: F401
import pyspark.sql.pandas.serializers
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

if __name__ == "__main__":
    gc.freeze()
    manager()
