"""What features share: the measures asked for, a run matched with judgments, and its scores."""
