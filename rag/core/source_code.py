"""Source code in a text without fences, as files of code are: told by its lines."""

from __future__ import annotations

import re

_CODE_LINE = re.compile(
    r"\s*(?:"
    r"(?:import|export|from \S+ import|(?:async )?def|class|return|const|let|var|function|fn|func"
    r"|package|interface|struct|raise|throw|yield|await|echo|exit|local|readonly|set -|@)\b.*"
    r"|(?:(?:el)?if|for|while|with|try|except|catch|else|case|switch)\b.*(?:[:{;]|then|do)"
    r"|[\w.$\[\]\"'-]+(?:: [\w\[\]|., ]+)?\s*[-+|]?=[^=].*"  # an assignment
    r"|[\w.$]+\(.*|\$\(.*"  # a call
    r"|.*[{};\\]|[\])}]+[,;:]?.*|fi|done|esac"
    r"|#!.*|//.*|/\*.*|\*/|(?:[rbf]?\"{3}|'{3}).*|</?\w[^>]*>.*"
    r"|[\"'][^\"']*[\"']: .*,?"  # an entry of a dictionary
    r")\s*"
)
# `# words` is a comment or a heading: it tells nothing.
_EITHER = re.compile(r"\s*#{1,6}\s")
# Half of the lines of code look like code; of prose and lists next to none do.
_SHARE = 0.5
_FEWEST = 2


def is_source_code(text: str) -> bool:
    """Whether `text`, which holds no fences, is code as a whole rather than prose about it."""
    if "```" in text or "~~~" in text:
        return False
    telling = [line for line in text.split("\n") if line.strip() and not _EITHER.match(line)]
    looks = sum(_CODE_LINE.fullmatch(line) is not None for line in telling)
    return looks >= _FEWEST and looks >= _SHARE * len(telling)


def defines(code: str, name: str) -> bool:
    """Whether `code` assigns a value to `name`, or declares it."""
    word = re.escape(name)
    declared = rf"(?:def|class|func|function|fn|type|interface|enum)\s+{word}\b"
    assigned = rf"(?<![\w.]){word}[\"']?(?:\s*:[^=\n]*)?\s*=(?!=)"
    entry = rf"^\s*[\"']?{word}[\"']?:"
    pattern = f"{declared}|{assigned}|{entry}"
    return re.search(pattern, code, re.IGNORECASE | re.MULTILINE) is not None


def code_passages(text: str, longest: int) -> list[str]:
    """Stretches of at most `longest` lines that blank lines part, line breaks and relative
    indentation kept."""
    passages: list[str] = []
    lines: list[str] = []
    for line in [*_without_symbol(text.split("\n")), ""]:
        if line.strip():
            lines.append(line.rstrip())
        if lines and (not line.strip() or len(lines) == longest):
            indent = min(len(one) - len(one.lstrip()) for one in lines)
            passages.append("\n".join(one[indent:] for one in lines))
            lines = []
    return passages


def _without_symbol(lines: list[str]) -> list[str]:
    """Without the first line where it only says which symbol the next ones define."""
    symbol = lines[0].strip()
    named = len(lines) > 1 and symbol.rsplit(".", 1)[-1] in lines[1]
    return lines[1:] if named and re.fullmatch(r"[\w.]+", symbol) else lines
