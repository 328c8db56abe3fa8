"""Find the conventions behind a number from elsewhere: ``reconcile``.

``alternatives`` is the table of what is tried; ``candidates`` are choices at once, with their
values from ``rankings``. ``search`` finds those that fit the ``targets``, ``found_conventions``
describes them, and ``reconciliation`` is the result. ``tools`` knows where a tool differs.
"""
