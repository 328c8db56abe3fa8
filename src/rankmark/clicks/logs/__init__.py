"""Logs of impressions and clicks: ``read_log``.

``log_columns`` finds the columns and their types, ``log_files`` reads files with DuckDB, and
``counting`` takes whole-number counts out of the engine that holds the log.
"""
