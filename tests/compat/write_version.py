# SPDX-License-Identifier: Apache-2.0
"""Writes the models of a version of the library, rows, and its results for them.

    write_version.py COMMAND_LINE FOLDER

Run it by a Python that has the package `bochner` of that version; COMMAND_LINE is that version's program.
compat_test.py expects the recorded results from every later version.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import bochner
import numpy as np
from make_models import command_line_fits, estimators, feature_cases, pickled, write_tables
from recorded import machine, problem, record_of, targets, write
from results import WITHOUT_NAMES, inputs_of, on_target, packed, rows_of

METHODS = ("predict", "decision_function", "predict_proba", "std", "transform")
EXACT_ON_ITS_MACHINE = ("predict_proba", "std", "--probabilities", "--std")


def write_models(command_line, folder):
    """(name, rows) of every model."""
    models = []
    for place in ("models", "rows"):
        (folder / place).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as training:
        write_tables(Path(training), folder / "rows")
        for name, rows, words in command_line_fits():
            all_words = [command_line, "fit", *words, "--model", folder / "models" / name, "--seed", "7"]
            done = subprocess.run(all_words, cwd=training, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"{name}: {done.stderr}")
            models.append((name, rows))
    for name, rows, estimator, dtype in estimators():
        bochner.save_model(estimator, folder / "models" / name, dtype=dtype)
        models.append((name, rows))
    return models


def learner_of(model):
    return model[-1] if hasattr(model, "steps") else model


def says(model, method):
    """Whether the model has a result of this kind; a map with negative features has no probabilities."""
    learner = learner_of(model)
    if method == "std":
        return isinstance(learner, bochner.GaussianProcess)
    if method == "predict_proba" and isinstance(learner, bochner.KernelClassifier):
        return learner._positive
    return hasattr(learner, method)


def words_for(model, name, rows):
    """The command that writes all results of a model for the rows."""
    words = ["--no-header"] if Path(rows).stem in WITHOUT_NAMES else []
    if isinstance(learner_of(model), bochner.KernelPCA):
        return ["transform", f"rows/{rows}", "--model", f"models/{name}", *words]
    asked = {"decision_function": "--scores", "predict_proba": "--probabilities", "std": "--std"}
    return ["predict", f"models/{name}", f"rows/{rows}", *words, *(asked[kind] for kind in asked if says(model, kind))]


def feature_error(features, X, single):
    """The promise between instruction sets: 4 eps max(1, sum_l |w_l x_l|) times the scale of the features. Exponents of
    some maps also hold |x|^2."""
    scaled = np.asarray(X, dtype=float) / features.spec["lengthscale"]
    sums = (np.abs(scaled) @ np.abs(features.directions().astype(float)).T).max() + (scaled**2).sum(axis=1).max()
    scale = max(np.abs(features.transform(np.asarray(X, dtype=float), side=side)).max() for side in ("query", "key"))
    return 4 * (2.0**-23 if single else 2.0**-52) * max(1.0, sums) * scale


def errors_of(model, rows):
    """How far results of other instruction sets may be off for each method, if the errors of all features add up."""
    learner, columns = learner_of(model), model[0] if hasattr(model, "steps") else None
    X = np.asarray(rows if columns is None else columns.transform(rows), dtype=float)
    error = feature_error(learner.features_, X, getattr(columns, "single", False))
    Z = np.abs(learner.features_.transform(X))
    names = ("components_", "_coef", "coef_")
    coef = np.abs(np.atleast_2d(next(getattr(learner, name) for name in names if hasattr(learner, name))))
    scores = error * coef.sum(axis=1).max() + 2.0**-50 * (Z @ coef.T).max()
    errors = dict.fromkeys(("predict", "decision_function", "transform"), scores) | {"predict_proba": 2 * scores}
    if isinstance(learner, bochner.KernelClassifier) and learner._positive:
        errors["predict_proba"] = 4 * scores / np.abs(learner.decision_function(X).sum(axis=1)).min()
    if isinstance(learner, bochner.GaussianProcess):
        deviation = learner.predict(X, return_std=True)[1]
        size = np.sqrt((Z**2).sum(axis=1)).max() * np.sqrt(Z.shape[1])
        errors["std"] = 4 * learner.signal_variance_ * size * error / deviation.min()
    return errors


def model_cases(folder, models):
    """(case, tolerance, plain) of all models, by the command line and in Python."""
    for name, rows in models:
        model = bochner.load_model(folder / "models" / name)
        table = inputs_of(model, rows_of(folder, rows))
        errors = errors_of(model, table)
        words = words_for(model, name, rows)
        plain = not set(EXACT_ON_ITS_MACHINE) & set(words)
        yield {"words": words}, max(errors.values()), plain
        single = bool(hasattr(model, "steps") and getattr(model[0], "single", False))
        for method in (method for method in METHODS if says(model, method)):
            case = {"model": name, "rows": rows, "kind": method, "single": single}
            yield case, errors[method], method not in EXACT_ON_ITS_MACHINE


def all_cases(command_line, folder):
    yield from model_cases(folder, write_models(command_line, folder))
    for choice, features, rows, side in feature_cases():
        case = {"features": choice, "pickle": pickled(features), "rows": packed(rows), "side": side}
        composed = "composed" in choice
        yield case, 1e-13 if composed else feature_error(features, rows, rows.dtype == np.float32), True


def main(command_line, folder):
    cases = list(all_cases(command_line, folder))
    words = [case for case, _, _ in cases]
    found = {target: on_target(target, command_line, folder, words) for target in targets(command_line)}
    records = []
    for number, (case, tolerance, plain) in enumerate(cases):
        results = {target: results[number] for target, results in found.items()}
        record = {**case, **record_of(results, tolerance, plain)}
        for target, result in results.items():  # checks the promise between the instruction sets of this machine
            wrong = problem(record, result, target, True) or problem({**record, "targets": {}}, result, target, False)
            if wrong:
                print(f"{case} on {target}: {wrong}", file=sys.stderr)
        records.append(record)
    write(folder, {"machine": machine(), "library": bochner.__version__, "cases": records})
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {len(records)} results of {len(list((folder / 'models').iterdir()))} models, {size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
