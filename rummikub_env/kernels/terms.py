"""What the kernels need to know of a rule set: numbers, and tables that are made once."""

from typing import NamedTuple

from rummikub_env.kernels.tables import Tables


class Terms(NamedTuple):
    """A rule set as the kernels see it; flags are 0 or 1."""

    colours: int
    values: int
    joker: int
    """The kind of the joker: colours * values."""
    distinct: int
    """Are the colours of a group distinct?"""
    largest_group: int
    longest_run: int
    told: int
    """Beside fewer real tiles than this the jokers of a group say their value."""
    stay: int
    """Do jokers on the table keep their meaning until they are replaced?"""
    new_sets: int
    """Must a replaced joker lie in a new set?"""
    from_table: int
    """May what replaces a joker come from the table?"""
    both_missing: int
    """Does it take both missing colours to replace a joker of a group of three?"""
    points: int
    """What an opening must be worth, at least 1."""
    joker_points: int
    """Do its jokers count?"""
    no_jokers: int
    """Are jokers forbidden in it?"""
    frozen: int
    """Do sets with jokers stay whole? What becomes of them is not for the kernels to say."""
    tables: Tables
