"""Settings of backupctl: a TOML file, then environment variables on top of it."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backupctl.retention import RetentionPolicy

DEFAULT_TIMEOUT_SECONDS = 45.0

# Used for an environment that the file does not mention.
DEFAULT_POLICIES = {
    "production": RetentionPolicy(keep_days=35, keep_at_least=5),
    "staging": RetentionPolicy(keep_days=7, keep_at_least=2),
}


class ConfigError(Exception):
    """The file cannot be read or a value makes no sense."""


@dataclass(frozen=True)
class Config:
    store_url: str
    token: str
    timeout_seconds: float
    policies: dict[str, RetentionPolicy]


def load_config(path: Path, environ: Mapping[str, str] = os.environ) -> Config:
    """Reads `path`; `BACKUPCTL_URL` and `BACKUPCTL_TOKEN` win over the file.

    Raises:
        ConfigError: the file is no TOML, or the address or the token is missing.
    """
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    store = values.get("store", {})
    url = environ.get("BACKUPCTL_URL", store.get("url"))
    token = environ.get("BACKUPCTL_TOKEN", store.get("token"))
    if not url:
        raise ConfigError("no store address: set store.url or BACKUPCTL_URL")
    if not token:
        raise ConfigError("no token: set BACKUPCTL_TOKEN")
    timeout = float(store.get("timeout_seconds", DEFAULT_TIMEOUT_SECONDS))
    return Config(url, token, timeout, _policies(values.get("retention", {})))


def _policies(table: Mapping[str, Any]) -> dict[str, RetentionPolicy]:
    policies = dict(DEFAULT_POLICIES)
    for name, values in table.items():
        try:
            policies[name] = RetentionPolicy(**values)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"retention.{name}: {error}") from error
    return policies
