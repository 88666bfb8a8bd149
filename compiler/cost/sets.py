"""What remains of EXCEPT and INTERSECT: copies of a value on two sides, each side drawing at
random.

In: the mean number of copies on the left and on the right. Out: means and probabilities, by
Poisson's law where it is simple, else by the normal law.
"""

from __future__ import annotations

from math import erf, exp, pi, sqrt


def surplus(left: float, right: float) -> tuple[float, float]:
    """The mean of max(l - r, 0), and the probability that it is above zero."""
    if left <= 0:
        return 0.0, 0.0
    spread = sqrt(left + right)
    away = (left - right) / spread
    density = exp(-away * away / 2) / sqrt(2 * pi)
    above = (1 + erf(away / sqrt(2))) / 2
    mean = min(left, spread * density + (left - right) * above)
    return max(0.0, mean), min(above, present(left))


def present(copies: float) -> float:
    """The probability that there is a copy."""
    return 1 - exp(-copies)
