"""A call to a language model: what goes out, what comes back."""

from typing import Any, Literal

from pydantic import Field

from rag.domain.base import Value

Role = Literal["system", "user", "assistant"]


class Message(Value):
    role: Role
    content: str


class ModelIdentity(Value):
    """Which model answered. `str()` gives `provider:name@digest`."""

    provider: str
    name: str
    digest: str | None = None

    def __str__(self) -> str:
        tail = f"@{self.digest}" if self.digest else ""
        return f"{self.provider}:{self.name}{tail}"


class GenerationParameters(Value):
    """How a reply is generated. Everything that can change a reply is here, and in the trace."""

    temperature: float = 0.0
    seed: int = 0
    num_ctx: int = 8192
    """Tokens of context the model is loaded with."""
    num_predict: int = 1024
    """The longest reply, in tokens; always set, so no reply can run on for ever."""


class ModelRequest(Value):
    messages: tuple[Message, ...]
    reply_schema: dict[str, Any] | None = None
    """JSON schema for constrained decoding; a backend that cannot do it ignores it."""
    parameters: GenerationParameters = GenerationParameters()
    timeout: float = 120.0
    """Seconds for the whole call, loading the model excepted."""


class ModelReply(Value):
    text: str
    finish_reason: str = "stop"
    """`stop` or `length`; any other value is the backend's own word."""
    reasoning: str = ""
    """What the model thought aloud, kept apart: traced, never parsed or shown."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    duration_ms: float = 0.0


class Turn(Value):
    """An earlier exchange of a conversation: helps to understand the question, proves nothing."""

    question: str
    answer: str


class Rule(Value):
    """One rule of a prompt, said once."""

    id: str
    kind: Literal["task", "prohibition", "example"]
    text: str


class Prompt(Value):
    """A prompt file. `version` is `name/language/vN@` and 12 hex of the file's sha256."""

    name: str
    language: str
    version: str
    sha256: str
    rules: tuple[Rule, ...]
    template: str
    """System text with `{rules}` where the rules go."""
    user: str
    """The lead-in line of the user message."""
    words: dict[str, str] = Field(default_factory=dict)
    """Other sentences the program says in this language: the retry's lead-in and such."""
