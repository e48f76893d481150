# SPDX-License-Identifier: Apache-2.0
"""The extractor finds all code that a reader sees, and a wrong printed output fails."""

import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import blocks

MARKDOWN = """# Title
```cpp
int main() {}
```

```text
hello
```
```sh
make demo
```
words
```python
print("hello")
```
words between
```text
not the output of the block above
```
"""


class BlocksTest(unittest.TestCase):
    def test_finds_code_and_its_output(self):
        self.assertEqual(
            blocks.blocks(MARKDOWN),
            [("cpp", "int main() {}\n", "hello\n", 2), ("python", 'print("hello")\n', None, 13)],
        )

    def test_extract_writes_and_forgets(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            source = folder / "README.md"
            source.write_text(MARKDOWN)
            written = blocks.extract(source, folder)
            self.assertEqual([path.name for path in written], ["cpp_2.cpp", "python_13.py"])
            self.assertEqual((folder / "cpp_2.txt").read_text(), "hello\n")
            source.write_text("no code\n")
            self.assertEqual(blocks.extract(source, folder), [])
            self.assertEqual([path.name for path in folder.iterdir()], ["README.md"])

    def test_run_compares_the_output(self):
        with tempfile.TemporaryDirectory() as name, redirect_stdout(StringIO()):
            expected = Path(name) / "expected.txt"
            say = [sys.executable, "-c", "print('hello')"]
            self.assertEqual(blocks.run(expected, say), 0)
            expected.write_text("hello\n")
            self.assertEqual(blocks.run(expected, say), 0)
            expected.write_text("good bye\n")
            self.assertEqual(blocks.run(expected, say), 1)
            self.assertEqual(blocks.run(expected, [sys.executable, "-c", "raise SystemExit(3)"]), 3)


if __name__ == "__main__":
    unittest.main()
