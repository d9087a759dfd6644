"""Experiments: a folder with a page, csv files and a figure for each, and the tools that make them; benchmarks."""
