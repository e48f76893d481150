# SPDX-License-Identifier: Apache-2.0
"""What pages and docstrings claim is what the library does: defaults, figures, the bounds of benchmarks."""

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from bochner import RandomFeatures
from sklearn.kernel_approximation import RBFSampler

ROOT = Path(__file__).resolve().parents[2]


def program(folder, name, monkeypatch):
    """A module of bench/ or experiments/."""
    monkeypatch.syspath_prepend(str(ROOT / folder))
    return importlib.import_module(name)


def test_the_docstring_names_the_defaults_that_differ_from_those_of_the_sampler_it_replaces():
    theirs, ours = RBFSampler().get_params(), RandomFeatures().get_params()
    differ = {name for name in theirs.keys() & ours.keys() if theirs[name] != ours[name]}
    assert differ == {"gamma", "n_components"}
    head = RandomFeatures.__doc__.split("Parameters\n")[0]
    for name in differ:
        assert re.search(rf'{name} is "?{ours[name]}"?, not {theirs[name]}', head), name


LIMIT = {"fma_float32": 1e11, "write": 2e10, "sincos_float32": 2e9, "cos_float32": 4e9}


@pytest.mark.parametrize("slow", ["fma_float32", "write", "sincos_float32"])
def test_a_bound_is_the_longest_of_three_times_that_overlap(slow, monkeypatch):
    compare = program("bench", "compare", monkeypatch)
    limit = dict(LIMIT) | {slow: LIMIT[slow] / 1e3}
    amounts = {"fma_float32": 2 * 100 * 64 * 512, "write": 4 * 100 * 1024, "sincos_float32": 100 * 512}
    assert compare.bound(limit, 100, 64, 1024, "trigonometric", "float32") == amounts[slow] / limit[slow]


def test_a_bound_counts_the_projections_of_the_map(monkeypatch):
    compare = program("bench", "compare", monkeypatch)
    pairs, single = (compare.bound(LIMIT, 100, 256, 1024, map, "float32") for map in ("trigonometric", "cosine"))
    assert single == 2 * pairs == 2 * 100 * 256 * 1024 / LIMIT["fma_float32"]


def test_limits_before_and_after_count_by_the_faster_one(monkeypatch):
    compare = program("bench", "compare", monkeypatch)
    before, after = ({"target": "AVX2", "write": 3.0, "peak": 1.0}, {"target": "AVX2", "write": 2.0, "peak": 4.0})
    assert compare.both(before, after) == {"write": 3.0, "peak": 4.0}


def test_the_share_of_the_peak_follows_the_peak_of_the_run(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "performer_pytorch", None)  # a peer that only `make bench` installs
    bench = program("bench", "compare_attention", monkeypatch)
    monkeypatch.setattr(bench, "medians", lambda calls, rounds: {"bidirectional": 1e-3, "causal": 2e-3})
    monkeypatch.setattr(sys, "argv", ["compare_attention.py", "--threads", "1", "--lengths", "512", "--m", "128"])
    shares = []
    for peak in (1e11, 2e11):
        monkeypatch.setattr(bench, "limits", lambda program, threads, peak=peak: {"target": "", "fma_float32": peak})
        bench.main()
        shares.append(float(re.search(r"peak +(\d+)%", capsys.readouterr().out)[1]) / 100)
    flops = 8 * 512 * 128 * bench.DIM * bench.HEADS
    np.testing.assert_allclose(shares, [flops / 1e-3 / 1e11, flops / 1e-3 / 2e11], atol=0.01)


def cells(markdown):
    """map -> errors of a table of maps_table.py, None where there is none."""
    table = {}
    for line in markdown.splitlines():
        if match := re.match(r"\| `(\w+)` \| (.*)\|$", line):
            words = [cell.strip().split(",")[:-1] for cell in match[2].split("|")]
            table[match[1]] = ["".join(cell).strip("*").replace("10^", "1e") for cell in words]
    return table


def test_figures_of_maps_are_those_that_the_library_predicts(monkeypatch, capsys):
    maps_table = program("experiments", "maps_table", monkeypatch)
    monkeypatch.setattr(sys, "argv", ["maps_table.py"])
    maps_table.main()
    predicted, printed = cells(capsys.readouterr().out), cells((ROOT / "docs" / "plan.md").read_text())
    assert printed.keys() == predicted.keys()
    for name, row in predicted.items():
        assert [cell == "" for cell in printed[name]] == [cell == "" for cell in row], name
        for ours, theirs in zip(row, printed[name], strict=True):
            if ours:  # two digits are printed, or the power of ten: one unit of the last
                unit = 10.0 if "e" in ours else 1.1
                assert 1 / unit <= float(ours) / float(theirs) <= unit, (name, ours, theirs)
