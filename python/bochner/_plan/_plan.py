# SPDX-License-Identifier: Apache-2.0
"""The best mechanism for given data, before anything is computed."""

from typing import Any

import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_lengthscale, as_name, as_parameters, as_target
from bochner._arrays import as_matrix
from bochner._features import spec_from_json


class Plan:
    """Mechanisms ranked by their predicted error on a data set, the best first; made by :func:`plan`.

    Attributes
    ----------
    best : dict
        Keyword arguments of the best mechanism: ``features(**plan.best)`` makes it.
    table : list of dict
        One entry per mechanism: `map`, `coupling`, `params`, `m`, `outputs`, `error` (predicted root mean square
        error), `standard_error` (of a measured `error`; 0 for a closed form), `closed_form` ("exact", "approximate" or
        "none"), `cost` (nanoseconds per row, float32 on one core) and `reason`.
    rows, pairs : int
        Number of rows and pairs that were used.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> plan = bochner.plan(np.random.default_rng(0).normal(size=(200, 4)), m=64, lengthscale=2.0)
    >>> plan.best["map"]
    'trigonometric'
    >>> bochner.features(**plan.best).outputs
    128
    """

    def __init__(self, made: dict[str, Any]) -> None:
        self._specs = [spec_from_json(line.pop("spec")) for line in made["table"]]
        own = ("d", "kernel", "map", "coupling", "m", "seed", "lengthscale")
        self.table = [
            {
                "map": spec["map"],
                "coupling": spec["coupling"],
                "params": {name: value for name, value in spec.items() if name not in own},
                "m": spec["m"],
                **line,
            }
            for spec, line in zip(self._specs, made["table"], strict=True)
        ]
        self.rows = made["rows"]
        self.pairs = made["pairs"]

    @property
    def best(self) -> dict[str, Any]:
        """Keyword arguments of the best mechanism.

        Examples
        --------
        >>> import bochner
        >>> bochner.plan([[0.0], [1.0]], m=8, kernel="softmax").best["kernel"]
        'softmax'
        """
        return self.words(0)

    def words(self, line: int) -> dict[str, Any]:
        """Keyword arguments of the mechanism in a row of the table.

        Examples
        --------
        >>> import bochner
        >>> plan = bochner.plan([[0.0], [1.0]], m=8)
        >>> plan.words(0) == plan.best
        True
        """
        return dict(self._specs[line])

    def to_frame(self) -> Any:
        """The table as a pandas data frame.

        Examples
        --------
        >>> import bochner
        >>> bochner.plan([[0.0], [1.0]], m=8).to_frame().columns[0]
        'map'
        """
        import pandas

        return pandas.DataFrame(self.table)

    def plot(self, ax: Any = None, most: int = 20, one_per_map: bool = False) -> Any:
        """Draws the predicted errors of the best mechanisms with matplotlib; returns the axes.

        Parameters
        ----------
        ax : matplotlib axes, default new ones
        most : int
            The largest number of mechanisms to show.
        one_per_map : bool
            Whether to show only the best coupling of each map.

        Examples
        --------
        >>> import bochner
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> bochner.plan([[0.0], [1.0]], m=8).plot().get_xlabel()
        'predicted root mean square error'
        """
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.subplots(figsize=(8, 0.3 * min(most, len(self.table)) + 1), layout="constrained")[1]
        lines = list({line["map"]: line for line in self.table[::-1]}.values())[::-1] if one_per_map else self.table
        lines = sorted(lines[:most], key=lambda line: line["error"], reverse=True)
        colours = {"exact": "#0072b2", "approximate": "#56b4e9", "none": "#999999"}
        for closed_form, colour in colours.items():
            at = [i for i, line in enumerate(lines) if line["closed_form"] == closed_form]
            label = {"exact": "closed form", "approximate": "closed form of its exact counterpart"}.get(
                closed_form, "measured"
            )
            errors = [lines[i]["error"] for i in at]
            spread = [2 * lines[i]["standard_error"] for i in at]
            if at:
                ax.errorbar(errors, at, xerr=spread, fmt="o", color=colour, label=label)
        ax.set_yticks(range(len(lines)), [_title(line) for line in lines])
        if lines[0]["error"] > 4 * lines[-1]["error"]:
            ax.set_xscale("log")
        ax.set_xlabel("predicted root mean square error")
        ax.grid(alpha=0.3)
        ax.legend()
        return ax

    def __repr__(self) -> str:
        """The first rows of the table."""
        most = 12
        lines = [f"{'map':24} {'coupling':17} {'m':>7} {'outputs':>8} {'error':>10} {'ns/row':>9}  closed form"]
        lines += [
            f"{line['map']:24} {line['coupling']:17} {line['m']:7} {line['outputs']:8} {line['error']:10.4g} "
            f"{line['cost']:9.0f}  {line['closed_form']}"
            for line in self.table[:most]
        ]
        if len(self.table) > most:
            lines.append(f"and {len(self.table) - most} more")
        return "\n".join(lines)


