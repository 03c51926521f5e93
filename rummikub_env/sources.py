"""Where the rules come from: the sources by key, what each preset follows, which source states which clause."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rummikub_env.rules import PRESETS, RuleSet, Value


class Origin(NamedTuple):
    """What a preset follows, and what it is in a few words."""

    source: str
    """A key of `SOURCES`."""
    about: str


SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "000": "English encyclopedia text on a US edition (Pressman) of 1998",
        "001": "rules page that paraphrases the Sabra description, with a limit of two minutes",
        "004": "Norwegian machine translation of a later encyclopedia text",
        "OFF": "current official manual (Lemada, Goliath, Jumbo), by its mirrors",
        "6P": "German manual of the edition for 2 to 6 players",
        "PAG": "pagat.com/rummy/rummikub.html, Sabra section, by mirrors and quotations",
        "RG": "rummy-games.com, Sabra page, as copied elsewhere",
        "CLUB": "rules of the German association (rummikub.de, rummikub-klub.de)",
        "MSO": "event rules of the Mind Sports Olympiad",
        "OPT": "rrrummy.com help pages, rummy with configurable rules",
        "CARD": "Vatikan and Machiavelli: pagat.com, rummyrulebook.com, gamerules.com, Wikipedia, Italian pages",
        "product": "a decision of this engine: the sources are silent",
    }
)

ORIGINS: Mapping[str, Origin] = MappingProxyType(
    {
        "sabra": Origin("OFF", "the current official rules: opening worth 30, a minute a turn"),
        "pressman_1998": Origin("000", "opening worth 50, no clock, fewest tiles win a stalemate"),
        "pressman_1998_single_set": Origin("000", "read strictly: one set alone must be worth the 50"),
        "sabra_timed": Origin("001", "two minutes, table play after the opening, jokers declared and fixed"),
        "sabra_timed_draw_until": Origin("001", "read literally: draw until a play is possible"),
        "pagat_sabra": Origin("PAG", "as sabra_timed, but the tile drawn for the start goes back"),
        "rummy_games_50": Origin("RG", "opening worth 50, counter-clockwise, play or draw 7"),
        "wikipedia_no": Origin("004", "jokers move freely, and may be retrieved before the opening"),
        "wikipedia_no_strict": Origin("004", "with the lost negation restored: no joker before the opening"),
        "six_player_160": Origin("6P", "5 or 6 players with three copies and four jokers"),
        "german_club": Origin("CLUB", "as sabra, with a new deal on request for three pairs"),
        "mso_tournament": Origin("MSO", "2 players, a dealt joker each, joker 50, 100 or 200 for the unopened"),
        "machiavelli": Origin("CARD", "two packs without jokers, no opening, 15 cards, ace high or low"),
        "machiavelli_it": Origin("CARD", "Italian: four jokers, 13 cards, runs go on past the ace"),
        "vatikan": Origin("CARD", "13 cards, the first meld holds a run, ace high or low, no scores"),
    }
)
"""For each preset its source and a line about it."""

_SIX = "000 001 004 OFF PAG RG"
_STATED: Mapping[str, str] = {
    "colours": _SIX + " CARD",
    "max_value": _SIX + " CARD",
    "copies_per_tile": _SIX + " 6P CLUB MSO CARD",
    "joker_count": _SIX + " 6P CLUB MSO CARD",
    "players_min": _SIX + " 6P CARD",
    "players_max": _SIX + " 6P MSO CARD",
    "rack_size": _SIX + " 6P CLUB MSO CARD",
    "dealt_jokers": "MSO",
    "starter_method": "000 001 004 OFF RG 6P CARD",
    "starter_tie": "",
    "starter_joker": "6P",
    "starter_tile_kept": "000 001 004 OFF",
    "direction": _SIX,
    "redeal": "CLUB MSO CARD",
    "min_set_size": _SIX + " 6P CARD",
    "max_group_size": _SIX + " 6P",
    "group_colours_distinct": _SIX + " 6P",
    "max_run_length": "000 004 OFF CLUB",
    "run_wrap": "000 004 OFF PAG CLUB CARD",
    "max_jokers_per_set": "001 OFF",
    "joker_declaration": "001 PAG",
    "initial_meld_required": _SIX + " 6P CLUB MSO CARD",
    "initial_meld_points": _SIX + " 6P CLUB MSO CARD",
    "initial_meld_scope": _SIX + " CLUB MSO",
    "initial_meld_type": "CARD",
    "initial_meld_joker": _SIX + " CLUB",
    "initial_meld_table_play": "001 004 OFF PAG CLUB MSO CARD",
    "joker_retrieval_before_meld": "000 004 OFF CLUB MSO",
    "min_tiles_per_turn": _SIX,
    "voluntary_draw": "000 001 004 OFF RG CLUB",
    "draw_rule": _SIX + " CLUB CARD",
    "play_drawn_tile": "001 OFF PAG CLUB CARD",
    "must_play_if_able": "000 001 004 OFF RG",
    "missed_play_penalty_tiles": "RG",
    "turn_seconds": "001 OFF PAG MSO CARD",
    "timeout_valid_table": "",
    "timeout_penalty_tiles": "001 OFF PAG",
    "invalid_table_action": "",
    "invalid_table_penalty_tiles": "",
    "joker_release": "000 001 004 OFF PAG CARD",
    "joker_replacement_source": "000 001 004 OFF PAG CARD",
    "joker_group3_release": "000 001 004 OFF PAG",
    "joker_reuse": "000 001 004 OFF PAG CARD",
    "joker_reuse_min_rack_tiles": "PAG",
    "joker_set_edits": "000 001 004 OFF PAG",
    "joker_rack_penalty": _SIX + " MSO CARD",
    "tile_scores": _SIX + " CARD",
    "pool_empty_pass": "001 OFF PAG MSO",
    "stalemate_trigger": "000 001 004 OFF PAG RG",
    "stalemate_winner": _SIX,
    "stalemate_tie": "",
    "win_scoring": _SIX + " CARD",
    "stalemate_scoring": "000 001 004 PAG RG",
    "unmelded_scoring": "004 MSO",
    "match_end": "",
}
"""For each rule the sources that state something on it."""

_SHOWN_BY: Mapping[str, str] = {origin.source: name for name, origin in reversed([*ORIGINS.items()])}
"""For each source the first preset that follows it."""


def source_of(rules: RuleSet, field: str) -> str:
    """The keys of the sources for a rule as it is in `rules`.

    It is the source of the preset where that speaks of the rule and the value is the preset's own; else the sources
    whose presets have that value; else ``product``.
    """
    preset = PRESETS[rules.name.partition(":")[0]]
    value: Value = getattr(rules, field)
    stated = _STATED[field].split()
    own = ORIGINS[preset.name].source
    if own in stated and getattr(preset, field) == value:
        return own
    same = [key for key in stated if key in _SHOWN_BY and getattr(PRESETS[_SHOWN_BY[key]], field) == value]
    return ", ".join(same) or "product"
