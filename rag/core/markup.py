"""HTML to Markdown, locally: nothing is fetched, nothing is run, nesting is bounded.

The conversion itself is markitdown's. Before it, the tree is put into a form that survives being
written as Markdown: a cell that spans rows keeps its column, a table inside a cell stays in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.domain.errors import LoadError

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Never text of the page: programs, styles, what only a browser with plugins or without scripts
# shows, and what cannot be read as text.
_DROPPED = (
    "script",
    "style",
    "template",
    "iframe",
    "object",
    "embed",
    "applet",
    "svg",
    "canvas",
    "audio",
    "video",
    "link",
    "meta",
    "base",
)

# The converter walks the tree by recursion, several Python frames a level; Python stops at 1,000
# frames. Pages written by people stay below 50 levels.
_MAX_DEPTH = 200

# The converter takes about 2 kB for each element: this keeps it below 400 MB.
_MAX_ELEMENTS = 150_000

# A cell may claim to span any number of columns; no table of a document is wider than this.
_MAX_SPAN = 100


@dataclass(frozen=True, slots=True)
class Markdown:
    text: str
    title: str | None


def html_to_markdown(html: str) -> Markdown:
    """Markdown of a page: headings, lists, links, code and tables kept; scripts and styles gone.

    Raises:
        LoadError: more elements, or nested deeper, than memory and stack can take.
    """
    import lxml.html
    from markitdown.converters import HtmlConverter

    if not html.strip():
        return Markdown("", None)
    # A declared encoding makes lxml refuse a str; the text is decoded already.
    parser = lxml.html.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        root = lxml.html.document_fromstring(html.encode("utf-8", "surrogatepass"), parser=parser)
    except lxml.etree.ParserError:  # no element at all
        return Markdown("", None)
    _refuse_extremes(root)
    title = root.findtext(".//title")
    for name in _DROPPED:
        for element in root.findall(f".//{name}"):
            element.drop_tree()
    for element in root.xpath(".//table//table"):
        _flatten(element)
    for table in root.findall(".//table"):
        _square(table)
    clean = lxml.html.tostring(root, encoding="unicode")
    # Word marks no header row, and Markdown has no table without one: it is the first row.
    text = HtmlConverter().convert_string(clean, table_infer_header=True).markdown
    return Markdown(text.strip(), " ".join(title.split()) or None if title else None)


def _refuse_extremes(root: HtmlElement) -> None:
    depth = count = 0
    level = [root]
    while level:
        depth += 1
        count += len(level)
        if count > _MAX_ELEMENTS:
            raise LoadError(f"more than {_MAX_ELEMENTS} elements", "split the page")
        if depth > _MAX_DEPTH:
            raise LoadError(f"elements nested deeper than {_MAX_DEPTH} levels")
        level = [child for element in level for child in element]


def _flatten(table: HtmlElement) -> None:
    """A table inside a cell becomes text in that cell: `Silver: 120; Gold: 300`."""
    rows = [
        ": ".join(" ".join(cell.text_content().split()) for cell in row.xpath("./td | ./th"))
        for row in table.iter("tr")
    ]
    text = "; ".join(row for row in rows if row)
    for child in list(table):
        table.remove(child)
    table.tag = "span"
    table.attrib.clear()
    table.text = f" {text} "


def _square(table: HtmlElement) -> None:
    """Give every row a cell of its own in each column, empty below and right of a merged one."""
    pending: dict[int, int] = {}  # column -> rows that a merged cell above still covers
    for row in table.iter("tr"):
        column = 0
        for cell in row.xpath("./td | ./th"):
            while pending.get(column):
                pending[column] -= 1
                row.insert(row.index(cell), _empty_cell())
                column += 1
            width = _span(cell, "colspan")
            height = _span(cell, "rowspan")
            for offset in range(width):
                if height > 1:
                    pending[column + offset] = height - 1
                if offset:
                    row.insert(row.index(cell) + offset, _empty_cell())
            column += width
        for rest in sorted(c for c in pending if c >= column):
            if pending[rest]:
                pending[rest] -= 1
                row.append(_empty_cell())


def _span(cell: HtmlElement, name: str) -> int:
    value = cell.attrib.pop(name, "1")
    return min(int(value), _MAX_SPAN) if value.isdigit() and int(value) > 0 else 1


def _empty_cell() -> HtmlElement:
    import lxml.html

    return lxml.html.Element("td")
