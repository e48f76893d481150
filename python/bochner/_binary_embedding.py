# SPDX-License-Identifier: Apache-2.0
"""Binary codes whose Hamming distance estimates the angle."""

from typing import Any

import numpy as np
import numpy.typing as npt

from bochner import _core
from bochner._arguments import as_count
from bochner._arrays import as_matrix, as_numbers
from bochner._make_features import make_spec
from bochner._memory import require_fit


class BinaryEmbedding:
    """Rows as packed signs of random projections: angles and neighbours from a few machine words per row.

    Bit i of a code is 1 where w_i . x >= 0. Two codes differ in bit i with probability angle / pi, so pi times the
    share of differing bits estimates the angle without bias. The rows of W are drawn for the columns of the first
    array that is encoded.

    Parameters
    ----------
    bits : int
        Length of a code, which is stored in words of 64 bits.
    coupling : str
        The coupling of the rows of W: "hadamard" (O(bits log d) per row, no W is stored), "orthogonal" (the least
        error), "circulant", "iid", ...
    seed : int
    **params
        Further parameters of the coupling. If ``block`` of "hadamard" or "simplex_hadamard" is not given, it is at
        least 64 here, and large enough that no row of W is 0: rows drawn in smaller blocks have too few directions, and
        angles would be wrong by far more than their standard errors.

    Examples
    --------
    >>> import bochner
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 64))
    >>> embedding = bochner.BinaryEmbedding(1024)
    >>> codes = embedding.encode(X)
    >>> codes.shape, codes.dtype
    ((1000, 16), dtype('uint64'))
    >>> angle, error = embedding.angles(codes[:1], codes[1:2])
    >>> cosine = X[0] @ X[1] / np.linalg.norm(X[0]) / np.linalg.norm(X[1])
    >>> bool(abs(angle[0, 0] - np.arccos(cosine)) < 5 * error[0, 0])
    True
    """

    def __init__(self, bits: int, coupling: str = "hadamard", seed: int = 0, **params: Any) -> None:
        self.bits = as_count(bits, "bits")
        self.coupling = coupling
        self.seed = seed
        self.params = params
        self._core: Any = None
        # One bit of two columns, or of one if a block has no more: refuses arguments that fit no array.
        _core.BinaryEmbedding(self._spec(1 if params.get("block") == 1 else 2, 1))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_core": None}  # drawn again from the seed by the next encode

    def encode(self, X: npt.ArrayLike) -> npt.NDArray[np.uint64]:
        """Codes of the rows of X.

        Parameters
        ----------
        X : array of shape (n, d)
            Only the directions of the rows matter, not their lengths.

        Returns
        -------
        array of shape (n, words), uint64
            Bit i of a row is bit i % 64 of word i // 64; bits past the last are 0.

        Examples
        --------
        >>> import bochner
        >>> one, two = bochner.BinaryEmbedding(8), bochner.BinaryEmbedding(8)
        >>> bool((one.encode([[1.0, 2.0]]) == two.encode([[2.0, 4.0]])).all())
        True
        """
        rows = as_matrix(X)
        if self._core is None:
            spec = self._spec(rows.shape[1], self.bits)
            require_fit(spec, self.bits, "bits", f"codes of rows of {rows.shape[1]} numbers")
            self._core = _core.BinaryEmbedding(spec)
        return self._core.encode(rows)

    def _spec(self, d: int, bits: int) -> _core.Spec:
        words = (self.coupling, bits, self.seed, 1.0, self.params)
        return make_spec(BinaryEmbedding, d, "angular", "sign", *words)

    def angles(self, A: npt.ArrayLike, B: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Estimates the angles between the rows behind two arrays of codes, with standard errors.

        Parameters
        ----------
        A, B : arrays of codes, of n and n' rows
            As :meth:`encode` makes them: other widths, and bits past the last, are refused.

        Returns
        -------
        angles, errors : arrays of shape (n, n')
            In radians. The errors are those of independent rows of W; orthogonal and structured rows are usually more
            accurate.

        Examples
        --------
        >>> import bochner
        >>> embedding = bochner.BinaryEmbedding(256)
        >>> codes = embedding.encode([[1.0, 0.0], [0.0, 1.0]])
        >>> angles, errors = embedding.angles(codes, codes)
        >>> float(angles[0, 0]), bool(abs(angles[0, 1] - 1.5708) < 5 * errors[0, 1])
        (0.0, True)
        """
        differing = _core.hamming_distances(self._codes(A, "A"), self._codes(B, "B")).astype(float)
        share = (differing + 0.5) / (self.bits + 1)
        return np.pi * differing / self.bits, np.pi * np.sqrt(share * (1 - share) / self.bits)

    def nearest(
        self, codes: npt.ArrayLike, queries: npt.ArrayLike, k: int = 10
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """The k codes nearest to each query code, nearest first; ties are broken by position.

        Parameters
        ----------
        codes : array of codes, n rows
        queries : array of codes, n' rows
        k : int, 1 to n

        Returns
        -------
        ids, angles : arrays of shape (n', k)

        Examples
        --------
        >>> import bochner
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(size=(500, 16))
        >>> embedding = bochner.BinaryEmbedding(512)
        >>> codes = embedding.encode(X)
        >>> ids, angles = embedding.nearest(codes, codes[:3], k=2)
        >>> ids[:, 0].tolist()
        [0, 1, 2]
        """
        given = self._codes(queries, "queries"), self._codes(codes, "codes")
        ids, differing = _core.nearest_codes(*given, as_count(k, "k"))
        return ids.astype(np.int64), np.pi * differing.astype(float) / self.bits

    def _codes(self, codes: npt.ArrayLike, name: str) -> npt.NDArray[np.uint64]:
        """An array of codes of this embedding with contiguous rows."""
        array = as_numbers(codes, name)
        words = (self.bits + 63) // 64
        if array.ndim != 2 or array.dtype != np.uint64:
            raise ValueError(
                f"{name} has shape {array.shape} and dtype {array.dtype}; expected rows of uint64, as encode makes"
            )
        if array.shape[1] != words:
            raise ValueError(
                f"{name} has codes of {array.shape[1]} words; expected {words}, as {self.bits} bits have"
            )
        if self.bits % 64 and (array[:, -1] >> np.uint64(self.bits % 64)).any():
            raise ValueError(f"{name} has bits past the last; expected codes of {self.bits} bits, as encode makes")
        return np.ascontiguousarray(array)
