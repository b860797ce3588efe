"""Atoms to chunks: where to break, all breaks of a section considered together."""

from collections.abc import Sequence

from rag.core.cutting.cut import Atom

# More than any sum of other costs in a document of a million chunks.
_FORBIDDEN = 1e7

# A chunk filled to the last token must not seem over-full by the error of some hundred additions.
_ROUNDING = 1e-9


def pack(atoms: Sequence[Atom], size: int) -> list[tuple[int, int]]:
    """Half-open index ranges of the atoms that make up each chunk, in order, none over `size`.

    The breaks with the least total cost: each chunk costs the square of the share of it that stays
    empty, plus the cost of beginning where it begins. A lead never ends a chunk unless it is the
    last atom. The idea is the line breaking of Knuth and Plass, "Breaking Paragraphs into Lines"
    (1981), with sections for paragraphs: no chunk is left with a crumb, and none is cut in a bad
    place for the sake of being full.
    """
    weights = [atom.tokens / size for atom in atoms]
    prices = [atom.cost for atom in atoms]
    for index, atom in enumerate(atoms[:-1]):
        if atom.lead:
            prices[index + 1] += _FORBIDDEN
    best = [0.0]  # least cost of the first n atoms, each chunk's beginning paid for
    begins = [0]
    for end in range(1, len(atoms) + 1):
        begin = end - 1
        left = 1.0 - weights[begin]
        lowest = best[begin] + prices[begin] + left * left
        for start in range(end - 2, -1, -1):
            left -= weights[start]
            if left < -_ROUNDING:
                break
            cost = best[start] + prices[start] + left * left
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
