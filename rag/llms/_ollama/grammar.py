"""JSON schemas as the server's grammar reads them.

JSON Schema holds a `pattern` against the string that the JSON stands for. The server turns it into
a grammar for the characters that the model writes between the quotation marks, where a quotation
mark or a line end is an escape of two characters; a bare one would end the string.
"""

import re
from typing import Any

_NEGATED = re.compile(r"\[\^((?:\\.|[^\]\\])*)\]")


def as_written(schema: Any) -> Any:
    """`schema` with every `pattern` for the string as it is written. Of a pattern only negated
    classes let escaped characters in: `[^a]` is also any escape."""
    if isinstance(schema, list):
        return [as_written(each) for each in schema]
    if isinstance(schema, dict):
        return {
            key: _written(value)
            if key == "pattern" and isinstance(value, str)
            else as_written(value)
            for key, value in schema.items()
        }
    return schema


def _written(pattern: str) -> str:
    return _NEGATED.sub(r'([^\1"\\\\\\x00-\\x1F]|\\\\["\\\\/bfnrt])', pattern)
