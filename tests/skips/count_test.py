# SPDX-License-Identifier: Apache-2.0
"""count.py finds every kind of skip in a real run of ctest.

    count_test.py CTEST
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import count

# What the runners print, as ctest's entries; a fourth word is a property of the entry.
GOOGLETEST = """[ RUN      ] Memory.Peak
/tests/a_test.cpp:49: Skipped
cannot be measured

[  SKIPPED ] Memory.Peak (0 ms)
"""
# With --gtest_brief=1, of a program of many tests that passes.
BRIEF = (
    "/tests/b_test.cpp:62: Skipped\ncannot be measured\n\n/tests/b_test.cpp:62: Skipped\nnot here\n\n"
    "[==========] 900 tests from 3 test suites ran. (5 ms total)\n[  PASSED  ] 898 tests.\n[  SKIPPED ] 2 tests.\n"
)
PYTEST = (
    "..ss.s\n====== short test summary info ======\nSKIPPED [2] python/tests/test_a.py:13: needs Linux\n"
    "SKIPPED [1] ../lib/site-packages/b.py:1: not here\n3 passed, 3 skipped in 0.1s\n"
)
UNITTEST = (
    "test_numbers (__main__.Numbers) ... ok\nsetUpClass (__main__.Page) ... skipped 'Chromium is not installed'\n\n"
    "OK (skipped=1)\n"
)


class Count(unittest.TestCase):
    def run_ctest(self, entries):
        """Lines of the report of a run in which each entry prints its text and exits with its code."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            lines = []
            for entry, (text, code, words) in entries.items():
                program = folder / f"{entry}.py"
                program.write_text(f"import sys\nprint({text!r})\nsys.exit({code})\n")
                lines.append(f'add_test({entry} "{sys.executable}" "{program}")')
                if words:
                    lines.append(f"set_tests_properties({entry} PROPERTIES {words})")
            (folder / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
            ctest = [sys.argv[0], "--output-junit", "tests.xml", "--test-output-size-passed", "10000000"]
            subprocess.run(ctest, cwd=folder, capture_output=True, check=False)
            return list(count.report(folder / "tests.xml"))

    def test_nothing_is_said_to_be_nothing(self):
        self.assertEqual(self.run_ctest({"passes": ("fine", 0, ""), "fails": ("bad", 1, "")}), ["skipped: no tests"])

    def test_every_runner_counts(self):
        found = self.run_ctest({
            "one": (GOOGLETEST, 0, r'SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]"'),
            "many": ("x" * 5000 + "\n" + BRIEF, 0, ""),
            "python": (PYTEST, 0, ""),
            "page": (UNITTEST, 77, "SKIP_RETURN_CODE 77"),
            "example": ("skipped: this example needs PyTorch\n", 77, "SKIP_RETURN_CODE 77"),
            "silent": ("", 77, "SKIP_RETURN_CODE 77"),
        })
        self.assertEqual(found[0], "skipped: 9 tests")
        self.assertEqual(sorted(found[1:]), [
            "skipped: 1 × Chromium is not installed (page)",
            "skipped: 1 × SKIP_RETURN_CODE=77 (silent)",
            "skipped: 1 × skipped: this example needs PyTorch (example)",
            "skipped: 2 × cannot be measured (one, many)",
            "skipped: 2 × needs Linux (python)",
            "skipped: 2 × not here (many, python)",
        ])

    def test_one_is_not_plural_and_names_are_few(self):
        entries = {f"e{i}": ("/a.cpp:1: Skipped\nnot here\n", 0, "") for i in range(5)}
        self.assertEqual(self.run_ctest({"e0": entries["e0"]})[0], "skipped: 1 test")
        self.assertEqual(self.run_ctest(entries)[1], "skipped: 5 × not here (e0, e1, e2 and 2 more)")


if __name__ == "__main__":
    sys.argv[0] = sys.argv.pop(1)
    unittest.main()
