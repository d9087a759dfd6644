"""Intervals, summaries of sets of games, and errors of values, without pandas."""
