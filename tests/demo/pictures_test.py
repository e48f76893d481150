# SPDX-License-Identifier: Apache-2.0
"""`bochner demo --pictures`: single SVG files for the documentation. Argument: the program."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = ""
SVG = "{http://www.w3.org/2000/svg}"


class Pictures(unittest.TestCase):
    def test_every_map_and_coupling_has_its_pictures(self):
        listed = json.loads(subprocess.check_output([PROGRAM, "list", "--d", "3", "--json"]))
        wanted = {"distance", "outputs"} | {f"distance-{coupling['name']}" for coupling in listed["couplings"]}
        for fit in listed["fits"]:
            if fit["closed_form"] == "exact":
                wanted |= {f"error-{fit['kernel']}-{fit['map']}", f"error-{fit['kernel']}-{fit['coupling']}"}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([PROGRAM, "demo", "--pictures", f"{folder}/pictures", "--effort", "0.01"], check=True)
            files = list(pathlib.Path(folder, "pictures").iterdir())
            self.assertEqual({file.name for file in files}, {f"{name}.svg" for name in wanted})
            for file in files:
                self.check(file)

    def check(self, file):
        text = file.read_text()
        picture = xml.etree.ElementTree.fromstring(text)
        self.assertEqual(picture.tag, f"{SVG}svg")
        self.assertRegex(picture.get("viewBox"), r"^0 0 \d+ \d+$")
        self.assertEqual(re.findall(r"(?<![a-zA-Z])-?(?:nan|inf)(?![a-zA-Z])", text), [])
        self.assertTrue(picture.find(f"{SVG}style").text)
        classes = [part.get("class", "").split()[:1] for part in picture.iter()]
        # A coupling without a closed form has marks only.
        self.assertGreaterEqual(classes.count(["line"]) + classes.count(["mark"]), 8, file.name)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
