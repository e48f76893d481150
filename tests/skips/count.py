# SPDX-License-Identifier: Apache-2.0
"""Counts how many tests of a run of ctest were skipped, and why.

    count.py tests.xml   written by `ctest --output-junit tests.xml --test-output-size-passed 10000000`

One entry of ctest may be many tests: each one that GoogleTest, pytest or unittest says it skipped counts, and an entry
that ctest itself says was skipped counts at least once.
"""

import re
import sys
from collections import Counter
from xml.etree import ElementTree

# GoogleTest prints the reason in the line after this one; pytest prints it with -rs, and how often.
GOOGLETEST = re.compile(r"^\S+:\d+: Skipped\n(.*)$", re.MULTILINE)
PYTEST = re.compile(r"^SKIPPED \[(\d+)\] (?:\S+:\d+: )?(.*)$", re.MULTILINE)
UNITTEST = re.compile(r"^.* \.\.\. skipped (['\"])(.*)\1$", re.MULTILINE)


def skips(case):
    """The reasons in an entry of ctest, with the number of tests for each."""
    output = case.findtext("system-out") or ""
    found = Counter(reason or "no reason given" for reason in GOOGLETEST.findall(output))
    for count, reason in PYTEST.findall(output):
        found[reason] += int(count)
    found.update(reason for _, reason in UNITTEST.findall(output))
    skipped = case.find("skipped")
    if not found and skipped is not None:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        found[lines[-1] if lines else skipped.get("message", "no reason given")] += 1
    return found


def report(path):
    """The report's lines: the total number, then each reason with the entries that have it."""
    reasons, entries = Counter(), {}
    for case in ElementTree.parse(path).iter("testcase"):
        for reason, count in skips(case).items():
            reasons[reason] += count
            entries.setdefault(reason, []).append(case.get("name"))
    total = sum(reasons.values())
    yield f"skipped: {total or 'no'} test{'' if total == 1 else 's'}"
    for reason, count in reasons.most_common():
        names = entries[reason]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield f"skipped: {count} × {reason} ({', '.join(names[:3])}{more})"


if __name__ == "__main__":
    print("\n".join(report(sys.argv[1])))
