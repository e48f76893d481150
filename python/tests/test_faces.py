# SPDX-License-Identifier: Apache-2.0
"""Arrays that numpy cannot read, for each argument of each function that takes numbers: the error is one sentence that
begins with the argument and says what to do."""

import inspect

import bochner
import numpy as np
import numpy.typing as npt
import pytest

torch = pytest.importorskip("torch")

ROWS = np.random.default_rng(0).normal(size=(60, 4))
LABELS = np.arange(60) % 3
SHARES = np.abs(ROWS) / np.abs(ROWS).sum(axis=1, keepdims=True)
CODES = bochner.BinaryEmbedding(64).encode(ROWS)
PAIRS = {"x": ROWS, "y": ROWS, "lengthscale": 1.0}
HEADS = {"q": ROWS, "k": ROWS, "v": ROWS, "key_mask": np.ones(60, bool)}
SAMPLES = {"X": ROWS, "y": LABELS, "sample_weight": np.ones(60)}
LEARNERS = (
    "RandomFeatures", "KernelPCA", "KernelRidge", "GaussianProcess", "KernelRidgeClassifier", "KernelClassifier",
    "KernelSVC", "KernelLogistic",
)  # fmt: skip
# By the name of a callable: its arguments that take numbers, and the other arguments that it needs.
FUNCTIONS = {
    "attention": (HEADS | {"A": -0.1, "scale": 1.0, "floor": 1.0}, {}),
    "error_report": ({"X": ROWS, "Y": ROWS}, {"features": bochner.features(4, m=8)}),
    "features": ({"lengthscale": 1.0, "A": -0.1}, {"d": 4, "map": "optimal_positive"}),
    "kernel_matrix": ({"X": ROWS, "Y": ROWS, "lengthscale": 1.0, "nu": 1.5}, {"kernel": "matern"}),
    "kolmogorov_smirnov": ({"p": SHARES, "q": SHARES}, {}),
    "lengthscale": ({"X": ROWS}, {"rule": "median"}),
    "negative_fraction": ({"p": SHARES}, {}),
    "plan": ({"X": ROWS, "Y": ROWS, "lengthscale": 1.0}, {"m": 8, "map": "positive", "coupling": "iid"}),
    "wasserstein": ({"p": SHARES, "q": SHARES}, {}),
    "theory.attention_error": ({"q": ROWS, "k": ROWS, "v": ROWS, "scale": 0.5}, {"m": 8}),
    "theory.bias": (PAIRS, {"m": 8}),
    "theory.conformity": ({"v": np.ones(3)}, {"d": 4}),
    "theory.estimated_mse": (PAIRS, {"m": 8, "draws": 2}),
    "theory.exactness": ({"lengthscale": 1.0}, {"d": 4}),
    "theory.max_relative_error": ({"radius": 1.0, "lengthscale": 1.0}, {"d": 4, "m": 8}),
    "theory.max_relative_error_bound": ({"radius": 2.0, "lengthscale": 1.0}, {"d": 4, "m": 8}),
    "theory.mse": (PAIRS, {"m": 8}),
    "theory.optimal_parameters": ({"X": ROWS, "Y": ROWS, "lengthscale": 1.0}, {"kernel": "softmax"}),
    "theory.relative_error": (PAIRS, {"m": 8}),
    "theory.tail_bound": (PAIRS | {"t": 0.1, "A": -0.1}, {"m": 8}),
    "theory.variance": (PAIRS, {"m": 8}),
    "compose.on_inputs": ({"P": np.eye(4), "Q": np.eye(4)}, {"features": bochner.features(4, m=8)}),
    "SoftmaxSampler": ({"class_embeddings": ROWS, "biases": np.zeros(60), "lengthscale": 1.0, "floor": 0.0}, {"m": 8}),
}
OBJECTS = {
    "Features": lambda: bochner.features(4, kernel="softmax", map="optimal_positive", m=8, lengthscale=4.0).fit(ROWS),
    "AttentionState": lambda: bochner.AttentionState(4, dtype=np.float64, m=8),
    "BinaryEmbedding": lambda: bochner.BinaryEmbedding(64),
    "SoftmaxSampler": lambda: bochner.SoftmaxSampler(ROWS, m=8),
    **{name: lambda name=name: learner(name).fit(ROWS, LABELS) for name in LEARNERS},
}
METHODS = {
    "Features.fit": ({"X": ROWS, "Y": ROWS}, {}),
    "Features.transform": ({"X": ROWS}, {}),
    "AttentionState.step": (HEADS, {}),
    "BinaryEmbedding.encode": ({"X": ROWS}, {}),
    "BinaryEmbedding.angles": ({"A": CODES, "B": CODES}, {}),
    "BinaryEmbedding.nearest": ({"codes": CODES, "queries": CODES}, {"k": 2}),
    "SoftmaxSampler.sample": ({"queries": ROWS, "exclude": np.zeros(60, int)}, {"n": 2}),
    "SoftmaxSampler.log_probability": (
        {"queries": ROWS, "ids": np.ones((60, 2), int), "exclude": np.zeros(60, int)}, {}
    ),
    "SoftmaxSampler.update": ({"embedding": ROWS[0], "bias": 0.0}, {"id": 1}),
}  # fmt: skip
# For learners: the arguments of SAMPLES that a method takes, unless it only uses X.
OF_LEARNERS = ("fit", "partial_fit", "fit_transform", "transform", "predict", "predict_proba", "predict_log_proba",
               "decision_function", "score", "sample_y")  # fmt: skip
WITHOUT_TARGETS = ("RandomFeatures", "KernelPCA")


