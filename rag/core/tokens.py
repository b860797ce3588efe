"""How long a text is for a model, without that model's tokenizer."""

import re

# Up to five letters of a word, up to three digits of a number, and every other sign, wide
# characters among them. Downloading a tokenizer to count is out (no model hub), so lengths are
# estimates on the safe side; see `count_tokens`.
_TOKEN = re.compile(r"[A-Za-zÀ-ɏͰ-ӿ]{1,5}|[0-9]{1,3}|[^\sA-Za-z0-9]")

_WIDE = re.compile(r"[⺀-鿿豈-﫿぀-ヿ가-힯＀-￠]")


def count_tokens(text: str) -> int:
    """Tokens that a small multilingual model needs for `text`, estimated from above.

    A wide character or a sign counts one; a word one for every started five letters; digits one for
    every started three; white space nothing.
    """
    return len(_TOKEN.findall(text))


def columns(text: str) -> int:
    """Width of a line in a terminal: a wide character takes two columns."""
    return len(text) + len(_WIDE.findall(text))
