"""Judgments and runs that come as one table after another, and are never held whole."""
