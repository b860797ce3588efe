"""How long a text is for a model, without that model's tokenizer."""

import re

# Words, runs of digits, single wide characters and other signs. Downloading a tokenizer to count
# is out (no model hub), so lengths are estimates on the safe side; see `count_tokens`.
_PIECE = re.compile(r"[⺀-鿿豈-﫿぀-ヿ가-힯＀-￯]|[A-Za-zÀ-ɏͰ-ӿ]+|\d+|\s+|[^\sA-Za-z\d]")


def count_tokens(text: str) -> int:
    """Tokens that a small multilingual model needs for `text`, estimated from above.

    A wide character or a sign counts one; a word one for every started five letters; digits one for
    every started three; white space nothing.
    """
    total = 0
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece.isspace():
            continue
        if piece.isdigit():
            total += (len(piece) + 2) // 3
        elif len(piece) > 1:
            total += (len(piece) + 4) // 5
        else:
            total += 1
    return total
