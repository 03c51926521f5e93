"""Rummikub as a PettingZoo AEC environment, version 0.

=====================  ====================================================================
import                 ``from rummikub_env import rummikub_v0``
actions                discrete, one or several a turn
parallel API           no: agents take turns
agents                 2 to 4: ``player_0`` ... ``player_3``
action shape           (54,) one of ``Discrete(54)`` [1]_
observation            ``{"observation": float32 (d,), "action_mask": int8 (54,)}``
rewards                by name, see below
=====================  ====================================================================

.. [1] Sizes are of the standard tile set; other tile sets have others.

>>> from rummikub_env import rummikub_v0
>>> env = rummikub_v0.env(num_players=3)
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, terminated, truncated, info = env.last()
...     over = terminated or truncated
...     env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
>>> env.close()

Turns
-----
A turn is spelled in one or several steps of the same agent, ``agent_selection`` simply stays: play a tile
from the rack, another one, ..., then end the turn. Which sets the tiles make with those on the table is the
solver's business. The game changes when the turn ends.

======  =========================================================================================
action  meaning
======  =========================================================================================
0-51    play the tile ``13 * colour + value - 1``; colours black 0, red 1, blue 2, orange 3
52      play a joker
53      end the turn: lay what was played; if nothing was, draw a tile (or pass if none are left)
======  =========================================================================================

Mask
----
``action_mask`` (also in the info) is exact: an action is allowed if and only if some legal turn begins with
the actions so far followed by it. So an agent that follows the mask can always finish its turn legally. It is
all 0 out of turn and when the game is over. An action that the mask forbids ends the game for all with
`illegal_reward` for the offender and 0 for the others (``illegal="terminate"``), or raises `IllegalAction`
with a list of what is allowed and changes nothing (``illegal="raise"``). A value outside the action space is
a ValueError.

Observation
-----------
`observe` is valid for every agent at every moment. What an agent cannot know is not in it. Seats are
relative: entry 0 is the observer, entry 1 plays after it. Values lie mostly between 0 and 1, and
``env.layout[piece]`` says where a piece lies, its shape, its meaning and its range.

==========  ==============  ===========================================================================
piece       shape           meaning
==========  ==============  ===========================================================================
rack        (53,)           tiles on the own rack / copies
spelled     (53,)           those of them that are played so far this turn / copies
table       (53,)           tiles on the table / copies
unseen      (53,)           tiles in the pool or on another rack / copies
jokers      (52,)           jokers on the table that stand or may stand for a tile / jokers
opened      (players,)      who has made the opening play
rack_sizes  (players,)      tiles on each rack / 14
pool        (1,)            tiles in the pool / 106
last        (players, 5)    what each seat did last: drew, passed, played, ran out of time; tiles / 14
phase       (players + 4,)  seat on turn; passes in a row; turns; is the pool empty, is the game over
==========  ==============  ===========================================================================

Rewards
-------
Paid to all agents in the step that ends a turn. ``win`` (default): at the end, winner 1, the others share
-1. ``score``: at the end, the score of the round in points. ``rank``: at the end, 1 to -1 by place. ``tiles``
(shaped): every turn, tiles that left the rack / 14. When the game ends it ends for all agents in one step;
`truncations` are set only together with `terminations`, after an illegal action.

Info
----
The same keys for every agent at every moment, numbers only: ``action_mask``, ``turn`` (turns made), ``score``
(of the round; 0 until its end), ``illegal`` (1 for an agent that ended the game by an illegal action).

Arguments
---------
===============  ==============  ==========================================================================
argument         default         meaning
===============  ==============  ==========================================================================
num_players      ``2``           seats, within what the rules allow
rules            ``"sabra"``     name of a preset, or a `RuleSet`
overrides        ``None``        rules that differ from it, such as ``{"max_value": 6}``
actions          ``"tiles"``     the action codec
observation      ``"counts"``    the observation
reward           ``"win"``       the reward
draws            ``"shared"``    one stack for all, or ``"private"``: each seat draws in an order of its own
illegal          ``"terminate"`` what an illegal action does, or ``"raise"``
illegal_reward   ``-1.0``        what it costs
render_mode      ``None``        ``"ansi"``: `render` gives a string; ``"human"``: each step is printed
===============  ==============  ==========================================================================

``reset(seed, options={"state": "<one line of text>"})`` starts from a given position. ``copy.deepcopy``,
`pickle`, `clone` and `get_state` / `set_state` (plain JSON data) restore a running game exactly, a
half-spelled turn and the generator included.

Version history
---------------
* v0: first version.
"""

from rummikub_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]

try:
    from pettingzoo import register
except ImportError:  # PettingZoo before 1.27 has no registry
    pass
else:
    register("aec", "rummikub_v0", entry_point="rummikub_env.rummikub_v0:env")
