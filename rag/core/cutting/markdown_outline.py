"""The outline of a Markdown document, from a CommonMark parser's block structure."""

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.core.cutting.blocks import LONGEST_HEADING, Block, BlockKind, Lines, Outline, fill_gaps

# Front matter as Jekyll, Hugo and Docusaurus write it: YAML between `---`, TOML between `+++`.
_FRONT_MATTER = re.compile(
    r"(?:---[ \t\r]*\n(?=[\w\"'#-])(?P<yaml>.*?)\n(?:---|\.\.\.)"
    r"|\+\+\+[ \t\r]*\n(?P<toml>.*?)\n\+\+\+)[ \t\r]*(?:\n|\Z)",
    re.DOTALL,
)
_FRONT_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(.+?)[ \t\r]*$", re.MULTILINE)

_LEAVES: dict[str, BlockKind] = {
    "paragraph_open": "prose",
    "html_block": "prose",
    "hr": "prose",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
}

# A notice to editors or to a tool: no passage of its own.
_ONLY_COMMENT = re.compile(r"(?:\s*<!--(?:(?!-->).)*-->)+\s*", re.DOTALL)
_ANCHOR = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*\*|\*\*|\*|___|__|_|~~)(?=\S)(.+?)(?<=\S)\1(?!\w)")


def outline_markdown(text: str) -> Outline:
    """Blocks of `text`; the title is the front matter's, else the first heading."""
    front = _FRONT_MATTER.match(text)
    body_start = front.end() if front else 0
    lines = Lines(text)
    first_line = lines.at(body_start)
    blocks: list[Block] = []
    title = _front_title(front) if front else None
    if front:
        blocks.append(Block(0, body_start, "lead"))

    headings: list[tuple[int, str]] = []
    path: tuple[str, ...] = ()
    tokens = _parser().parse(text[body_start:].replace("\r", " "))
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        start = lines.start(first_line + token.map[0])
        end = lines.start(first_line + token.map[1])
        if token.type == "heading_open" and token.level == 0:
            name = plain_heading(tokens[index + 1].content)
            level = int(token.tag[1:])
            headings = [h for h in headings if h[0] < level] + ([(level, name)] if name else [])
            path = tuple(name for _, name in headings)
            title = title or name or None
            blocks.append(Block(start, end, "heading", path))
        elif token.type == "table_open":
            blocks.append(_table(text, lines, first_line + token.map[0], start, end, path, token))
        elif token.type in _LEAVES or token.type == "heading_open":
            kind = _LEAVES.get(token.type, "prose")
            if token.type == "html_block" and _ONLY_COMMENT.fullmatch(token.content):
                kind = "lead"
            blocks.append(Block(start, end, kind, path, token.level))
    return Outline(tuple(fill_gaps(text, blocks)), title)


def plain_heading(markup: str) -> str:
    """A heading's words without its inline markup."""
    words = _ANCHOR.sub("", markup[:LONGEST_HEADING])
    words = _TAG.sub("", _LINK.sub(r"\1", words))
    words = _EMPHASIS.sub(r"\2", words).replace("`", "")
    return " ".join(words.split())


def _table(
    text: str, lines: Lines, line: int, start: int, end: int, path: tuple[str, ...], token: Token
) -> Block:
    return Block(
        start,
        end,
        "table",
        path,
        token.level,
        header=" ".join(text[start : lines.start(line + 1)].split()),
        header_end=lines.start(line + 2),
    )


def _front_title(front: re.Match[str]) -> str | None:
    found = _FRONT_TITLE.search(front["yaml"] or front["toml"] or "")
    if not found:
        return None
    return found[1].strip("\"' ") or None


@cache
def _parser() -> MarkdownIt:
    """Block structure only: inline markup is not needed and takes most of the time."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser
