"""Atoms to chunks: where to break, all breaks of a section considered together."""

from collections.abc import Sequence

from rag.core.cut import Atom


def pack(atoms: Sequence[Atom], size: int) -> list[tuple[int, int]]:
    """Half-open index ranges of the atoms that make up each chunk, in order, none over `size`.

    The breaks with the least total cost: each chunk costs the square of the share of it that stays
    empty, plus the cost of beginning where it begins. A lead never ends a chunk unless it is the
    last atom. The idea is the line breaking of Knuth and Plass, "Breaking Paragraphs into Lines"
    (1981), with sections for paragraphs: no chunk is left with a crumb, and none is cut in a bad
    place for the sake of being full.
    """
    best = [0.0]
    begins = [0]
    for end in range(1, len(atoms) + 1):
        tokens = 0
        lowest, begin = float("inf"), end - 1
        for start in range(end - 1, -1, -1):
            tokens += atoms[start].tokens
            if tokens > size and start < end - 1:
                break
            cost = best[start] + (1 - min(tokens / size, 1.0)) ** 2
            if start:
                cost += atoms[start].cost + (_FORBIDDEN if atoms[start - 1].lead else 0.0)
            if cost < lowest:
                lowest, begin = cost, start
        best.append(lowest)
        begins.append(begin)
    ranges = []
    end = len(atoms)
    while end:
        ranges.append((begins[end], end))
        end = begins[end]
    return ranges[::-1]


# More than any sum of other costs in a document of a million chunks.
_FORBIDDEN = 1e7
