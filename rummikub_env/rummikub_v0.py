"""Rummikub as a PettingZoo AEC environment, version 0.

=====================  ====================================================================
import                 ``from rummikub_env import rummikub_v0``
actions                discrete, one or several a turn
parallel API           no: agents take turns
agents                 as many as the rules allow, 2 to 4 in most: ``player_0`` ... ``player_3``
action shape           (54,) one of ``Discrete(54)`` [1]_
observation            ``{"observation": float32 (d,), "action_mask": int8 (54,)}``
rewards                by name, see below
=====================  ====================================================================

.. [1] Sizes are of the standard tile set and the default codec; others have others.

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

That is the codec ``actions="tiles"``. There are others, of which ``docs/spaces.md`` tells more; with them the env is
not compiled, and slower. An agent each: ``actions={"player_0": "tiles", "player_1": "turns"}``.

=========  ==============  ==================================================================================
actions    size            an action is
=========  ==============  ==================================================================================
`tiles`    54              a tile to play, or the end of the turn; the solver lays the tiles
`sets`     7,674           a set of the new table, or the end: the agent lays the tiles, and says what jokers are
`turns`    65              one of the 64 best plays, or none; ``"turns:k=128"``; ``env.codec.features(env.draft)``
=========  ==============  ==================================================================================

Mask
----
``action_mask`` (also in the info) is exact: an action is allowed if and only if some legal turn begins with
the actions so far followed by it. So an agent that follows the mask can always finish its turn legally. It is
all 0 out of turn and when the game is over. An action that the mask forbids ends the game for all with
`illegal_reward` for the offender and 0 for the others (``illegal="terminate"``), or raises `IllegalAction`
with a list of what is allowed and changes nothing (``illegal="raise"``). A value outside the action space is
a ValueError.

Rounds, matches
---------------
An episode is one round, unless the rules end a match (`match_end`), or ``match={"rounds": 4}`` or
``{"target": 200}`` does in their place. Then it is the whole match: the step that ends a round also deals the next
one from the env's generator, and the last round ends the episode. Who begins a round is drawn for anew, or is the
seat after the dealer; the deal passes on, and a lot says who deals first. ``env.match`` holds the rounds so far.

Time
----
Nothing reads a clock. With ``max_steps_per_turn=N`` the time is over after N actions of one turn without its end:
the N-th action is followed at once by the time-out of the rules. Under ``timeout_valid_table="accept"`` the tiles
played so far count if the turn could end there; else they go back to the rack and `timeout_penalty_tiles` are drawn.
The mask does not know of it: it tells what turns are legal, not which ones fit into the time. Rules without a clock
(``turn_seconds=None``) do not say what a time-out is; there the option is a ValueError.

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
match       (players + 1,)  only in a match: points of each seat / target or 100 x rounds; rounds left
==========  ==============  ===========================================================================

That is ``observation="counts"``. Others are chosen by name, and joined: ``"counts+history"``, or a list of names of
observations and pieces; ``docs/spaces.md`` shows their sizes. A piece is one reshape of the vector:
``field = env.layout["planes"]; vector[field.where].reshape(field.shape)``. All but `counts` are read in Python, and
slower.

===========  ==============================================================================================
observation  pieces
===========  ==============================================================================================
`counts`     those above
`planes`     ``planes`` (channels, colours, values), and what is no count of tiles: ``opened`` to ``phase``
`tokens`     ``tokens`` (tiles, 6), ``tokens_mask`` (tiles,), and the same
`history`    ``turns`` (8, players + 58), the last turns; ``let_by`` (players, 54), what each seat drew on
===========  ==============================================================================================

``env.state(agent)`` is what the agent observes and the racks of all others (``env.state_layout["racks"]``): for
critics, never part of what an agent observes.

The points of a match may be negative, and are shown up to 10 units. Where rules give no scores they are the
rounds won / rounds. Rounds left, this one included, are a share of all rounds; 0 where a target ends the match.

Rewards
-------
Paid to all agents in the step that ends a turn. ``win`` (default): at the end of a round, winner 1, the others
share -1. ``score``: at the end of a round, its score in points. ``rank``: at the end of a round, 1 to -1 by place.
``tiles`` (shaped): every turn, tiles that left the rack / 14. ``match``: at the end of a match, as ``win``, for who
has won it. So in a match all but the last are paid round by round, with nothing on top at the end: ``score`` adds up
to the score of the match. For a single round ``match`` is ``win``. When the game ends it ends for all agents in one
step; `truncations` are set only together with `terminations`, after an illegal action.

Info
----
The same keys for every agent at every moment, numbers only: ``action_mask``, ``turn`` (turns made in the round),
``score`` (of the round; 0 until its end), ``round`` (its number in the match; 1 is the first), ``match_score`` (of all
rounds that are over; of a single round, its score), ``illegal`` (1 for an agent that ended the game by an illegal
action).

Arguments
---------
==================  ==============  =======================================================================
argument            default         meaning
==================  ==============  =======================================================================
num_players         ``2``           seats, within what the rules allow
rules               ``"sabra"``     name of a preset, or a `RuleSet`
overrides           ``None``        rules that differ from it, such as ``{"max_value": 6}``
actions             ``"tiles"``     the action codec, or one for each agent
observation         ``"counts"``    the observation, or names of observations and pieces
reward              ``"win"``       the reward
draws               ``"shared"``    one stack for all, or ``"private"``: each seat draws in its own order
match               ``None``        ``{"rounds": 4}`` or ``{"target": 200}``: an episode is a match
max_steps_per_turn  ``None``        actions of one turn after which its time is over
illegal             ``"terminate"`` what an illegal action does, or ``"raise"``
illegal_reward      ``-1.0``        what it costs
render_mode         ``None``        ``"ansi"``: `render` gives a string; ``"human"``: each step is printed
==================  ==============  =======================================================================

``reset(seed, options={"state": "<one line of text>"})`` starts from a given position, in a match as its first round.
``copy.deepcopy``, `pickle`, `clone` and `get_state` / `set_state` (plain JSON data) restore a running game or match
exactly, a half-spelled turn and the generator included.

Version history
---------------
* v0: first version.
"""

from rummikub_env.envs.aec import env, raw_env
from rummikub_env.registration import register_with_gymnasium, register_with_pettingzoo

__all__ = ["env", "raw_env"]

register_with_gymnasium()
register_with_pettingzoo()
