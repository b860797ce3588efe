"""Reads prompt files, tells their version by their hash, and checks them.

A `prompts/` beside `rag.toml` wins over the package's own, file by file.
"""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rag.domain.errors import SetupError
from rag.domain.models import Prompt

# In a checkout `prompts/` stands beside the package; the build puts it into the package.
_PACKAGED = (Path(__file__).parent / "prompts", Path(__file__).parent.parent / "prompts")


class PromptBook:
    def __init__(self, own: Path | None = None) -> None:
        """`own`: the workspace's `prompts/`, which need not exist."""
        self._folders = [folder for folder in (own, *_PACKAGED) if folder and folder.is_dir()]

    def get(self, name: str, language: str, version: str | None = None) -> Prompt:
        """The prompt `name` in `language`: the newest version, or the one named (`v2`).

        Raises:
            SetupError: there is no such file, or it is not a prompt.
        """
        for folder in self._folders:
            found = self._versions(folder / name / language)
            if version is not None and version in found:
                return _read(name, language, version, found[version])
            if version is None and found:
                newest = max(found, key=lambda label: int(label[1:]))
                return _read(name, language, newest, found[newest])
        wanted = f"{name}/{language}/{version or 'vN'}"
        raise SetupError(f"no prompt {wanted}", "`rag prompt list` shows those there are")

    def all(self) -> list[Prompt]:
        """Every version of every prompt, the workspace's before the package's of the same label."""
        prompts: dict[str, Prompt] = {}
        for folder in self._folders:
            for file in sorted(folder.glob("*/**/v*.toml")):
                name, language = file.parent.parent, file.parent.name
                label = f"{name.relative_to(folder).as_posix()}/{language}/{file.stem}"
                if label not in prompts:
                    prompts[label] = _read(
                        name.relative_to(folder).as_posix(), language, file.stem, file
                    )
        return list(prompts.values())

    @staticmethod
    def _versions(folder: Path) -> dict[str, Path]:
        return {file.stem: file for file in folder.glob("v*.toml") if file.stem[1:].isdigit()}


def _read(name: str, language: str, version: str, file: Path) -> Prompt:
    data = file.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    try:
        content: dict[str, Any] = tomllib.loads(data.decode("utf-8"))
        prompt = Prompt(
            name=name,
            language=language,
            version=f"{name}/{language}/{version}@{digest[:12]}",
            sha256=digest,
            **content,
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError, TypeError) as error:
        raise SetupError(f"{file.name} is not a prompt file: {error}", "mend it") from error
    if "{rules}" not in prompt.template:
        raise SetupError(f"{file.name} has no {{rules}} in its template", "put it where they go")
    if len({rule.id for rule in prompt.rules}) != len(prompt.rules):
        raise SetupError(f"{file.name} uses a rule id twice", "ids are unique within a prompt")
    return prompt
