"""A network that has learned from search, or from whole games, which play, or none, wins most; and who plays by it."""
