"""Score generated answers from tables of judgments: ``nuggets`` and ``citations``.

The commands are ``rankmark nuggets`` and ``rankmark citations``; no model is called.
"""
