"""A picture of `rag eval rerank`: each measure with its interval, first stage to ideal order."""

from pathlib import Path
from typing import Any

from rag.domain.errors import SetupError, UsageError

_COLOURS = {"first stage": "#8a8a8a", "ideal": "#d9c27a", "array": "#4a7bb7", "object": "#2f4f7f"}
_GROUP = 0.8


def draw(result: dict[str, Any], file: Path) -> None:
    """Writes `file`, as PNG or SVG by its suffix.

    Raises:
        SetupError: the extra `eval` is not installed.
        UsageError: another suffix, or the file cannot be written.
    """
    if file.suffix.lower() not in (".png", ".svg"):
        raise UsageError(f"cannot draw {file.name}", "name a .png or .svg file")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SetupError("matplotlib is not installed", "pip install 'citebound[eval]'") from error

    first = next(iter(result["forms"].values()))
    names = list(first["gain"])
    bars = {"first stage": result["first_stage"]}
    bars |= {form: told["metrics"] for form, told in result["forms"].items()}
    bars["ideal"] = result["ideal"]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    width = _GROUP / len(bars)
    for number, (label, metrics) in enumerate(bars.items()):
        places = [group + (number - (len(bars) - 1) / 2) * width for group in range(len(names))]
        found = [metrics[name] for name in names]
        spread = [
            [one["value"] - one["low"] for one in found],
            [one["high"] - one["value"] for one in found],
        ]
        heights = [one["value"] for one in found]
        shown = f"reranked, {label}" if label in result["forms"] else label
        axes.bar(places, heights, width, yerr=spread, label=shown, color=_COLOURS[label], capsize=3)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 1)
    axes.set_title(f"{result['dataset']}, n={result['n']}: {first['verdict']['worth']}")
    figure.legend(frameon=False, fontsize="small", loc="outside lower center", ncols=len(bars))
    try:
        # No date and no random ids in the file: the same result draws the same bytes.
        with rc_context({"svg.hashsalt": "citebound"}):
            figure.savefig(file, metadata={"Date": None} if file.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}", "check the path") from error
