"""Intervals and summaries of sets of games, without pandas."""
