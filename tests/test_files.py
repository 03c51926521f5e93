"""Folders are tried out before hours of work, and files are written whole or not at all."""

import pytest

from agents.files import prepare, write_whole


def test_a_file_is_replaced_at_once_and_a_failure_leaves_the_old_one(tmp_path):
    path = tmp_path / "x"
    write_whole(path, b"old")
    with pytest.raises(TypeError):
        write_whole(path, "not bytes")
    assert path.read_bytes() == b"old"
    write_whole(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_prepared_folder_is_there_and_empty(tmp_path):
    prepare(tmp_path / "a" / "b", ["x"], ["y"])
    assert not list((tmp_path / "a" / "b").iterdir())


def test_a_folder_that_cannot_be_used_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="file: it is a file, not a folder"):
        prepare(tmp_path / "file")
    with pytest.raises(ValueError, match=r"cannot write in the folder .*file/below: Not a directory"):
        prepare(tmp_path / "file" / "below")


def test_what_is_in_the_way_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    prepare(tmp_path, ["file"], ["folder"])
    with pytest.raises(ValueError, match=r"cannot write .*folder: a folder of that name"):
        prepare(tmp_path, ["folder"])
    with pytest.raises(ValueError, match=r"cannot write .*file: a file of that name"):
        prepare(tmp_path, folders=["file"])
