"""Files that are written whole or not at all, in folders that are known to take them."""

import os
from collections.abc import Iterable
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file such that whoever looks, even after a power cut, finds the old content or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def prepare(folder: Path, files: Iterable[str] = (), folders: Iterable[str] = ()) -> None:
    """Make `folder` and try it out, so that hours of work do not end in nothing.

    ValueError says why it cannot take these files and folders.
    """
    if folder.is_file():
        raise ValueError(f"cannot write in {folder}: it is a file, not a folder")
    trial = folder / ".trial"
    try:
        write_whole(trial, b"")
        trial.unlink()
    except OSError as error:
        raise ValueError(f"cannot write in the folder {folder}: {error.strerror}") from None
    for name in files:
        if (folder / name).is_dir():
            raise ValueError(f"cannot write {folder / name}: a folder of that name is in the way")
    for name in folders:
        if (folder / name).is_file():
            raise ValueError(f"cannot write {folder / name}: a file of that name is in the way")
