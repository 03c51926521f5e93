"""Pictures of a game. They read a state or a view from outside; nothing in the game knows of them."""

from rummikub_env.render.text import render_rack, render_state, render_table, render_view, terminal_has_colour

__all__ = ["render_rack", "render_state", "render_table", "render_view", "terminal_has_colour"]
