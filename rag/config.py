"""Settings: `rag.toml`, then `RAG_*` in the environment, then flags. Frozen, no globals."""

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from rag.domain.errors import SetupError, UsageError

SETTINGS_FILE = "rag.toml"
_PREFIX = "RAG_"
_FROZEN = ConfigDict(frozen=True, extra="forbid")

Name = Annotated[str, Field(min_length=1)]


class ChunkSettings(BaseModel):
    """How documents are cut. Sizes in tokens as `core.tokens` counts them."""

    model_config = _FROZEN
    # The bundled embedder reads 510 tokens at once; a chunk of 320 plus its context fits.
    size: int = Field(default=320, ge=32, le=4000)
    overlap: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _overlap_below_size(self) -> "ChunkSettings":
        if self.overlap >= self.size:
            raise ValueError(
                f"chunk.overlap ({self.overlap}) must be smaller than chunk.size ({self.size})"
            )
        return self


class TraceSettings(BaseModel):
    model_config = _FROZEN
    content: Literal["full", "refs"] = "full"


class Settings(BaseSettings):
    """Everything a person can set. `root` is the folder of `rag.toml`; paths are relative to it."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        env_prefix=_PREFIX,
        env_nested_delimiter="__",
    )
    root: Path
    knowledge: Path = Path("knowledge")
    index: Path = Path(".rag")
    traces: Path = Path("traces")
    prompts: Path = Path("prompts")
    cache: Path | None = None
    """Folder for what can be made again; the platform's own place for caches when unset."""
    language: Literal["auto", "en", "zh-Hant"] = "auto"

    embedder: Name = "e5"
    embed_model: Name = "embeddinggemma"
    threads: int = Field(default_factory=lambda: os.cpu_count() or 1, ge=1)

    llm: Name = "auto"
    model: Name = "gemma4:e4b"
    ollama_host: Name = "http://localhost:11434"
    static_replies: Path | None = None
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    seed: int = 0
    num_ctx: int = Field(default=8192, ge=1024)
    num_predict: int = Field(default=1024, ge=16)
    timeout: float = Field(default=120.0, gt=0)
    prompt: str | None = None
    """A version such as `v1`; the newest when unset."""

    retries: int = Field(default=1, ge=0, le=2)
    coverage: Literal["strict", "warn"] = "warn"
    support: Literal["strict", "warn", "off"] = "strict"
    max_sources: int = Field(default=5, ge=1, le=50)
    context_tokens: int = Field(default=4000, ge=200)

    rerank: Literal["off", "ids", "scored", "rubric"] = "off"
    rerank_model: str | None = None
    rerank_timeout: float = Field(default=15.0, gt=0)
    """Seconds for one call, its retry included; loading a cold model excepted."""
    rerank_batch: int = Field(default=5, ge=2, le=20)
    """Passages in one call of the scored form."""

    max_file_mb: int = Field(default=50, ge=1)
    max_pages: int = Field(default=2000, ge=1)
    file_timeout: float = Field(default=60.0, gt=0)
    follow_links: bool = False

    chunk: ChunkSettings = ChunkSettings()
    trace: TraceSettings = TraceSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load_settings` laid together: it also tells where each value came from."""
        return (init_settings,)

    @property
    def knowledge_dir(self) -> Path:
        return self.root / self.knowledge

    @property
    def index_dir(self) -> Path:
        return self.root / self.index

    @property
    def traces_dir(self) -> Path:
        return self.root / self.traces


class Resolved(BaseModel):
    """Settings and where each one that is not a default came from."""

    model_config = _FROZEN
    settings: Settings
    origins: dict[str, str]


def load_settings(root: Path, flags: dict[str, Any] | None = None) -> Resolved:
    """Settings of the workspace at `root`.

    Raises:
        SetupError: `rag.toml` is not TOML, a key is unknown or a value cannot work.
        UsageError: a flag's value cannot work.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    _overlay(values, origins, _read_file(root / SETTINGS_FILE), SETTINGS_FILE)
    _overlay(values, origins, _read_environment(), "environment")
    _overlay(values, origins, {k: v for k, v in (flags or {}).items() if v is not None}, "flag")
    if where := origins.get("root"):
        raise SetupError(
            f"unknown setting 'root' (from {where})", "the folder is named by `rag --root FOLDER`"
        )
    try:
        return Resolved(settings=Settings(root=root, **values), origins=origins)
    except ValidationError as error:
        message, hint, origin = _explain(error, origins)
        kind = UsageError if origin == "flag" else SetupError
        raise kind(message, hint) from error


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that holds `rag.toml` or an index; else `start`."""
    for folder in (start, *start.parents):
        if (folder / SETTINGS_FILE).is_file() or (folder / ".rag" / "catalog.sqlite").is_file():
            return folder
    return start


def _overlay(
    values: dict[str, Any], origins: dict[str, str], layer: dict[str, Any], origin: str
) -> None:
    """Lay one source over those before it, table by table."""
    for key, value in layer.items():
        if isinstance(value, dict) and isinstance(values.get(key, {}), dict):
            values.setdefault(key, {}).update(value)
            origins.update({f"{key}.{inner}": origin for inner in value})
        else:
            values[key] = value
            origins[key] = origin


def _read_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SetupError(
            f"{path.name} is not valid TOML: {error}", "mend the line named"
        ) from error


def _read_environment() -> dict[str, Any]:
    """`RAG_MAX_SOURCES=3`, `RAG_CHUNK__SIZE=200`, and `OLLAMA_HOST` as Ollama itself reads it.

    A `RAG_` name that is no setting is refused like a wrong key in the file: a typo must not
    silently leave a default in place.
    """
    try:
        given = EnvSettingsSource(Settings)()
    except SettingsError as error:  # a whole table must be JSON
        raise SetupError(
            f"{error} (from the environment)", "name one field of a table: RAG_CHUNK__SIZE=200"
        ) from error
    found: dict[str, Any] = {name: value for name, value in given.items() if value != ""}
    for name in os.environ:
        field = name.removeprefix(_PREFIX).lower().partition("__")[0]
        if name.startswith(_PREFIX) and os.environ[name] and field not in Settings.model_fields:
            raise SetupError(
                f"unknown setting {field!r} (from the environment: {name})",
                "`rag config` lists the settings",
            )
    if (host := os.environ.get("OLLAMA_HOST")) and "ollama_host" not in found:
        found["ollama_host"] = host
    return found


def _explain(error: ValidationError, origins: dict[str, str]) -> tuple[str, str, str]:
    """Message, hint, and where the value came from."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    origin = origins.get(key) or next(
        (where for name, where in origins.items() if name.startswith(f"{key}.")), "settings"
    )
    hint = "`rag config` lists the settings"
    if first["type"] == "extra_forbidden":
        return f"unknown setting {key!r} (from {origin})", hint, origin
    message = first["msg"].removeprefix("Value error, ")
    return f"setting {key or 'chunk'}: {message} (from {origin})", hint, origin
