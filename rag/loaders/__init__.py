"""One file per format family; the wiring finds a loader by its `SUFFIXES`.

A loader is a module with `SUFFIXES` (lower case, with the dot), `VERSION` (raised when the same
file would give another text: its documents are then read again) and `load(path, limits)`, which
returns a `LoadedDocument` or raises `LoadError` with a one-line reason. Loaders are strangers to
each other; what all of them need is here.
"""

from pathlib import Path

from rag.domain.documents import Limits
from rag.domain.errors import LoadError


def read_file(path: Path, limits: Limits) -> bytes:
    """The file's bytes, refused as soon as there are more than `limits.max_bytes` of them.

    Raises:
        LoadError: too large, unreadable, or no regular file.
    """
    try:
        if not path.is_file():  # a pipe or a device would block or never end
            raise LoadError("not a regular file" if path.exists() else "no such file")
        with path.open("rb") as stream:
            data = stream.read(limits.max_bytes + 1)
    except OSError as error:
        raise LoadError(f"cannot be read: {error.strerror or error}") from error
    if len(data) > limits.max_bytes:
        raise LoadError(
            f"larger than {limits.max_bytes / 1e6:g} MB", "raise max_file_mb or split the file"
        )
    return data
