"""Find the conventions behind a number from elsewhere: ``reconcile``.

``alternatives`` is the table of what is tried; ``candidates`` are choices at once, with their
values (``rankings``, ``averages``). ``search`` finds those that fit the ``targets``,
``found_conventions`` describes them, and ``reconciliation`` is the result. ``tool_difference``
shows where a tool differs.
"""