def learner(name):
    length = "n_features" if name == "KernelPCA" else "n_components"
    words = {"map": "positive"} if name == "KernelClassifier" else {}  # which has probabilities
    return getattr(bochner, name)(random_state=0, lengthscale=2.0, **{length: 8}, **words)


def faces():
    """(name, a function that finds the callable, arguments that take numbers, other arguments)."""
    for name, (numbers, others) in FUNCTIONS.items():
        yield name, lambda name=name: _found(name), numbers, others
    for name, (numbers, others) in METHODS.items():
        kind, _, method = name.partition(".")
        yield name, lambda kind=kind, method=method: getattr(OBJECTS[kind](), method), numbers, others
    for kind in LEARNERS:
        for method in OF_LEARNERS:
            if not hasattr(getattr(bochner, kind), method):
                continue
            words = inspect.signature(getattr(getattr(bochner, kind), method)).parameters
            ignored = {"y"} if kind in WITHOUT_TARGETS else set()
            numbers = {name: SAMPLES[name] for name in SAMPLES if name in words and name not in ignored}
            make = (lambda kind=kind: learner(kind)) if method == "partial_fit" else OBJECTS[kind]
            others = {"classes": [0, 1, 2]} if "classes" in words else {}
            yield f"{kind}.{method}", lambda make=make, method=method: getattr(make(), method), numbers, others


def _found(name):
    found = bochner
    for word in name.split("."):
        found = getattr(found, word)
    return found


FACES = {name: face for name, *face in faces()}
ARGUMENTS = [pytest.param(name, word, id=f"{name}({word})") for name, face in FACES.items() for word in face[1]]


def tensor(value):
    return torch.tensor(np.asarray(value, np.float64))


def called(name, word, value):
    find, numbers, others = FACES[name]
    return find()(**{**numbers, **others, word: value})


@pytest.mark.parametrize(("name", "word"), ARGUMENTS)
def test_a_tensor_that_requires_grad_is_refused_with_what_to_do(name, word):
    find, numbers, others = FACES[name]
    find()(**numbers, **others)  # nothing else is wrong
    with pytest.raises(ValueError, match=rf"^{word} is a tensor that requires grad; expected one .*{word}\.detach\(\)"):
        called(name, word, tensor(numbers[word]).requires_grad_())
    if np.ndim(numbers[word]):
        items = list(tensor(numbers[word]).requires_grad_())
        message = rf"^{word} is a tensor that requires grad; expected one without: detach\(\) of each makes it"
        with pytest.raises(ValueError, match=message):
            called(name, word, items)


@pytest.mark.parametrize(("name", "word"), ARGUMENTS)
def test_tensors_elsewhere_are_refused_with_what_to_do(name, word):
    value = tensor(FACES[name][1][word])
    with pytest.raises(ValueError, match=rf"^{word} is a tensor on device 'meta'; .*{word}\.cpu\(\) makes it"):
        called(name, word, value.to("meta"))
    if value.ndim:
        message = rf"^{word} is a tensor that numpy does not read \(.*\); expected a dense one"
        with pytest.raises(ValueError, match=message):
            called(name, word, value.to_sparse())


def _narrow_cases():
    """Arguments for which a user may give two-byte numbers: rows, targets, weights; attention takes float16."""
    for name, face in FACES.items():
        for word, value in face[1].items():
            for kind in ("numpy.float16", "torch.float16", "torch.bfloat16"):
                kept = name in ("attention", "AttentionState.step") and kind.endswith(".float16")
                if np.ndim(value) and np.asarray(value).dtype.kind == "f" and not kept:
                    yield pytest.param(name, word, kind, id=f"{name}({word})-{kind}")


@pytest.mark.parametrize(("name", "word", "kind"), list(_narrow_cases()))
def test_narrow_numbers_are_refused_with_the_cast(name, word, kind):
    value = FACES[name][1][word]
    library, _, dtype = kind.partition(".")
    narrow = value.astype(np.float16) if library == "numpy" else torch.from_numpy(value).to(getattr(torch, dtype))
    cast = r"astype\('float32'\)" if library == "numpy" else r"float\(\)"
    with pytest.raises(ValueError, match=rf"^{word} has dtype {dtype}; expected float32 or float64: {word}\.{cast}"):
        called(name, word, narrow)


def _takes_numbers(name, word):
    text = str(word.annotation)
    return word.annotation in (npt.ArrayLike, npt.ArrayLike | None) or name in SAMPLES or "ArrayLike" in text


def test_every_face_is_looked_at():
    known = {name: set(face[1]) for name, face in FACES.items()}
    looked = 0
    for module, prefix in ((bochner, ""), (bochner.theory, "theory."), (bochner.compose, "compose.")):
        names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
        for name in names:
            value = getattr(module, name)
            own = module is not bochner.compose or getattr(value, "__module__", "") == module.__name__
            if inspect.isfunction(value) and own:
                _expect_known(known, f"{prefix}{name}", value, set())
                looked += 1
            elif inspect.isclass(value) and name in OBJECTS:
                for method, function in inspect.getmembers(value, inspect.isfunction):
                    if method.startswith(("_", "set_", "get_")):
                        continue
                    ignored = {"y"} if name in WITHOUT_TARGETS else set()
                    _expect_known(known, f"{name}.{method}", function, ignored)
                    looked += 1
    assert looked > len(FUNCTIONS)


def _expect_known(known, name, function, ignored):
    words = inspect.signature(function).parameters.items()
    taken = {word for word, said in words if _takes_numbers(word, said)} - ignored
    assert taken <= known.get(name, set()), f"{name} takes {taken}"
