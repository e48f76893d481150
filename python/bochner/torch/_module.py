# SPDX-License-Identifier: Apache-2.0
"""Attention with many heads as a module."""

from typing import Any

import torch
from torch import Tensor, nn

from bochner._arguments import as_count, as_flag
from bochner.torch._arguments import as_seed, check_tensor
from bochner.torch._functional import scaled_dot_product_attention

# torch's generator draws from 0 to 2^63 - 2.
_SEEDS = 2**63 - 1


class RandomFeatureAttention(nn.Module):
    """A drop-in for ``torch.nn.MultiheadAttention`` whose attention is linear in the length.

    Parameters have the names, shapes and initial values of those of ``torch.nn.MultiheadAttention``, and its saved
    states can be loaded. The seed of the features is a buffer, so a saved state restores the features.

    Parameters
    ----------
    embed_dim, num_heads, bias, kdim, vdim, batch_first, device, dtype
        As in ``torch.nn.MultiheadAttention``.
    dropout : float
        Only 0: there are no weights to drop.
    add_bias_kv, add_zero_attn : bool
        Only False.
    map, coupling, m, A, floor, backward_map, **params
        The features, as in :func:`scaled_dot_product_attention`.
    seed : int
        Seed of the features; default: drawn by torch's generator.

    Examples
    --------
    >>> import torch
    >>> from bochner.torch import RandomFeatureAttention
    >>> layer = RandomFeatureAttention(32, 4, batch_first=True, map="positive", m=64, seed=1)
    >>> x = torch.randn(2, 100, 32)
    >>> out, weights = layer(x, x, x, is_causal=True)
    >>> out.shape, weights
    (torch.Size([2, 100, 32]), None)
    >>> layer
    RandomFeatureAttention(
      32, 4, map=positive, coupling=auto, m=64
      (out_proj): Linear(in_features=32, out_features=32, bias=True)
    )
    """

    # If this were True, torch's layers would skip this module and compute exact attention from its weights.
    _qkv_same_embed_dim = False

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: torch.dtype | None = None,
        *,
        map: str = "optimal_positive",
        coupling: str = "auto",
        m: int = 256,
        seed: int | None = None,
        A: float | None = None,
        floor: float | None = None,
        backward_map: str | None = None,
        **params: Any,
    ) -> None:
        super().__init__()
        self.embed_dim, self.num_heads = as_count(embed_dim, "embed_dim"), as_count(num_heads, "num_heads")
        if embed_dim % num_heads:
            raise ValueError(f"num_heads is {num_heads}; expected a divisor of embed_dim, {embed_dim}")
        _check_unsupported(dropout, add_bias_kv, add_zero_attn)
        self.kdim = embed_dim if kdim is None else as_count(kdim, "kdim")
        self.vdim = embed_dim if vdim is None else as_count(vdim, "vdim")
        self.dropout, self.head_dim = 0.0, embed_dim // num_heads
        self.batch_first = as_flag(batch_first, "batch_first")
        features = {"A": A, "floor": floor, "backward_map": backward_map, **params}
        self.words = {"map": map, "coupling": coupling, "m": m, **features}
        # A call with nothing to attend to: refuses arguments that do not fit.
        scaled_dot_product_attention(*(torch.empty(3, 1, 1, 0, self.head_dim, device="cpu")), **self.words)
        self._make_parameters(as_flag(bias, "bias"), {"device": device, "dtype": dtype})
        self.register_buffer("seed", as_seed(_drawn() if seed is None else seed).to(device))

    def _make_parameters(self, bias: bool, factory: dict[str, Any]) -> None:
        """Makes the parameters in the order in which torch draws them."""
        E = self.embed_dim
        packed = self.kdim == E and self.vdim == E
        shapes = {
            "in_proj_weight": (3 * E, E) if packed else None,
            "q_proj_weight": None if packed else (E, E),
            "k_proj_weight": None if packed else (E, self.kdim),
            "v_proj_weight": None if packed else (E, self.vdim),
            "in_proj_bias": (3 * E,) if bias else None,
        }
        for name, shape in shapes.items():
            self.register_parameter(name, None if shape is None else nn.Parameter(torch.empty(shape, **factory)))
        self.out_proj = nn.Linear(E, E, bias=bias, **factory)
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if shapes[name] is not None:
                nn.init.xavier_uniform_(getattr(self, name))
        if bias:
            nn.init.zeros_(self.in_proj_bias)
            nn.init.zeros_(self.out_proj.bias)

    @classmethod
    def from_multihead(cls, attention: nn.MultiheadAttention, **words: Any) -> "RandomFeatureAttention":
        """A module with random features instead of exact attention, which shares the parameters of ``attention``.

        Parameters
        ----------
        attention : torch.nn.MultiheadAttention
        **words
            map, coupling, m, seed, A and further parameters, as in the constructor.

        Examples
        --------
        >>> import torch
        >>> from bochner.torch import RandomFeatureAttention
        >>> layer = torch.nn.TransformerEncoderLayer(32, 4, batch_first=True)
        >>> layer.self_attn.dropout = 0.0
        >>> layer.self_attn = RandomFeatureAttention.from_multihead(layer.self_attn, map="positive", m=64)
        >>> layer(torch.randn(2, 100, 32)).shape
        torch.Size([2, 100, 32])
        """
        if not isinstance(attention, nn.MultiheadAttention):
            raise TypeError(f"attention is of type {type(attention).__name__}; expected torch.nn.MultiheadAttention")
        made = cls(
            attention.embed_dim,
            attention.num_heads,
            attention.dropout,
            attention.in_proj_bias is not None,
            attention.bias_k is not None,
            attention.add_zero_attn,
            attention.kdim,
            attention.vdim,
            attention.batch_first,
            attention.out_proj.weight.device,
            attention.out_proj.weight.dtype,
            **words,
        )
        for name, parameter in attention.named_parameters(recurse=False):
            setattr(made, name, parameter)
        made.out_proj = attention.out_proj
        return made.train(attention.training)

    def redraw(self, seed: int | None = None) -> None:
        """Uses other features from now on: those of ``seed``, or of a seed that torch's generator draws.

        Examples
        --------
        >>> import torch
        >>> from bochner.torch import RandomFeatureAttention
        >>> layer = RandomFeatureAttention(8, 2, m=4)
        >>> x = torch.randn(5, 8)
        >>> before = layer(x, x, x)[0]
        >>> layer.redraw()
        >>> bool((layer(x, x, x)[0] == before).all())
        False
        """
        # A new tensor, not a new number in the old tensor, which a backward pass may still need.
        self.seed = as_seed(_drawn() if seed is None else seed).to(self.seed.device)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = False,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, None]:
        """The result of attention, and None instead of its weights.

        Parameters
        ----------
        query, key, value : tensors of shape (length, batch, dim) or (length, dim)
            With ``batch_first``: (batch, length, dim).
        key_padding_mask : tensor of shape (batch, keys), or (keys,) without a batch
            Bool, True for keys that are *not* seen; or a float type, 0 for keys that are seen and -inf for the others.
        need_weights : bool
            Only False.
        attn_mask : None
        average_attn_weights : bool
            Ignored, as there are no weights.
        is_causal : bool
            Query t sees keys 0 ... t.

        Examples
        --------
        >>> import torch
        >>> from bochner.torch import RandomFeatureAttention
        >>> layer = RandomFeatureAttention(8, 2, batch_first=True)
        >>> x = torch.randn(2, 5, 8)
        >>> padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])
        >>> layer(x, x, x, key_padding_mask=padding)[0].shape
        torch.Size([2, 5, 8])
        """
        if need_weights:
            raise ValueError("need_weights is True; expected False: random features form no weights")
        if attn_mask is not None:
            raise ValueError("attn_mask is given; expected None: is_causal hides the future, key_padding_mask keys")
        self._check(query, key, value)
        batched = query.dim() == 3
        mask = _seen_keys(key_padding_mask, query, key, self.batch_first)
        q, k, v = (self._heads(x) for x in self._project(query, key, value))
        out = scaled_dot_product_attention(q, k, v, mask, is_causal=is_causal, seed=self.seed, **self.words)
        out = out.transpose(1, 2).flatten(2)
        out = out if self.batch_first else out.transpose(0, 1)
        return self.out_proj(out if batched else out.squeeze(0 if self.batch_first else 1)), None

    def _check(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        dims = (("query", query, self.embed_dim), ("key", key, self.kdim), ("value", value, self.vdim))
        for name, tensor, dim in dims:
            check_tensor(tensor, name, (2, 3))
            if tensor.dim() != query.dim():
                raise ValueError(f"{name} has shape {tuple(tensor.shape)}; expected {query.dim()} axes, as query has")
            if tensor.shape[-1] != dim:
                raise ValueError(f"{name} has shape {tuple(tensor.shape)}; expected dim {dim}")
        batch, length = (0, 1) if self.batch_first else (1, 0)
        pairs = (("key", key, "query", query, batch, "batch"), ("value", value, "key", key, batch, "batch"))
        for name, tensor, other, like, axis, what in (*pairs, ("value", value, "key", key, length, "length")):
            if tensor.dim() == 2:
                axis = 0
            if (what == "length" or tensor.dim() == 3) and tensor.shape[axis] != like.shape[axis]:
                shape, wanted = tuple(tensor.shape), like.shape[axis]
                raise ValueError(f"{name} has shape {shape}; expected {what} {wanted}, as {other} has")

    def _project(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        if self.in_proj_weight is not None and query is key and key is value:
            return nn.functional.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, dim=-1)
        if self.in_proj_weight is not None:
            weights = self.in_proj_weight.chunk(3)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return tuple(nn.functional.linear(x, W, b) for x, W, b in zip((query, key, value), weights, biases))

    def _heads(self, x: Tensor) -> Tensor:
        """(batch, heads, length, dim), a view."""
        x = x.unflatten(-1, (self.num_heads, self.head_dim))
        if x.dim() == 3:
            x = x.unsqueeze(0 if self.batch_first else 1)
        return x.transpose(1, 2) if self.batch_first else x.permute(1, 2, 0, 3)

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        """A state of exact attention has no seed; then the module keeps its own."""
        state_dict.setdefault(f"{prefix}seed", self.seed)
        super()._load_from_state_dict(state_dict, prefix, *rest)

    def extra_repr(self) -> str:
        words = ", ".join(f"{name}={value}" for name, value in self.words.items() if value is not None)
        return f"{self.embed_dim}, {self.num_heads}, {words}"


def _drawn() -> int:
    return int(torch.randint(_SEEDS, (), device="cpu").item())


def _check_unsupported(dropout: float, add_bias_kv: bool, add_zero_attn: bool) -> None:
    if dropout != 0:
        raise ValueError(f"dropout is {dropout}; expected 0: random features form no weights that could be dropped")
    for name, value in (("add_bias_kv", add_bias_kv), ("add_zero_attn", add_zero_attn)):
        if value:
            raise ValueError(f"{name} is True; expected False: append the row to key and value instead")


def _seen_keys(mask: Tensor | None, query: Tensor, key: Tensor, batch_first: bool) -> Tensor | None:
    """The mask as scaled_dot_product_attention takes it: there the flags mean the opposite."""
    if mask is None:
        return None
    check_tensor(mask, "key_padding_mask")
    if mask.dtype != torch.bool and not mask.dtype.is_floating_point:
        raise ValueError(f"key_padding_mask has dtype {mask.dtype}; expected bool, True for keys that are not seen")
    keys = key.shape[-3 if key.dim() == 3 and not batch_first else -2]
    shape = (query.shape[0 if batch_first else 1], keys) if query.dim() == 3 else (keys,)
    if tuple(mask.shape) != shape:
        raise ValueError(f"key_padding_mask has shape {tuple(mask.shape)}; expected {shape}")
    return (~mask if mask.dtype == torch.bool else mask)[..., None, None, :]
