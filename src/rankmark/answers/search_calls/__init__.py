"""Several searches for one question, as by agents: ``merge_calls`` and ``evaluate_calls``.

The command is ``rankmark search-calls``.
"""