def _title(line: dict[str, Any]) -> str:
    block = f", block {line['params']['block']:g}" if "block" in line["params"] else ""
    return f"{line['map']}, {line['coupling']}{block}, m = {line['m']}"


def plan(
    X: npt.ArrayLike,
    Y: npt.ArrayLike | None = None,
    kernel: str = "gaussian",
    lengthscale: npt.ArrayLike = 1.0,
    m: int | None = None,
    target: float | None = None,
    require: tuple[str, ...] | list[str] | str = (),
    measure: str = "absolute",
    equal: str = "outputs",
    memory: int | None = None,
    seed: int = 0,
    map: str = "auto",
    coupling: str = "auto",
    **params: Any,
) -> Plan:
    """Ranks all mechanisms for a kernel by their predicted error on pairs of rows, with the best parameters of each.

    The error is the root mean square error of phi(x) . phi(y) as an estimate of k(x, y), by `measure`. It says little
    about the ranking of models that are fitted to the features afterwards, and a biased coupling may have the smallest
    one; ``require="unbiased"`` leaves these out.

    Errors come from closed forms, so nothing is transformed. Where no closed form is known (Halton points, ...),
    Fourier and sign features are measured on a few draws. At most 2000 rows are used.

    Parameters
    ----------
    X : array of shape (n, d)
        Queries.
    Y : array of shape (n', d), default X
        Keys.
    kernel, lengthscale, **params
        The kernel, as for :func:`bochner.kernel_matrix`.
    m : int
        Every candidate gets 2 m outputs: m is the number of directions of a map with two outputs for each.
    target : float
        Instead of `m`: the wanted root mean square error. Candidates are ranked by the outputs they need for it.
    require : str or sequence of str
        "positive", "unbiased", "bounded", "real", "symmetric", "structured".
    measure : str
        "absolute" (mean over the Gram matrix), "relative" (to k), "attention" (to the mean of k in its row), "largest"
        (absolute, over the tenth of the pairs with the largest k).
    equal : str
        "outputs", or "cost": the outputs that take as long as 2 m of the default mechanism.
    memory : int
        At most this many bytes for W; default: what the machine has.
    seed : int
        Seed of the sample of rows and of the planned features.
    map, coupling : str
        Only mechanisms with these; "auto" allows all.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If nothing meets the constraints (the message names one to drop) or the target (it names the best error within
        reach).

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(300, 8))
    >>> plan = bochner.plan(X, lengthscale=3.0, target=0.01, require=["positive"])
    >>> plan.best["map"]
    'optimal_positive_paired'
    >>> plan.table[0]["error"] <= 0.01
    True
    """
    if equal not in ("outputs", "cost"):
        raise ValueError(f"equal is {equal!r}; expected 'outputs' or 'cost'")
    queries = as_matrix(X, "X")
    keys = queries if Y is None else as_matrix(Y, "Y").astype(queries.dtype, copy=False)
    request = _core.PlanRequest()
    request.kernel = as_name(kernel, "kernel")
    request.lengthscale = as_lengthscale(lengthscale)
    request.parameters = as_parameters(params, _core.kernels(), _PLAN_ARGUMENTS, "plan")
    request.outputs = 0 if m is None else 2 * as_count(m, "m")
    request.target = 0.0 if target is None else as_target(target, "target")
    request.map, request.coupling = as_name(map, "map"), as_name(coupling, "coupling")
    words = [require] if isinstance(require, str) else require
    request.require = [as_name(word, "require") for word in words]
    request.measure = as_name(measure, "measure")
    request.equal_cost = equal == "cost"
    request.memory = 0 if memory is None else as_count(memory, "memory")
    request.seed = as_count(seed, "seed", least=0)
    return Plan(_core.plan(queries, keys, request))


_PLAN_ARGUMENTS = (
    "X", "Y", "kernel", "lengthscale", "m", "target", "require", "measure", "equal", "memory", "seed",
    "map", "coupling"
)  # fmt: skip
