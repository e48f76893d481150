# SPDX-License-Identifier: Apache-2.0
"""Linear attention in PyTorch, on the CPU: custom operators with gradients that call the same C++ code.

>>> import torch
>>> import bochner.torch
>>> q, k, v = torch.randn(3, 2, 4, 500, 16, generator=torch.Generator().manual_seed(0))
>>> exact = torch.nn.functional.scaled_dot_product_attention(q, k, v)
>>> linear = bochner.torch.scaled_dot_product_attention(q, k, v, m=1024)
>>> bool((linear - exact).abs().mean() < 0.05)
True
"""

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as missing:
    if missing.name != "torch":
        raise
    raise ImportError("bochner.torch needs PyTorch: pip install 'bochner[torch]'") from missing

from bochner.torch._functional import scaled_dot_product_attention
from bochner.torch._module import RandomFeatureAttention

__all__ = ["RandomFeatureAttention", "scaled_dot_product_attention"]
