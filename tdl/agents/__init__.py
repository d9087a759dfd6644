"""Who learns and plays with an n-tuple network: self-play, trainer, players."""
