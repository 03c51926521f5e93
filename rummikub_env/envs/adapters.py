"""Small adapters for libraries that want the same under other names, or less of it."""

from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from pettingzoo.utils import BaseWrapper


class Renamed(gymnasium.ObservationWrapper[dict[str, Any], Any, dict[str, Any]], RecordConstructorArgs):
    """A Gymnasium env whose observation is a dict, with other keys: ``Renamed(env, observation="obs")``.

    A key that is not named keeps its name. KeyError for one that the observation does not have.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], **names: str) -> None:
        RecordConstructorArgs.__init__(self, **names)  # type: ignore[arg-type]  # it takes any names
        super().__init__(env)
        space = env.observation_space
        if not isinstance(space, spaces.Dict):
            raise TypeError(f"the observation is no dict but in {space}: make the env with mask_in_observation=True")
        if unknown := sorted(names.keys() - space.keys()):
            raise KeyError(f"the observation has no {', '.join(unknown)}; it has {', '.join(space)}")
        self._names = names
        self.observation_space = spaces.Dict({names.get(key, key): part for key, part in space.items()})

    def observation(self, observation: dict[str, Any]) -> dict[str, Any]:
        """The same parts under their new names."""
        return {self._names.get(key, key): part for key, part in observation.items()}


class InfosWithoutMasks(BaseWrapper):  # type: ignore[misc]  # PettingZoo is shipped without type information
    """A PettingZoo env whose infos leave the masks to the observations: TorchRL stumbles over having both."""

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """Those of the env, less ``action_mask``."""
        return {
            agent: {key: value for key, value in info.items() if key != "action_mask"}
            for agent, info in self.env.infos.items()
        }
