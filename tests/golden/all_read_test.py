# SPDX-License-Identifier: Apache-2.0
"""Every known answer in tests/golden is read by a test, and the README there says what it is and how many there are.

    all_read_test.py PROJECT   prints one line per function that is not read, exits with 1 if there is any
"""

import json
import re
import sys
from pathlib import Path

CALL = re.compile(r'golden_cases\("(\w+)",\s*(?:"(\w+)"\)|[^"])')
ROW = re.compile(r"^\| (`[^|]+`) \| ([\d, ]+) \|", re.MULTILINE)


def functions(folder):
    """{(room, function): number of cases} in the files."""
    return {
        (file.stem, name): len(table["cases"])
        for file in sorted(folder.glob("*.json"))
        for name, table in json.loads(file.read_text()).items()
    }


def read_by(text):
    """(room, function) of each call of golden_cases; a function given by a variable may be any quoted word."""
    words = re.findall(r'"(\w+)"', text)
    return {(room, name) for room, literal in CALL.findall(text) for name in ([literal] if literal else words)}


def described(text):
    """{(room, function): number} in the tables of the README."""
    found = {}
    for section in text.split("\n## ")[1:]:
        for names, counts in ROW.findall(section):
            for name, count in zip(re.findall(r"`(\w+)`", names), counts.split(","), strict=True):
                found[section.split(".json")[0], name] = int(count)
    return found


def violations(root):
    known = functions(root / "tests" / "golden")
    readme = (root / "tests" / "golden" / "README.md").read_text()
    told = described(readme)
    read = set()
    for file in sorted(root.glob("tests/*/*_test.cpp")):
        read |= read_by(file.read_text())
    for room, name in sorted(known.keys() - read):
        yield f"{room}.json: no test reads {name}"
    for key in sorted(known.keys() | told.keys()):
        if known.get(key) != told.get(key):
            yield f"{'.json: '.join(key)} has {known.get(key, 'no')} cases; README.md says {told.get(key, 'nothing')}"
    if f"{sum(known.values()):,} cases" not in readme:
        yield f"README.md does not begin with {sum(known.values()):,} cases"


def main():
    root = Path(sys.argv[1])
    found = list(violations(root))
    print("\n".join(found) or f"{sum(functions(root / 'tests' / 'golden').values())} cases, all read")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
