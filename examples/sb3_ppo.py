"""MaskablePPO of sb3-contrib: the env has `action_masks`, so nothing has to be adapted.

``python examples/sb3_ppo.py``
"""

from mini import Act, Curve, arguments, make
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

LIBRARY = "sb3-contrib"


class Evaluated(BaseCallback):
    """Adds to the curve, and ends the training with it."""

    def __init__(self, curve: Curve) -> None:
        super().__init__()
        self.curve, self.goes_on = curve, True

    def _on_rollout_start(self) -> None:
        self.goes_on = self.curve.goes_on(self.num_timesteps, acting(self.model))

    def _on_step(self) -> bool:
        return self.goes_on


def acting(model: MaskablePPO) -> Act:
    """The likeliest action; the mask has to be handed over again, or it is not used."""
    return lambda seen, mask: int(model.predict(seen, action_masks=mask, deterministic=True)[0])


def main() -> None:
    """Train, and write the curve."""
    told = arguments(LIBRARY, 20_000)
    env = make(mask_in_observation=False)  # the mask comes from `action_masks`; as an input as well it would be noise
    model = MaskablePPO("MlpPolicy", env, n_steps=2_000, batch_size=250, gamma=1.0, seed=told.seed, device="cpu")
    model.learn(10 * told.steps, callback=Evaluated(Curve(LIBRARY, told)))


if __name__ == "__main__":
    main()
