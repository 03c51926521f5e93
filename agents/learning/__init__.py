"""Masked PPO self-play: settings, rollouts, advantages, loss, checkpoints, curves; the loop is `train.py`."""
