"""Texts as unit vectors: the role, the models that play it, and a cache on disk."""
