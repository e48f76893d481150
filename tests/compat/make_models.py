# SPDX-License-Identifier: Apache-2.0
"""The models, rows and features that every version writes: every learner with every way to prepare columns, every
kernel, map and coupling. What a later version adds to the library is added here before that version is written."""

import base64
import itertools
import pickle

import bochner
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

COLOURS = np.array(["blue", "dark, red", "green"])
REGRESSION = ("ridge", "gp")
CLASSIFIERS = ("ridge", "logistic", "logistic_one_vs_rest", "svc", "nadaraya_watson")
SEED = 20261119


def mixed_table(n, generator):
    """Numbers, strings, missing cells, weights and targets of all kinds, some of them to be left out."""
    X = generator.normal(size=(n, 3)).round(4)
    colour = generator.integers(0, 3, n)
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * colour + 0.1 * generator.normal(size=n)
    table = pd.DataFrame({"x1": X[:, 0], "colour": COLOURS[colour], "x2": 100 + 20 * X[:, 1], "x3": X[:, 2]})
    table["size"] = generator.integers(1, 4, n)
    table["y"] = y.round(4)
    table["kind"] = np.array(["no", "may be", "yes"])[np.digitize(y, [-0.4, 0.6])]
    table["sign"] = np.where(y > 0.2, 1, -1)
    table["w"] = generator.uniform(0.2, 3, n).round(3)
    return table


def write_tables(training, rows):
    """Tables to fit in one folder and rows to predict in the other."""
    generator = np.random.default_rng(SEED)
    for folder, n in ((training, 160), (rows, 6)):
        table = mixed_table(n, generator)
        table.to_csv(folder / "mixed.csv", index=False)
        holes = table.copy()
        holes.loc[1 :: 5, "x3"] = np.nan
        holes.loc[2 :: 7, "colour"] = None
        holes.to_csv(folder / "holes.csv", index=False)
        plain = table[["x1", "x2", "x3", "y"]].to_numpy()
        np.savetxt(folder / "plain.csv", plain, delimiter=",", fmt="%.6g")
        unit = generator.uniform(-1.5, 1.5, size=(n, 3)).round(4)  # within the range that every map was fitted to
        np.savetxt(folder / "unit.csv", unit, delimiter=",", fmt="%.6g")
        pd.DataFrame(unit, columns=["x1", "x2", "x3"]).to_csv(folder / "named.csv", index=False)
        np.save(folder / "single.npy", np.ascontiguousarray(plain, dtype=np.float32))


def mixed(target):
    others = sorted({"y", "kind", "sign", "w"} - {target})
    return ["mixed.csv", "--target", target, "--drop", *others]


