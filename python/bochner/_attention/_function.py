# SPDX-License-Identifier: Apache-2.0
"""Softmax attention with positive random features, in linear time."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count, as_flag, as_name, as_number, as_parameters
from bochner._attention._arrays import Array, as_heads, as_mask, result_like


def attention(
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    v: npt.ArrayLike,
    map: str = "optimal_positive",
    coupling: str = "auto",
    m: int = 256,
    causal: bool = False,
    key_mask: npt.ArrayLike | None = None,
    seed: int = 0,
    A: float | None = None,
    scale: float | None = None,
    diagnostics: bool = False,
    floor: float = 1.0,
    **params: Any,
) -> Any:
    """Attention by positive random features: time and memory grow with the length, not with its square.

    out_t = sum_i w_ti v_i / sum_i w_ti with w_ti = phi(q_t) . phi(k_i), an unbiased estimate of exp(scale q_t . k_i).
    Features are kept as logarithms: nothing overflows and no epsilon is added, whatever the norms of q and k.

    The bits of a result do not depend on the number of threads, on other heads or on the contents of masked keys. With
    ``causal``, those of row t depend only on rows up to t.

    Parameters
    ----------
    q, k, v : arrays of shape (batch, heads, length, dim), (heads, length, dim) or (length, dim)
        All float32, all float64, all float16 (computed in float32 and rounded once), or all whole numbers, which become
        float64. Arrays whose rows are not contiguous are copied. k and v have the same length, which may differ from
        that of q. Their number of heads may be a divisor of that of q: neighbouring heads of q then share one. v may
        have another dim.
    map : str
        A positive map: ``positive`` (FAVOR+), ``optimal_positive`` (FAVOR++), ``positive_paired``,
        ``optimal_positive_paired``, ``poisson_positive``, ``geometric_positive``. Or a hybrid (``hybrid_angular``,
        ``hybrid_gaussian``, ``hybrid_clustered``), whose weights may be negative. Parameters of the last five that are
        not given are fitted to each (batch, head of k); with ``causal`` they must be given. "auto" is
        ``optimal_positive``.
    coupling : str
        One of :func:`couplings` that the map takes: ``orthogonal``, ``simplex`` (SimRF), ``hadamard``, ...; "auto" is
        ``orthogonal`` if the law of the map is isotropic, else (``poisson_positive``, ``geometric_positive``) ``iid``.
    m : int
        Number of random directions.
    causal : bool
        Row t sees keys 0 ... t.
    key_mask : array of bool of shape (batch, keys) or (keys,)
        True for keys that are seen; the others are never read. The result of a query that sees none is zeros. If there
        are as many queries as keys, a query at the position of a masked key is ignored when parameters are found from
        the data: in self-attention it is padding. Such a query still has a result; its entries below a ``shift`` that
        was found are raised to the shift.
    seed : int
    A : float
        Parameter of the optimal maps, < 1/8. Default: for each (batch, head of k) the best for the mean of \\|x +
        y\\|^2 over its unmasked keys and its queries that are not ignored (see ``key_mask``); with ``causal``, the best
        for \\|x + y\\|^2 = 2 scale dim.
    scale : float
        Default 1 / sqrt(dim).
    diagnostics : bool
        Also return a report, and warn of heads in which a single feature decides the result.
    floor : float
        For hybrids, 0 to 1: a denominator below ``floor * n * exp(scale q . k)``, with k the mean of the n keys seen,
        is raised to that number. At 1 this is the least that the denominator of exact attention can be.
    **params
        Further parameters of the map and the coupling, as listed by :func:`maps` and :func:`couplings`.

    Returns
    -------
    array of shape (..., length of q, dim of v)
        With ``diagnostics`` a pair: the array and a dict of ``undefined_rows`` (how many queries have zeros as their
        result because they see no key, because their denominator is not positive or too small to divide by, or, for a
        hybrid, because the quotient is not finite), ``A`` (batch, heads of k), and for each query (shape of the result
        without its last axis) ``effective_features`` (how many terms make up the denominator; near 1 the result means
        little) and ``relative_error`` (the standard error of the denominator, by the jackknife over blocks of
        directions). Neither bounds the error of the result, whose numerator has errors of its own. To see that error,
        compare two seeds: their results differ by sqrt(2) times it. For hybrids also ``negative_rows`` and
        ``floored_rows`` (queries whose denominator is negative, or below its floor) and ``negative_weights`` of
        ``sampled_weights`` (those of at most 64 queries and 64 keys of each head).

    Raises
    ------
    ValueError
        For shapes and dtypes that do not fit, masked arrays, entries that are not finite or too large (their position
        is named) and values out of range.

    Warns
    -----
    RuntimeWarning
        With ``diagnostics``, if the median of ``effective_features`` over the queries of a head is below 2.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> q, k, v = np.random.default_rng(0).normal(size=(3, 2, 500, 16)).astype(np.float32)
    >>> out = bochner.attention(q, k, v, m=1024)
    >>> out.shape, out.dtype
    ((2, 500, 16), dtype('float32'))
    >>> weights = np.exp(q @ k.transpose(0, 2, 1) / 4)
    >>> exact = weights @ v / weights.sum(axis=2, keepdims=True)
    >>> bool(abs(out - exact).mean() < 0.05)
    True
    >>> longer = bochner.attention(q, k, v, causal=True)
    >>> bool((longer[:, :100] == bochner.attention(q[:, :100], k[:, :100], v[:, :100], causal=True)).all())
    True
    """
    queries, keys, values = as_heads(q, k, v)
    options = make_options(attention, map, coupling, m, seed, A, scale, causal, diagnostics, params, floor)
    out, shaped = result_like(q, queries, values)
    mask = as_mask(key_mask, keys)
    if out.dtype == np.float16:
        bits = (array.view(np.uint16) for array in (queries, keys, values, out))
        report = _core.attention_float16(*bits, mask, options)
    else:
        report = _core.attention(queries, keys, values, out, mask, options)
    return (shaped, as_report(report, shaped, keys)) if diagnostics else shaped


def own_words(function: Callable[..., Any]) -> list[str]:
    """Names of the arguments of a function, without ``params`` and without A, which is one of these."""
    return [name for name in inspect.signature(function).parameters if name not in ("params", "A")]


def make_options(
    function: Callable[..., Any],
    map: str,
    coupling: str,
    m: int,
    seed: int,
    A: float | None,
    scale: float | None,
    causal: bool,
    diagnostics: bool,
    params: dict[str, Any],
    floor: float = 1.0,
) -> _core.AttentionOptions:
    """Options from the arguments of a public function that takes parameters as further keyword arguments."""
    parameters = as_parameters(params, (*_core.maps(), *_core.couplings()), own_words(function), function.__name__)
    if A is not None:
        parameters["A"] = as_number(A, "A")
    return _core.AttentionOptions(
        map=as_name(map, "map"),
        coupling=as_name(coupling, "coupling"),
        m=as_count(m, "m"),
        seed=as_count(seed, "seed", least=0),
        parameters=parameters,
        scale=None if scale is None else as_number(scale, "scale"),
        causal=as_flag(causal, "causal"),
        diagnostics=as_flag(diagnostics, "diagnostics"),
        floor=as_number(floor, "floor"),
    )


def as_report(report: dict[str, Any], out: Array, k: Array) -> dict[str, Any]:
    """The report with arrays: one number for each query, and one A for each head of k. Warns if features collapse."""
    shaped = {name: np.reshape(report[name], out.shape[:-1]) for name in ("effective_features", "relative_error")}
    heads = shaped["effective_features"].reshape(-1, out.shape[-2]) if out.size else []
    collapsed = sum(bool(np.median(head[head > 0]) < 2) for head in heads if (head > 0).any())
    if collapsed:
        warnings.warn(
            f"effective_features is below 2 for half of the queries or more in {collapsed} of {len(heads)} heads, "
            "whose results mean little; map='optimal_positive', a larger m or a smaller scale helps",
            RuntimeWarning,
            stacklevel=3,
        )
    A = np.reshape(report["A"], k.shape[:2]) if report["A"] else None
    counts = ("undefined_rows", "negative_rows", "floored_rows", "negative_weights", "sampled_weights")
    return {**{name: report[name] for name in counts}, "A": A, **shaped}
