"""What every player is: something with a name that moves when it is its turn."""

from typing import Protocol

import numpy as np

from rummikub_env.game import Move
from rummikub_env.state import View


class Player(Protocol):
    """Anything that can play: it sees its `View` and answers with a whole turn."""

    @property
    def name(self) -> str:
        """The name shown in tables and records."""
        ...

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """A legal move of the seat `view.seat`, whose turn it is; all chance comes from `rng`."""
        ...
