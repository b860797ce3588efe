"""The one base of every value that crosses a room: frozen, and closed to unknown fields."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """An immutable record. Unknown fields are refused, so a typo fails where it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=False)
