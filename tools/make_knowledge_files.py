"""Renders tools/knowledge_sources/*.md as the PDF and Word files of the sample knowledge.

    pip install -e '.[dev]'
    python tools/make_knowledge_files.py DroidSansFallbackFull.ttf DejaVuSans.ttf

The sources use a small part of Markdown: `#` headings, `-` items, `|` tables, paragraphs. Their
first line names the output: `<!-- knowledge path -->`. The fonts, for pages with Chinese, are
Debian's fonts-droid-fallback (Apache-2.0) and, for what that lacks, fonts-dejavu-core (Bitstream
Vera licence); only the glyphs in use are embedded. Dates inside the files are fixed, so the
same versions of the libraries give the same bytes.
"""

import argparse
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "tools" / "knowledge_sources"
DATE = datetime(2026, 9, 1, tzinfo=UTC)
AUTHOR = "Tidewell"


class Block(NamedTuple):
    """`kind` is `h1`, `h2`, `item`, `table` or `text`; `rows` holds a table's cells."""

    kind: str
    text: str
    rows: tuple[tuple[str, ...], ...] = ()


def blocks(source: str) -> Iterator[Block]:
    for part in re.split(r"\n{2,}", source.strip()):
        lines = part.splitlines()
        if lines[0].startswith("|"):
            rows = tuple(
                tuple(cell.strip() for cell in line.strip("|").split("|"))
                for line in lines
                if not re.fullmatch(r"[|:\- ]+", line)
            )
            yield Block("table", "", rows)
        elif lines[0].startswith("- "):
            yield from (Block("item", line[2:]) for line in lines)
        elif match := re.match(r"(#{1,2}) (.*)", lines[0]):
            yield Block(f"h{len(match[1])}", match[2])
        else:
            wide = "" if re.search(r"[一-鿿]", part) else " "
            yield Block("text", wide.join(lines))


def wrapped(text: str, width: float, measure: Callable[[str], float]) -> str:
    """`text` in lines no wider than `width`: broken between Chinese characters, never inside a
    word or number and never before a closing sign."""
    lines = [""]
    for piece in re.findall(r"(?:[!-~]+|.)[，。；：、）」]*|\s", text):
        if measure(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return "\n".join(line.rstrip() for line in lines)


def write_pdf(title: str, content: list[Block], target: Path, fonts: list[Path]) -> None:
    from fpdf import FPDF
    from fpdf.fonts import FontFace

    family = "helvetica"

    class Pages(FPDF):
        def footer(self) -> None:
            self.set_y(-14)
            self.set_font(family, size=8)
            self.cell(0, 6, f"{self.page_no()}", align="C")

    pdf = Pages(format="A4")
    pdf.set_creation_date(DATE)
    pdf.set_title(title)
    pdf.set_author(AUTHOR)
    if fonts:
        family = "font0"
        for number, font in enumerate(fonts):
            pdf.add_font(f"font{number}", fname=font)
        pdf.set_fallback_fonts([f"font{number}" for number in range(1, len(fonts))])
    pdf.set_margin(22)
    pdf.set_auto_page_break(True, margin=20)
    pdf.add_page()
    sizes = {"h1": 17.0, "h2": 13.0, "item": 10.5, "text": 10.5}
    for block in content:
        if block.kind == "table":
            pdf.set_font(family, size=9.5)
            heading = FontFace(emphasis="", fill_color=(230, 234, 240))
            with pdf.table(block.rows, headings_style=heading, line_height=6):
                pass
            pdf.ln(3)
            continue
        if block.kind == "h2":
            pdf.ln(2)
            if pdf.will_page_break(30):  # a heading stays with what follows
                pdf.add_page()
        pdf.set_font(family, size=sizes[block.kind])
        text = f"- {block.text}" if block.kind == "item" else block.text
        if fonts:
            text = wrapped(text, pdf.epw - 3, pdf.get_string_width)
        height = sizes[block.kind] * 0.56
        pdf.multi_cell(0, height, text, align="L", new_x="LMARGIN", new_y="NEXT")
        pdf.ln(0.8 if block.kind == "item" else 2.2)
    pdf.output(str(target))


def write_docx(title: str, content: list[Block], target: Path) -> None:
    import docx
    from docx.oxml import OxmlElement

    document: Any = docx.Document()
    properties = document.core_properties
    properties.title, properties.author = title, AUTHOR
    properties.created = properties.modified = DATE.replace(tzinfo=None)
    for block in content:
        if block.kind == "table":
            table = document.add_table(len(block.rows), len(block.rows[0]), style="Table Grid")
            for cells, row in zip(table.rows, block.rows, strict=True):
                for cell, text in zip(cells.cells, row, strict=True):
                    cell.text = text
            marker = OxmlElement("w:tblHeader")  # readers tell a header row by this alone
            table.rows[0]._tr.get_or_add_trPr().append(marker)
        elif block.kind == "text":
            document.add_paragraph(block.text)
        elif block.kind == "item":
            document.add_paragraph(block.text, style="List Bullet")
        else:
            document.add_heading(block.text, level=int(block.kind[1]))
    buffer = io.BytesIO()
    document.save(buffer)
    with zipfile.ZipFile(buffer) as made, zipfile.ZipFile(target, "w") as fixed:
        for entry in made.infolist():  # again, without the time of day in each entry
            stamped = zipfile.ZipInfo(entry.filename, DATE.timetuple()[:6])
            fixed.writestr(stamped, made.read(entry), zipfile.ZIP_DEFLATED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fonts", type=Path, nargs="+", help="TrueType files, preferred first")
    fonts = parser.parse_args().fonts
    for source in sorted(SOURCES.glob("*.md")):
        head, _, body = source.read_text(encoding="utf-8").partition("\n")
        target = ROOT / "knowledge" / head.removeprefix("<!--").removesuffix("-->").strip()
        target.parent.mkdir(parents=True, exist_ok=True)
        content = list(blocks(body))
        if target.suffix == ".docx":
            write_docx(content[0].text, content, target)
        else:
            chinese = re.search(r"[一-鿿]", body) is not None
            write_pdf(content[0].text, content, target, fonts if chinese else [])
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
