"""A network that has learned from search which play, or none, wins most: features, labels, training, player."""
