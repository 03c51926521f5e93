import numpy as np
import pytest

from rummikub_env.tiles import TileSet

TILES = TileSet()
SMALL = TileSet("KRB", 6, 1, 2)


def test_the_standard_set_has_106_tiles_of_53_kinds():
    assert (TILES.kinds, TILES.total, TILES.joker) == (53, 106, 52)
    assert TILES.full.tolist() == [2] * 53
    assert (SMALL.kinds, SMALL.total) == (19, 20)


def test_the_counts_of_the_whole_set_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        TILES.full[0] = 1


def test_a_kind_is_a_colour_and_a_value():
    for kind in range(TILES.joker):
        assert TILES.kind(TILES.colour(kind), TILES.value(kind)) == kind


@pytest.mark.parametrize("tiles", [TILES, SMALL])
def test_text_of_every_piece_reads_back(tiles):
    pieces = range(2 * tiles.joker + tiles.values + 1)
    assert [tiles.parse(tiles.text(piece)) for piece in pieces] == list(pieces)


def test_pieces_by_name():
    assert TILES.parse_all("K1 r7, J J=R7 J=7") == (
        0,
        TILES.kind(1, 7),
        52,
        TILES.joker_as(TILES.kind(1, 7)),
        2 * 52 + 7,
    )


def test_what_a_piece_stands_for():
    seven = TILES.parse("R7")
    assert TILES.stands_for(seven) == TILES.stands_for(TILES.parse("J=R7")) == seven
    assert TILES.stands_for(TILES.parse("J")) is None is TILES.stands_for(TILES.parse("J=7"))
    assert TILES.joker_value(TILES.parse("J=7")) == 7
    assert TILES.joker_value(TILES.parse("J=R7")) is None is TILES.joker_value(seven)


def test_a_joker_is_the_same_tile_whatever_it_stands_for():
    pieces = TILES.parse_all("J J=R7 J=7 R7")
    assert list(map(TILES.physical, pieces)) == [52, 52, 52, TILES.parse("R7")]
    assert list(map(TILES.is_joker, pieces)) == [True, True, True, False]
    assert TILES.count(pieces)[[52, TILES.parse("R7")]].tolist() == [3, 1]


def test_counts_and_lists_are_inverse():
    pieces = TILES.parse_all("K1 K1 R7 O13 J")
    counts = TILES.count(pieces)
    assert counts.dtype == np.uint8
    assert counts.shape == (53,)
    assert TILES.listed(counts) == pieces
    assert TILES.listed(TILES.count(())) == ()


@pytest.mark.parametrize("text", ["", "R", "R0", "R14", "X3", "7", "J=", "J=0", "J=14", "J=X1", "R-1", "J7"])
def test_what_is_no_tile_is_refused_with_what_is_allowed(text):
    with pytest.raises(ValueError, match=r"is not a tile: write one of the colours K R B O and a value 1-13"):
        TILES.parse(text)


def test_a_small_set_knows_only_its_own_tiles():
    assert SMALL.parse("B6") == 17
    for text in ("O1", "K7"):
        with pytest.raises(ValueError, match="K R B and a value 1-6"):
            SMALL.parse(text)
