"""The bundled example collection, and the command that evaluates it: ``demo``."""
