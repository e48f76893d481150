# SPDX-License-Identifier: Apache-2.0
"""Every public name is documented with examples that run, and typed."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import bochner
import pytest
from bochner import _core

# The examples of bochner.torch, which is optional and slow to import, are run by the tests of its module.
TORCH = "bochner.torch"
FOUND = [found.name for found in pkgutil.walk_packages(bochner.__path__, "bochner.", onerror=lambda name: None)]
MODULES = ["bochner", *(name for name in FOUND if name != TORCH and not name.startswith(TORCH + "."))]
EXAMPLES = [
    example
    for name in MODULES
    for example in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    if example.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example(example):
    output = []
    runner = doctest.DocTestRunner()
    runner.run(example, out=output.append)
    assert not runner.failures, "".join(output)


def _public():
    for name in bochner.__all__:
        value = getattr(bochner, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            yield name, value
            for member, inner in vars(value).items():
                if not member.startswith("_") and (inspect.isfunction(inner) or isinstance(inner, property)):
                    yield f"{name}.{member}", inner


@pytest.mark.parametrize(("name", "value"), [pytest.param(*pair, id=pair[0]) for pair in _public()])
def test_public_names_have_an_example(name, value):
    assert ">>> " in inspect.getdoc(value)


def test_all_is_complete():
    assert set(bochner.__all__) <= set(dir(bochner))
    public = {name for name, value in vars(bochner).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert public - set(bochner.__all__) <= {"Any", "TYPE_CHECKING", "import_module"}


def test_stub_describes_the_extension():
    folder = Path(bochner.__file__).parent
    assert (folder / "py.typed").exists()
    tree = ast.parse((folder / "_core.pyi").read_text())
    described = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    described |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    assert described == {name for name in dir(_core) if not name.startswith("_")}


def test_public_functions_are_annotated():
    for name, value in _public():
        function = value.fget if isinstance(value, property) else value
        if inspect.isclass(function):
            function = function.__init__
        parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
        assert all(p.annotation is not p.empty for p in parameters), name
        assert inspect.signature(function).return_annotation is not inspect.Signature.empty, name
