# SPDX-License-Identifier: Apache-2.0
"""The files of every recorded version still load and give the same results, on the command line and in Python, on every
instruction set of this machine.

    compat_test.py COMMAND_LINE    run by a Python that has the package; exits with 1 if anything differs
"""

import copy
import sys
from pathlib import Path

from recorded import RECORDS, machine, problem, read, targets
from results import on_target, packed, unpacked

MOST_BYTES = 1 << 20
HERE = Path(__file__).resolve().parent


def with_one_bit_flipped(result):
    """Changes the last bit of its last number, or the last word."""
    changed = copy.deepcopy(result)
    numbers = unpacked(changed["numbers"]).copy()
    if numbers.size:
        numbers.view(f"u{numbers.itemsize}").flat[-1] ^= 1
        changed["numbers"] = packed(numbers)
    else:
        changed["words"][-1][-1] += "!"
    return changed


def problems(folder, command_line):
    """One line for each result that differs, and for each difference that would not be found."""
    records = read(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > MOST_BYTES:
        yield f"{folder.name} has {size} bytes; at most {MOST_BYTES}"
    same_machine = records["machine"] == machine()
    kinds = ("words", "model", "rows", "kind", "pickle", "side")
    cases = [{name: case[name] for name in kinds if name in case} for case in records["cases"]]
    for target in targets(command_line):
        exact = 0
        for record, result in zip(records["cases"], on_target(target, command_line, folder, cases), strict=True):
            said = problem(record, result, target, same_machine)
            if said:
                name = " ".join(record.get("words", [])) or record.get("features") or (record["model"], record["kind"])
                yield f"{folder.name}, {name}, on {target}: {said}"
            elif target in record["targets"] and (record["plain"] or same_machine):
                exact += 1
                if problem(record, with_one_bit_flipped(result), target, same_machine) is None:
                    yield f"{folder.name}, on {target}: another bit was not seen in {record}"
        print(f"{folder.name} on {target}: {exact} of {len(cases)} results compared by their bits")


def main(command_line):
    folders = sorted(path.parent for path in HERE.glob(f"*/{RECORDS}"))
    if not folders:
        return ["no version is recorded"]
    return [line for folder in folders for line in problems(folder, command_line)]


if __name__ == "__main__":
    FOUND = main(Path(sys.argv[1]).resolve())
    print("\n".join(FOUND))
    sys.exit(1 if FOUND else 0)
