# SPDX-License-Identifier: Apache-2.0
"""Breaks every rule of layout.py once in a small project; each must be found. The project itself is clean."""

import tempfile
import unittest
from pathlib import Path

from function_lengths import function_lengths
from layout import violations

HOUSE = {
    "docs/design.md": """
| room | holds | may include | loop |
|---|---|---|---|
| `src/core/` | streams | | `stream.cpp` |
| `src/simd/` | lanes | core | `exp.cpp` |
| `src/theory/` | closed forms | core | |
| `src/couplings/` | W | core, simd | |
| `src/maps/` | f | core, simd, theory | `positive.cpp` |
| `src/features/` | phi | core, maps | |
| `src/data/` | files | core | |
| `src/learners/` | learners | core, features | `ridge/ridge.cpp` |
""",
    **{f"docs/{room}.md": "" for room in ("theory", "couplings", "maps", "features", "learners")},
    "include/bochner/a.h": '#include <vector>\n#include "bochner/b.h"\n',
    "include/bochner/b.h": "#include <cstddef>\n",
    "src/core/stream.cpp": '#include "core/stream.h"\n#include "bochner/a.h"\n#include <Random123/philox.h>\n',
    "src/simd/exp.cpp": '#include <hwy/highway.h>\n#include "hwy/foreach_target.h"\n#include "core/stream.h"\n',
    "src/maps/maps.def": 'BOCHNER_MAP(positive, "prf")\n',
    "src/maps/positive.cpp": '#include "maps/map.h"\n#include "simd/exp.h"\n#include "theory/mse.h"\n',
    "src/features/make.cpp": '#include "maps/map.h"\n#include "maps/maps.def"\n#include "bochner/theory.h"\n',
    "src/theory/bound.h": "",
    "src/theory/mse.cpp": '#include "theory/bound.h"\n',
    "src/theory/mse.h": "",
    "src/couplings/iid.h": "",
    "src/data/csv.h": "",
    "src/learners/ridge/ridge.cpp": '#include "bochner/features.h"\n#include "core/blas.h"\n',
    "cli/list.cpp": '#include <CLI/CLI.hpp>\n#include "bochner/a.h"\n#include "list.h"\n',
    "cli/list.h": "",
    "python/bindings.cpp": "#include <nanobind/nanobind.h>\n",
}

# (file, text, part of the message)
PLANTED = [
    ("include/bochner/a.h", "#include <fmt/core.h>\n", "fmt/core.h"),
    ("include/bochner/a.h", "#include <stdint.h>\n", "stdint.h"),
    ("include/bochner/a.h", '#include "core/stream.h"\n', "core/stream.h"),
    ("src/core/stream.cpp", '#include "simd/exp.h"\n', "src/core may include bochner, core"),
    ("src/core/stream.cpp", '  #  include "bochner/features.h"\n', "promised by src/features"),
    ("src/core/stream.cpp", '#include "bochner/bochner.h"\n', "every public header"),
    ("src/core/stream.cpp", "#include <simd/exp.h>\n", "in quotes"),
    ("src/core/stream.cpp", "#include <iostream>\n", "does not print"),
    ("src/core/stream.cpp", "#include <immintrin.h>\n", "lane code"),
    ("src/theory/mse.cpp", '#include "maps/map.h"\n', "src/theory may include"),
    ("src/theory/mse.cpp", '#include "simd/exp.h"\n', "src/theory may include"),
    ("src/couplings/iid.cpp", '#include "maps/map.h"\n', "src/couplings may include"),
    ("src/maps/positive.cpp", "#include <hwy/highway.h>\n", "lane code"),
    ("src/maps/positive.cpp", '#include "hwy/highway.h"\n', "lane code"),
    ("src/maps/positive.cpp", "HWY_EXPORT(Exp);\n", "lane code"),
    ("src/features/make.cpp", 'if (map == "positive") f();\n', "knows the plug-in 'positive' by name"),
    ("cli/list.cpp", '  show("positive");  // "prf"\n', "knows the plug-in 'positive' by name"),
    ("src/features/make.cpp", '#include "maps/positive.h"\n', "is a plug-in"),
    ("src/features/make.cpp", '#include "learners/ridge.h"\n', "src/features may include"),
    ("src/data/csv.cpp", '#include "features/make.h"\n', "src/data may include"),
    ("src/learners/ridge/ridge.cpp", '#include "maps/map.h"\n', "src/learners may include"),
    ("src/extra", "", "not a room of docs/design.md"),
    ("docs/design.md", "| `src/core/` | streams | | `gone.cpp` |\n", "src/core has no file gone.cpp"),
    ("docs/design.md", "| `src/kernels/` | k | core | |\n", "src/kernels has neither docs/kernels.md"),
    ("docs/design.md", "| `src/cellar/` | nothing | core | |\n", "src/cellar does not exist"),
    ("docs/design.md", "| `src/core/` | streams | attic | |\n", "may include attic, which is no room"),
    ("src/theory/bound.h", '#include "theory/mse.h"\n', "in a circle: theory/bound, theory/mse"),
    ("cli/list.cpp", '#include "core/stream.h"\n', "cli includes bochner/"),
    ("python/bindings.cpp", '#include "core/stream.h"\n', "python includes bochner/"),
    ("python/bindings.cpp", "#include <core/stream.h>\n", "python includes bochner/"),
    ("src/core/stream.cpp", "\n" * 501, "501 lines"),
    ("src/core/stream.cpp", "void f() {\n" + "  g();\n" * 61 + "}\n", "61 lines"),
]


def build(root, extra=None):
    for name, text in HOUSE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    if extra:
        (root / extra[0]).parent.mkdir(parents=True, exist_ok=True)
        if Path(extra[0]).suffix:
            (root / extra[0]).write_text(extra[1])
        else:
            (root / extra[0]).mkdir()


class LayoutTest(unittest.TestCase):
    def test_the_house_is_clean(self):
        with tempfile.TemporaryDirectory() as name:
            build(Path(name))
            self.assertEqual(violations(Path(name)), [])

    def test_each_planted_violation_is_seen(self):
        for file, text, message in PLANTED:
            with self.subTest(file=file, text=text[:40]), tempfile.TemporaryDirectory() as name:
                build(Path(name), (file, text))
                found = violations(Path(name))
                self.assertTrue(any(file in line and message in line for line in found), found)


class FunctionLengthsTest(unittest.TestCase):
    def test_bodies_are_measured_wherever_they_stand(self):
        text = """namespace a {
// void not_this() {
class B : public C<D> {
 public:
  B() : b_{1} {
    x();
  }
  int f(int a = 0) const override {
    if (a) {
      y("}");
    }
  }
};
const int table[] = {1,
  2};
template <class T, class = std::enable_if_t<(sizeof(T) > 4)>>
auto g(T x,
       T y) -> T {
  auto h = [&](int) {
    return '{';
  };
}
struct S f2() {
}
}  // namespace a
"""
        self.assertEqual(function_lengths(text), [(5, 1), (8, 3), (18, 3), (23, 0)])


if __name__ == "__main__":
    unittest.main()
