"""Figures in, SVG pictures in `benchmarks/plots/` out. Needs matplotlib (the extra `bench`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

from .harness import HERE

matplotlib.use("svg")
# Text stays text, and the same figures give the same file.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "reflow"})

from matplotlib import pyplot  # noqa: E402  (after the choice of what draws)

PLOTS = HERE / "plots"
MARKS = ("o", "s", "^", "D")


Panels = Mapping[str, Mapping[str, Mapping[int, float]]]
"""Y axis's label -> curve -> its points."""


def lines(name: str, title: str, panels: Panels) -> Path:
    """Writes `plots/NAME.svg`: for each panel curves over window sizes."""
    return _drawn(name, title, panels, {"xscale": "log", "xlabel": "window, tuples of each link"})


def named(name: str, title: str, labels: Sequence[str], panels: Panels) -> Path:
    """Writes `plots/NAME.svg`: for each panel curves over the places of `labels`."""
    return _drawn(name, title, panels, {"xticks": range(len(labels)), "xticklabels": labels})


def _drawn(name: str, title: str, panels: Panels, axis_of: Mapping[str, object]) -> Path:
    picture, axes = pyplot.subplots(
        1, len(panels), figsize=(4.5 * len(panels), 3.6), squeeze=False, layout="constrained"
    )
    for axis, (label, curves) in zip(axes[0], panels.items(), strict=True):
        for mark, (curve, points) in zip(MARKS, curves.items(), strict=False):
            sizes = sorted(points)
            axis.plot(sizes, [points[size] for size in sizes], marker=mark, label=curve)
        axis.set(ylabel=label, **axis_of)
        axis.tick_params("x", rotation=30 if "xticks" in axis_of else 0)
        axis.set_ylim(bottom=0)
        axis.legend()
    picture.suptitle(title)
    PLOTS.mkdir(exist_ok=True)
    path = PLOTS / f"{name}.svg"
    picture.savefig(path, metadata={"Date": None})
    pyplot.close(picture)
    return path
