"""Environments: they adapt the game to the interfaces of learning libraries and hold no rule.

Submodules are imported one by one, so that a program pays only for the library it uses: `aec`
(PettingZoo), `vector` (many games side by side), `rewards`.
"""
