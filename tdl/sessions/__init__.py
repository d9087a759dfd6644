"""One game at a time: recorded, replayed, judged, or played by hand."""
