"""Judgments by people and by models: how far they agree, and what few labels by people estimate."""
