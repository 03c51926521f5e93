"""Masked PPO self-play: settings, rollouts, imitation, advantages, loss, files, curves; the loop is `train.py`."""
