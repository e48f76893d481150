# SPDX-License-Identifier: Apache-2.0
"""gamma means what it means in scikit-learn, or is refused."""

import bochner
import numpy as np
import pytest
from bochner import KernelRidge, RandomFeatures
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

THEIRS = {"gaussian": rbf_kernel, "rbf": rbf_kernel, "laplace": laplacian_kernel}
WITHOUT = [entry["name"] for entry in bochner.kernels() if entry["name"] not in THEIRS]
ROWS = np.random.default_rng(0).normal(size=(20, 3))


@pytest.mark.parametrize("gamma", [0.02, 0.5, 3, np.float32(0.25)])
@pytest.mark.parametrize("kernel", THEIRS)
def test_a_number_is_scikit_learns(kernel, gamma):
    model = RandomFeatures(kernel=kernel, gamma=gamma, n_components=8192, random_state=0).fit(ROWS)
    assert model.gamma_ == gamma
    exact = THEIRS[kernel](ROWS, gamma=float(gamma))
    ours = bochner.kernel_matrix(ROWS, kernel=kernel, lengthscale=model.lengthscale_)
    assert np.abs(ours - exact).max() < 1e-14
    # Estimates are means of m = 4096 cosines; Hoeffding's bound for 200 pairs, with probability 1e-6 above.
    bound = np.sqrt(2 * np.log(2 * 200 / 1e-6) / 4096)
    Z = model.transform(ROWS)
    assert np.abs(Z @ Z.T - exact).max() < bound


@pytest.mark.parametrize("kernel", WITHOUT)
def test_a_number_is_refused_for_kernels_without_gamma(kernel):
    words = {"kernel": kernel, "n_components": 8}
    refusal = rf"gamma is 0.5 with kernel '{kernel}'; expected 'scale', or lengthscale in its place"
    with pytest.raises(ValueError, match=refusal):
        RandomFeatures(gamma=0.5, **words).fit(ROWS)
    with pytest.raises(ValueError, match=refusal):
        KernelRidge(gamma=0.5, **words).fit(ROWS, ROWS[:, 0])
    model = RandomFeatures(lengthscale=2.0, **words).fit(ROWS)
    assert model.gamma_ is None
    assert model.lengthscale_ == 2


def test_scale_is_one_sigma_for_every_kernel():
    sigmas = {
        RandomFeatures(kernel=entry["name"], n_components=8).fit(ROWS).lengthscale_ for entry in bochner.kernels()
    }
    assert sigmas == {bochner.lengthscale(ROWS, "scale")}


@pytest.mark.parametrize(("kernel", "power", "factor"), [("gaussian", 2, 0.5), ("laplace", 1, 1.0)])
def test_gamma_follows_a_lengthscale(kernel, power, factor, tmp_path):
    words = {"kernel": kernel, "n_components": 8, "random_state": 0}
    sigma = np.array([0.5, 1.0, 4.0])
    assert np.array_equal(RandomFeatures(lengthscale=sigma, **words).fit(ROWS).gamma_, factor / sigma**power)
    for rule in ("scale", "median"):
        model = KernelRidge(lengthscale=rule, **words).fit(ROWS, ROWS[:, 0])
        assert model.gamma_ == factor / model.lengthscale_**power
        bochner.save_model(model, tmp_path / "m.safetensors")
        assert bochner.load_model(tmp_path / "m.safetensors").gamma_ == model.gamma_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gamma": 0.5, "lengthscale": 2.0}, r"expected only one of them: gamma = 1 / \(2 lengthscale\^2\)"),
        ({"gamma": 0.5, "lengthscale": 2.0, "kernel": "laplace"}, "only one of them: gamma = 1 / lengthscale$"),
        ({"gamma": 0.5, "lengthscale": 2.0, "kernel": "cauchy"}, "expected only one of them$"),
        ({"gamma": 0, "kernel": "laplace"}, "gamma is 0; expected a finite number > 0"),
        ({"gamma": "auto"}, "gamma is 'auto'; expected 'scale' or a number > 0"),
        ({"gamma": 1e-320, "kernel": "laplace"}, "gamma is 1e-320; expected a number with a lengthscale"),
        ({"gamma": 1e308, "kernel": "laplace"}, r"gamma is 1e\+308; expected a number with a lengthscale"),
        ({"gamma": 1e-320}, "gamma is 1e-320; expected a number with a lengthscale"),
        ({"gamma": 0.5, "kernel": "laplase"}, "unknown kernel 'laplase'; did you mean 'laplace'"),
    ],
)
def test_refusals_begin_with_what_was_given(given, message):
    with pytest.raises(ValueError, match=message):
        RandomFeatures(n_components=8, **given).fit(ROWS)
