"""How an n-tuple network is trained: self-play, replicas, processes."""
