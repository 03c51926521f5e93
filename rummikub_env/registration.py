"""The names under which Gymnasium and PettingZoo find the environments."""

import gymnasium


def register_with_gymnasium() -> None:
    """Make ``gymnasium.make("Rummikub-v0")`` known; may be called again."""
    if "Rummikub-v0" not in gymnasium.registry:
        gymnasium.register("Rummikub-v0", entry_point="rummikub_env.envs.single:SingleSeatEnv")


def register_with_pettingzoo() -> None:
    """Make ``pettingzoo.make("aec", "rummikub_v0")`` known, where there is such a thing; may be called again."""
    try:
        from pettingzoo import aec_registry, register
    except ImportError:  # PettingZoo before 1.27 has no registry
        return
    if "rummikub-v0" not in aec_registry:  # as it spells our name; it warns of one that is there already
        register("aec", "rummikub-v0", entry_point="rummikub_env.rummikub_v0:env")