def command_line_fits():
    """(name, rows, arguments of `bochner fit`) of the models that the command line writes."""
    small = ["--m", "9"]
    for learner, single in itertools.product(REGRESSION, (False, True)):
        words = [*mixed("y"), "--learner", learner, "--float32" if single else "--float64", *small]
        yield f"{learner}{'_float32' if single else ''}", "mixed.csv", words
    for number, (learner, target) in enumerate(itertools.product(CLASSIFIERS, ("kind", "sign"))):
        words = [*mixed(target), "--task", "classification", "--learner", learner, *small]
        yield f"{learner}_{target}", "mixed.csv", [*words, *(["--float32"] if number % 3 == 1 else [])]
    weighted = ["mixed.csv", "--weight", "w", *small, "--drop"]
    yield "weighted_ridge", "mixed.csv", [*weighted, "kind", "sign", "--target", "y"]
    yield "weighted_logistic", "mixed.csv", [*weighted, "y", "sign", "--target", "kind", "--learner", "logistic"]
    yield "balanced_svc", "mixed.csv", [*mixed("kind"), "--learner", "svc", "--class-weight", "balanced", *small]
    positive = ["--learner", "nadaraya_watson", "--map", "positive", *small]
    yield "positive_shares", "mixed.csv", [*mixed("kind"), *positive]
    yield "pca", "mixed.csv", ["mixed.csv", "--learner", "pca", "--components", "3", "--drop", "kind", "w", *small]
    yield "as_they_are", "mixed.csv", [*mixed("y"), "--no-standardise", "--alpha", "0.1", *small]
    yield "sizes_as_words", "mixed.csv", [*mixed("y"), "--categorical", "size", *small]
    yield "filled", "holes.csv", ["holes.csv", *mixed("y")[1:], "--impute", *small]
    plain = ["plain.csv", "--no-header", "--target", "4", *small]
    for rule in ("median", "neighbour", "search", "0.7,1.1,2"):
        yield f"lengthscale_{rule.replace(',', '_')}", "plain.csv", [*plain, "--lengthscale", rule]
    yield "ard", "plain.csv", [*plain, "--learner", "gp", "--lengthscale", "ard"]
    yield "single_rows", "single.npy", ["single.npy", "--target", "4", *small]
    yield "middle_target", "single.npy", ["single.npy", "--target", "2", "--drop", "1", *small]
    yield "planned", "mixed.csv", [*mixed("y"), "--map", "auto", "--coupling", "auto", *small]


def compositions():
    """(kernel, map, coupling, parameters) of all combinations that fit together, and of parameters other than the
    defaults."""
    names = ([entry["name"] for entry in table()] for table in (bochner.kernels, bochner.maps, bochner.couplings))
    for kernel, map_, coupling in itertools.product(*names):
        choice = {"kernel": kernel, "map": map_, "coupling": coupling}
        if composes(choice):
            yield choice
    gaussian = {"kernel": "gaussian", "map": "trigonometric"}
    yield {"kernel": "matern", "map": "trigonometric", "nu": 2.5}
    yield {**gaussian, "lengthscale": [0.7, 1.0, 1.5, 2.0]}
    for coupling, more in (
        ("orthogonal", {"block": 6}),
        ("hadamard", {"rounds": 1}),
        ("hadamard", {"rounds": 2, "block": 8}),
        ("hadamard", {"norms": "chi"}),
        ("simplex_hadamard", {"norms": "chi"}),
        ("givens", {"norms": "fixed"}),
        ("simplex", {"block": 6}),
        ("fastfood", {"block": 8}),
    ):
        yield {**gaussian, "coupling": coupling, **more}
    softmax = {"kernel": "softmax"}
    for map_, more in (
        ("hybrid_angular", {"lambda_coupling": "same"}),
        ("hybrid_angular", {"shared": True, "lambda_m": 3}),
        ("hybrid_gaussian", {"lambda_map": "positive", "sigma": 0.8}),
        ("hybrid_clustered", {"coefficients": "gaussian", "diagonal": "real"}),
        ("hybrid_clustered", {"clusters": [1, 3], "shared": True}),
        ("exponential", {"A": 0.05, "s": -1}),
        ("optimal_positive", {"A": -0.2}),
    ):
        yield {**softmax, "map": map_, **more}


def made(choice, m):
    words = {"lengthscale": 1.3, **choice}
    return bochner.features(4, m=m, seed=11, **words)


def composes(choice):
    try:
        made(choice, 2)
    except ValueError:
        return False
    return True


def is_symmetric(choice):
    try:
        bochner.KernelRidge(**learner_words(choice)).fit(np.eye(4), np.arange(4.0))
    except ValueError:
        return False
    return True


def learner_words(choice):
    words = {name: value for name, value in choice.items() if name in ("kernel", "map", "coupling", "lengthscale")}
    params = {name: value for name, value in choice.items() if name not in words} or None
    outputs = made(choice, 5).outputs
    return {"lengthscale": 1.3, **words, "params": params, "n_components": outputs, "random_state": 3, "alpha": 0.01}


