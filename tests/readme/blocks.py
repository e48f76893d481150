# SPDX-License-Identifier: Apache-2.0
"""The code blocks of a Markdown file, as programs.

    blocks.py extract README.md FOLDER   writes every ```cpp and ```python block to FOLDER, prints the file names
    blocks.py run EXPECTED COMMAND...    runs COMMAND; its output must be the text of EXPECTED, where that file exists

A ```text block right after a code block (only blank lines between) is the output of the program.
"""

import re
import subprocess
import sys
from pathlib import Path

SUFFIXES = {"cpp": ".cpp", "python": ".py"}
BLOCK = re.compile(r"^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


def blocks(markdown):
    """(language, body, expected output or None, line) of each runnable block."""
    matches = list(BLOCK.finditer(markdown))
    found = []
    for match, following in zip(matches, [*matches[1:], None]):
        if match["language"] not in SUFFIXES:
            continue
        is_output = (
            following is not None
            and following["language"] == "text"
            and not markdown[match.end() : following.start()].strip()
        )
        line = markdown.count("\n", 0, match.start()) + 1
        found.append((match["language"], match["body"], following["body"] if is_output else None, line))
    return found


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def extract(markdown_file, folder):
    """Writes NAME_LINE.cpp or .py, and NAME_LINE.txt for an expected output; returns the code files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    wanted = set()
    for language, body, expected, line in blocks(markdown_file.read_text()):
        code = folder / f"{language}_{line}{SUFFIXES[language]}"
        marker = "//" if language == "cpp" else "#"
        write_if_changed(code, f"{marker} {markdown_file.name}, line {line}\n{body}")
        written.append(code)
        wanted.add(code)
        if expected is not None:
            write_if_changed(code.with_suffix(".txt"), expected)
            wanted.add(code.with_suffix(".txt"))
    for old in set(folder.glob("cpp_*.*")) | set(folder.glob("python_*.*")):
        if old not in wanted:
            old.unlink()
    return written


def run(expected_file, command):
    """Exit status of the command, or 1 with both texts when the output is not the expected one."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout, end="")
    if done.returncode != 0 or not expected_file.exists():
        return done.returncode
    expected = expected_file.read_text()
    if done.stdout.rstrip() == expected.rstrip():
        return 0
    print(f"--- expected, as the ```text block says:\n{expected}", end="")
    return 1


def main(arguments):
    if arguments[:1] == ["extract"] and len(arguments) == 3:
        for code in extract(Path(arguments[1]), Path(arguments[2])):
            print(code)
        return 0
    if arguments[:1] == ["run"] and len(arguments) >= 3:
        return run(Path(arguments[1]), arguments[2:])
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
