# SPDX-License-Identifier: Apache-2.0
"""The library does what pages and docstrings claim: defaults, figures, the bounds of benchmarks."""

import importlib
import re
import sys
import time
from pathlib import Path

import bochner
import numpy as np
import pytest
from bochner import KernelClassifier, KernelRidgeClassifier, RandomFeatures
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
    """map -> errors of a table of maps_table.py, None if there is none."""
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


README = (ROOT / "README.md").read_text()


def shown(first_words):
    """The output of the first example of README.md that contains these words."""
    return README.split(first_words, 1)[1].split("```text\n", 1)[1].split("```", 1)[0]


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


def test_readme_names_the_defaults_that_differ_from_those_of_the_sampler_it_replaces():
    theirs, ours = RBFSampler().get_params(), RandomFeatures().get_params()
    for name in ("gamma", "n_components"):
        assert re.search(rf'{name} is "?{ours[name]}"?, not {theirs[name]}', README), name


def test_the_example_of_attention_beats_what_costs_less():
    features, mean, degree1 = numbers(shown("## Attention in linear time").replace("512 features", ""))
    assert features <= mean / 2
    assert features < degree1


def test_the_example_of_a_plan_is_unbiased():
    map, coupling, *_ = shown("bochner.plan(").split()
    biases = {entry["name"]: entry["bias"] for entry in bochner.couplings()}
    assert map in {entry["name"] for entry in bochner.maps()}
    assert biases[coupling] == ""


def test_readme_names_every_biased_coupling():
    promise = README.split("- **Unbiased, or it says so", 1)[1].split(";", 1)[0]
    named = set(re.findall(r"`(\w+)`", promise))
    assert named == {entry["name"] for entry in bochner.couplings() if entry["bias"]}


def maps_of_readme():
    """[names of maps, sentence about when they win] of the table of maps."""
    for line in README.splitlines():
        if "docs/maps/" in line and line.startswith("|"):
            first, *_, last = (cell.strip() for cell in line.strip("|").split("|"))
            yield re.findall(r"`(\w+)`", first), last


def test_readme_says_of_every_map_when_it_wins_with_figures_of_the_table_of_maps():
    printed = cells((ROOT / "docs" / "plan.md").read_text())
    found = []
    for names, sentence in maps_of_readme():
        found += names
        figures = [word.replace("10^", "1e") for word in re.findall(r"\d+\.\d+|10\^\d+", sentence)]
        assert figures or names == ["sign"], names
        sources = [name for name in [*names, *re.findall(r"`(\w+)`", sentence)] if name in printed]
        known = {float(figure) for name in sources for figure in printed[name] if figure}
        left = {float(figure) for figure in figures} - known
        assert left <= {0.8, 1.2}, (names, left)  # the entries of a column of the table
    assert sorted(found) == sorted(entry["name"] for entry in bochner.maps())


def test_readme_counts_the_planted_bugs():
    listed = (ROOT / "tests" / "reference" / "bug.h").read_text().split("enum class Bug {", 1)[1].split("};", 1)[0]
    bugs = set(re.findall(r"^  (\w+)", listed, re.MULTILINE)) - {"none"}
    tests = (ROOT / "tests" / "conformance" / "reference_test.cpp").read_text()
    places = re.findall(r'^ +\{"\w+", Bug::(\w+),', tests, re.MULTILINE)
    assert set(places) == bugs
    told = re.search(r"(\d+) bugs.*planted in (\d+) places", README, re.DOTALL)
    assert (int(told[1]), int(told[2])) == (len(bugs), len(places))


def tables_after(page, heading):
    """The tables of a page from these words on: lists of rows, each a list of cells."""
    found, last = [], False
    for line in page[page.index(heading) :].splitlines():
        row = line.startswith("|")
        if row and not last:
            found.append([])
        if row and not line.startswith("|---"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        last = row
    return found


def test_real_tables_are_those_of_the_program(monkeypatch, capsys):
    """The program runs on a table that comes with scikit-learn and prints the rows and columns that the pages show."""
    real_tables = program("experiments", "real_tables", monkeypatch)
    monkeypatch.setattr(sys, "argv", ["real_tables.py", "--quick", "--sets", "wine"])
    real_tables.main()
    regression, classification = tables_after(capsys.readouterr().out, "")
    methods, columns = [row[0] for row in regression[1:]], classification[0]
    assert [name.replace("D = 32", "D = 1,024") for name in methods] == list(real_tables.methods([1024]))
    assert len(classification) == 2
    first_screen = "\n".join(README.splitlines()[:70])
    told = tables_after(first_screen, "## When to use it")[0]
    assert [row[0] for row in told[1:]] == list(real_tables.methods([1024]))
    whole = tables_after((ROOT / "docs" / "README.md").read_text(), "## Random features, or something else?")
    assert told == whole[0]
    assert [table[0][0].split(":")[0] for table in whole[: len(real_tables.REGRESSION)]] == list(real_tables.REGRESSION)
    page = (ROOT / "docs" / "learners" / "kernel_classifier.md").read_text()
    table = tables_after(page, "## Take another learner")[0]
    assert table[0] == columns
    assert [row[0] for row in table[1:]] == list(real_tables.CLASSIFICATION)


def test_nadaraya_and_watson_are_far_behind_on_images_of_digits(monkeypatch):
    data_sets = program("experiments", "data_sets", monkeypatch)
    X, y, X_test, y_test = data_sets.split("digits")
    X, X_test = data_sets.standardised(X, X), data_sets.standardised(X_test, X)
    weak = KernelClassifier(lengthscale="auto", random_state=0).fit(X, y).score(X_test, y_test)
    strong = KernelRidgeClassifier(random_state=0).fit(X, y).score(X_test, y_test)
    error = np.sqrt((weak * (1 - weak) + strong * (1 - strong)) / len(y_test))
    assert strong - weak > 5 * error  # an equally good share falls this far behind once in three million


def test_processor_time_counts_on_one_thread_alone(monkeypatch):
    compare = program("bench", "compare", monkeypatch)
    assert compare.clock_for(1) is time.process_time
    assert compare.clock_for(2) is time.perf_counter