def training_arrays():
    generator = np.random.default_rng(SEED)
    X = generator.normal(size=(80, 3)).round(4)
    return X, (np.sin(X[:, 0]) + 0.5 * X[:, 1]).round(4), np.digitize(X[:, 0] + X[:, 1], [-0.5, 0.7])


def kept(kernel, map, coupling):
    """One model for each kernel and map with the default coupling, and for each coupling with the default map."""
    default = made({"kernel": kernel, "map": map}, 2).spec["coupling"]
    return coupling == default or (kernel, map) == ("gaussian", "trigonometric")


def estimators():
    """(name, rows, fitted estimator, dtype) of the models that Python writes; for rows of unit size."""
    X, y, kind = training_arrays()
    for number, choice in enumerate(compositions()):
        more = len(choice) > 3 or "coupling" not in choice
        if not more and not kept(**choice):
            continue
        words = {name: value for name, value in choice.items() if name != "lengthscale"}
        if not is_symmetric(words):
            continue
        name = "_".join(str(value) for value in words.values()).replace(" ", "").replace(",", "_")
        model = bochner.KernelRidge(**learner_words(words)).fit(X, y)
        yield f"py_{name.strip('[]')}", "unit.csv", model, "float32" if number % 4 == 1 else "float64"
    words = {"n_components": 18, "lengthscale": 1.5, "random_state": 5}
    frame = pd.DataFrame(X, columns=["x1", "x2", "x3"])
    letters = np.array(["a", "b", "c"])[kind]
    yield "py_process", "unit.csv", bochner.GaussianProcess(**words).fit(X, y), "float64"
    yield "py_process_normalised", "unit.csv", bochner.GaussianProcess(normalize_y=True, **words).fit(X, y), "float64"
    yield "py_ridge_classes", "unit.csv", bochner.KernelRidgeClassifier(alpha=0.1, **words).fit(X, kind), "float64"
    for multi_class, target in itertools.product(("multinomial", "one_vs_rest"), (letters, kind > 1)):
        model = bochner.KernelLogistic(C=10, multi_class=multi_class, **words).fit(X, target.astype(letters.dtype))
        yield f"py_logistic_{multi_class}_{len(model.classes_)}", "unit.csv", model, "float32"
    for target in (letters, kind % 2):
        model = bochner.KernelSVC(C=10, **words).fit(X, target)
        yield f"py_svc_{len(model.classes_)}", "unit.csv", model, "float64"
    for map_ in ("trigonometric", "positive"):
        model = bochner.KernelClassifier(map=map_, **words).fit(X, letters)
        yield f"py_shares_{map_}", "unit.csv", model, "float64"
    components = {"n_features": 18, "lengthscale": 1.5, "random_state": 5}
    yield "py_pca", "unit.csv", bochner.KernelPCA(3, **components).fit(X), "float64"
    yield "py_names", "named.csv", bochner.KernelRidge(**words).fit(frame, y), "float64"
    scaled = make_pipeline(StandardScaler(), bochner.KernelLogistic(**words)).fit(3 + 2 * frame, letters)
    yield "py_scaled", "named.csv", scaled, "float64"


def feature_cases():
    """Pickled features: both sides of every composition, alternately float64 and float32."""
    X = np.random.default_rng(SEED).uniform(0.1, 1.2, size=(3, 4)).round(4)
    for number, choice in enumerate(compositions()):
        features = made(choice, 3)
        features.fit(X)
        rows = X.astype(np.float32) if number % 2 else X
        yield choice, features, rows, ("query", "key")[number % 3 == 2]
    first, second = made({}, 3), made({"kernel": "softmax", "map": "positive", "coupling": "iid"}, 2)
    for name, features in (("sum", first + second), ("product", first * second), ("multiple", 2.0 * first)):
        yield {"composed": name}, features, X, "query"


def pickled(features):
    return base64.b64encode(pickle.dumps(features, protocol=4)).decode()
