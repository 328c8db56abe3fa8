"""Pictures of evaluations: which there are, what they show, and in what words."""
