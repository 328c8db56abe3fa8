"""What features share: the measures asked for, a run matched with judgments, and its scores.

``request`` finds the measures; ``ranked`` has the matched run, which alone knows the
rule for ties (``ties``, over all orders); ``scored_run`` scores it. ``intervals`` and
``unjudged_bounds`` say how far a score could be off, ``aggregates`` and ``cutoffs`` put scores
together, and ``kept_data`` is what a result keeps. The function is in ``rankmark.verbs.evaluate``.
"""
