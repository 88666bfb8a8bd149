"""Figures in, SVG pictures in `benchmarks/plots/` out. Needs matplotlib (the extra `bench`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib

from .harness import HERE

matplotlib.use("svg")
# Text stays text, and the same figures give the same file.
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "reflow"})

from matplotlib import pyplot  # noqa: E402  (after the choice of what draws)

PLOTS = HERE / "plots"
MARKS = ("o", "s", "^", "D")


def lines(name: str, title: str, panels: Mapping[str, Mapping[str, Mapping[int, float]]]) -> Path:
    """Writes `plots/NAME.svg`: for each panel (its y axis's label) curves over window sizes."""
    picture, axes = pyplot.subplots(
        1, len(panels), figsize=(4.5 * len(panels), 3.6), squeeze=False, layout="constrained"
    )
    for axis, (label, curves) in zip(axes[0], panels.items(), strict=True):
        for mark, (curve, points) in zip(MARKS, curves.items(), strict=False):
            sizes = sorted(points)
            axis.plot(sizes, [points[size] for size in sizes], marker=mark, label=curve)
        axis.set(xscale="log", xlabel="window, tuples of each link", ylabel=label)
        axis.set_ylim(bottom=0)
        axis.legend()
    picture.suptitle(title)
    PLOTS.mkdir(exist_ok=True)
    path = PLOTS / f"{name}.svg"
    picture.savefig(path, metadata={"Date": None})
    pyplot.close(picture)
    return path
