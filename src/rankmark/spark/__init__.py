"""Evaluate judgments and runs in Spark DataFrames, with PySpark 4.

``evaluate`` and ``compare`` are those of ``rankmark``, for DataFrames of any size. Install the
extra ``spark`` for the driver; executors need rankmark, NumPy and PyArrow.
"""

from rankmark.spark.compare_frames import compare as compare
from rankmark.spark.evaluate_frames import evaluate as evaluate
from rankmark.spark.spark_evaluation import SparkEvaluation as SparkEvaluation

__all__ = ["SparkEvaluation", "compare", "evaluate"]
