# SPDX-License-Identifier: Apache-2.0
"""`bochner demo` as its user sees it: terminal, JSON and the page in headless Chromium. Argument: the program."""

import base64
import html
import json
import math
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

import browser
import page_tables
import png_image

PROGRAM = ""
RUN = None
WIDTH = 1280
# 192 ratios, each within this many standard errors of 1 except with probability 1e-6 / 192 (two-sided normal). The data
# are scaled to |x + y| <= 1.2 lengthscales, where 300 draws make the mean squared error of positive maps close to
# normal.
FAR = 5.9
# Captions of pictures with few lines; spectra have no marks.
OF_FITS = ("Predictions", "Penalty and directions", "Fewer directions")
SPECTRUM = "Exact and approximated."


def run_demo(folder, *options, threads=None):
    environment = dict(os.environ, **({"BOCHNER_NUM_THREADS": str(threads)} if threads else {}))
    done = subprocess.run([PROGRAM, "demo", "--out", str(folder), *options], capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


def numbers(value, path=""):
    """Every number in a JSON value with its path."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from numbers(part, f"{path}/{key}")
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from numbers(part, f"{path}/{index}")
    elif isinstance(value, (int, float)):
        yield path, value


def write_classes(file):
    """Five classes, one of which is rare and has a name that must be escaped in HTML."""
    lines = ["a,b,class"]
    for i in range(900):
        a, b = (i * 37 % 101) / 50 - 1, (i * 53 % 89) / 44 - 1
        name = "<odd & long name>" if i % 61 == 0 else f"sector {int((math.atan2(b, a) / 6.2832 + 0.5) * 3.999)}"
        lines.append(f"{a},{b},{name}")
    file.write_text("\n".join(lines) + "\n")


def fit_report(rows, target, page, *options):
    """The page of `bochner fit --report`, and the JSON that it prints."""
    done = subprocess.run([PROGRAM, "fit", str(rows), "--target", target, "--model", str(page) + ".model", "--m", "64",
                           "--report", str(page), "--json", *options], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return page.read_text(), json.loads(done.stdout)


class Run:
    """One run with text, one with JSON, and pages of fits, shared by all tests."""

    def __init__(self, root):
        self.terminal = run_demo(root / "demo")
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.seconds = used.ru_utime + used.ru_stime
        self.page = root / "demo" / "report.html"
        self.text = self.page.read_text()
        self.json = json.loads(run_demo(root / "again", "--json", threads=1))
        write_classes(root / "classes.csv")
        self.fits = [fit_report(root / "demo" / "model" / "rows.csv", "place", root / "numbers.html"),
                     fit_report(root / "classes.csv", "class", root / "classes.html", "--learner", "logistic")]
        # All pages in one, for one start of the browser.
        self.all = root / "all.html"
        bodies = [re.search(r"<main>(.*)</main>", text, flags=re.DOTALL)[1] for text, _ in self.fits]
        self.all.write_text(self.text.replace("</main>", "".join(bodies) + "</main>"))


def setUpModule():
    global RUN
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    RUN = Run(pathlib.Path(folder.name))


class Numbers(unittest.TestCase):
    def test_costs_less_than_a_minute_of_two_cores(self):
        self.assertLess(RUN.seconds, 120)

    def test_folder_holds_the_page_and_its_files(self):
        self.assertEqual({file.name for file in RUN.page.parent.iterdir()}, {"report.html", "model"})
        self.assertEqual({file.name for file in (RUN.page.parent / "model").iterdir()},
                         {"rows.csv", "new.csv", "place.safetensors"})
        self.assertIn(str(RUN.page), RUN.terminal)

    def test_page_is_small_and_self_contained(self):
        self.assertLess(len(RUN.text), 3_000_000)
        self.assertNotIn("<script", RUN.text)
        addresses = re.findall(r"""(?:href|src)="([^"]{0,5})|url\(([^)]{0,5})|(https?://[^"\s]+)""", RUN.text)
        for address in ("".join(groups) for groups in addresses):
            self.assertIn(address, ("data:", "http://www.w3.org/2000/svg"))

    def test_every_number_is_finite(self):
        plain = re.sub(r"base64,[A-Za-z0-9+/=]+", "", RUN.text)
        for text in (plain, RUN.terminal):
            self.assertEqual(re.findall(r"(?<![a-zA-Z])-?(?:nan|inf)(?![a-zA-Z])", text), [])
        for path, value in numbers(RUN.json):
            self.assertTrue(math.isfinite(value), path)

    def test_terminal_shows_the_numbers_of_the_page(self):
        page, terminal = page_tables.of_page(RUN.text), page_tables.of_terminal(RUN.terminal)
        self.assertGreaterEqual(len(terminal), 6)
        for title, rows in terminal.items():
            if rows:
                self.assertEqual(rows, page[title], title)

    def test_another_run_on_one_thread_finds_the_same_numbers(self):
        rows = {tuple(row[:4]): row for row in page_tables.of_page(RUN.text)["Every mechanism at every m"][1:]}
        seen = 0
        for mechanism in RUN.json["errors"]["mechanisms"]:
            for point in mechanism["points"]:
                row = rows[mechanism["kernel"], mechanism["map"], mechanism["coupling"], str(point["m"])]
                self.assertEqual(row[5:7], [f"{point['measured']:.4f}", f"{point['predicted']:.4f}"])
                seen += 1
        self.assertEqual(seen, len(rows))

    def test_every_mechanism_with_a_closed_form_is_measured(self):
        listed = json.loads(subprocess.check_output([PROGRAM, "list", "--d", "3", "--json"]))
        fits = {(fit["kernel"], fit["map"], fit["coupling"]) for fit in listed["fits"] if fit["closed_form"] == "exact"}
        kernels = {one["kernel"] for one in RUN.json["errors"]["mechanisms"]}
        self.assertEqual(kernels, {"gaussian", "softmax"})
        maps = {"trigonometric", "cosine", "positive", "positive_paired", "optimal_positive", "optimal_positive_paired"}
        fits = {fit for fit in fits if fit[0] in kernels and fit[1] in maps}
        measured = {(one["kernel"], one["map"], one["coupling"]) for one in RUN.json["errors"]["mechanisms"]}
        self.assertEqual(measured, fits)

    def test_measured_errors_are_the_predicted_ones(self):
        for mechanism in RUN.json["errors"]["mechanisms"]:
            name = " ".join(mechanism[word] for word in ("kernel", "map", "coupling"))
            for point in [mechanism, *mechanism["points"]]:
                self.assertLess(abs(point["ratio"] - 1), FAR * point["standard_error"], f"{name} {point.get('m')}")
        for mechanism in RUN.json["distance"]["mechanisms"]:
            for point in mechanism["points"]:
                difference = abs(point["measured"] - point["predicted"])
                self.assertLess(difference, FAR * point["standard_error"], mechanism["map"])

    def test_features_reach_exact_ridge(self):
        ridge = RUN.json["ridge"]
        first, last = ridge["rows"][0], ridge["rows"][-1]
        self.assertGreater(first["error"], 3 * ridge["exact_error"])
        self.assertLess(last["error"], 1.2 * ridge["exact_error"])

    def test_the_commands_find_what_the_page_shows(self):
        model = RUN.json["model"]
        fit, judge, predict = ([PROGRAM, *model[name].split()[1:]] for name in ("fit", "evaluate", "predict"))
        done = json.loads(subprocess.check_output([*fit, "--json"]))
        self.assertEqual(done["holdout"]["rmse"], model["holdout"]["rmse"])
        self.assertEqual(done["notes"], model["notes"])
        self.assertEqual(json.loads(subprocess.check_output([*judge, "--json"]))["rmse"], model["new"]["rmse"])
        self.assertEqual(len(subprocess.check_output(predict).splitlines()), model["new"]["rows"] + 1)
        self.assertLess(model["new"]["rmse"], 0.13)  # the noise is 0.1

    def test_pages_of_fits_show_what_was_found(self):
        for text, told in RUN.fits:
            self.assertLess(len(text), 400_000)
            self.assertNotIn("<script", text)
            self.assertEqual(re.findall(r"(?<![a-zA-Z])-?(?:nan|inf)(?![a-zA-Z])", text), [])
            tables = page_tables.of_page(text)
            model = dict(tables["The model"][1:])
            self.assertEqual(model["learner"], told["learner"])
            self.assertEqual(model["random directions m"], "64")
            self.assertEqual(model["rows held out"], str(told["holdout"]["rows"]))
            for note in told["notes"]:
                self.assertIn(html.escape(note, quote=True).replace("&#x27;", "'"), text)
        numbers_page, told = RUN.fits[0]
        self.assertIn(f"{told['holdout']['r2']:.4f}", numbers_page)
        self.assertEqual(numbers_page.count("<figure>"), 3)
        classes_page, told = RUN.fits[1]
        self.assertEqual(classes_page.count('class="cell"'), 25)
        self.assertNotIn("<odd", classes_page)
        rows = page_tables.of_page(classes_page)["Classes on the rows held out"][1:]
        self.assertEqual([row[0] for row in rows], told["holdout"]["classes"])
        for k, row in enumerate(rows):
            counts = told["holdout"]["confusion"][k]
            self.assertEqual(row[1], str(sum(counts)))
            self.assertEqual(row[2], f"{100 * counts[k] / sum(counts):.1f} %" if sum(counts) else "none")

    def test_heat_maps_are_valid_png(self):
        images = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=]+)", RUN.text)
        self.assertEqual(len(images), 2 * len(RUN.json["gram"]["rows"]) + 1)
        for image in images:
            chunks = png_image.chunks_of(base64.b64decode(image, validate=True))
            width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
            self.assertEqual(len(zlib.decompress(chunks[b"IDAT"])), height * (width + 1))


class Page(unittest.TestCase):
    """The page in a browser."""

    @classmethod
    def setUpClass(cls):
        program = browser.find()
        if program is None:
            raise unittest.SkipTest("Chromium is not installed, so the page was not opened (apt-get install chromium)")
        cls.folder = pathlib.Path(tempfile.mkdtemp(dir=RUN.page.parent.parent))
        cls.browser = browser.Browser(program, cls.folder)
        cls.probe, cls.console = cls.browser.probe(RUN.all, WIDTH)

    def test_nothing_is_logged(self):
        self.assertEqual(self.console, [])

    def test_an_error_would_be_noticed(self):
        broken = self.folder / "broken.html"
        broken.write_text("<body><main></main><svg viewBox='0 0 oops 1'></svg><script>missing()</script></body>")
        _, console = self.browser.probe(broken, WIDTH)
        self.assertGreaterEqual(len(console), 2)

    def test_fits_a_laptop(self):
        self.assertLessEqual(self.probe["scroll_width"], self.probe["width"])

    def test_every_picture_is_drawn(self):
        figures = self.probe["figures"]
        self.assertEqual(len(figures), RUN.all.read_text().count("<svg "))
        self.assertGreaterEqual(len(figures), 13)
        for figure in figures:
            left, top, right, bottom = figure["box"]
            self.assertRegex(figure["viewbox"], r"^0 0 \d+ \d+$")
            self.assertGreater(right - left, 900, figure["caption"])
            self.assertGreater(bottom - top, 200, figure["caption"])
            self.assertGreater(len(figure["caption"]), 60)
            for size in figure["images"]:
                self.assertEqual(size, [200, 200], figure["caption"])
            if "taken for which" in figure["caption"]:
                self.assertGreaterEqual(len(figure["texts"]), 25 + 10, figure["caption"])
                continue
            if SPECTRUM in figure["caption"]:
                self.assertEqual(figure["lines"], 4 + 2, figure["caption"])
                continue
            of_fit = any(words in figure["caption"] for words in OF_FITS)
            self.assertTrue(figure["images"] or figure["lines"] >= (2 if of_fit else 6), figure["caption"])
            self.assertGreaterEqual(figure["marks"], 6 if of_fit else 20, figure["caption"])

    def test_error_pictures_show_every_measurement(self):
        kernels = {}
        for mechanism in RUN.json["errors"]["mechanisms"]:
            kernels.setdefault(mechanism["kernel"], []).append(mechanism)
        for kernel, mechanisms in kernels.items():
            figure = next(one for one in self.probe["figures"] if f"The {kernel} kernel." in one["caption"])
            in_legend = len({one["coupling"] for one in mechanisms})
            self.assertEqual(figure["marks"], sum(len(one["points"]) for one in mechanisms) + in_legend)
            self.assertEqual(figure["lines"], len(mechanisms) + in_legend)

    def test_words_are_inside_their_picture_and_apart(self):
        for figure in self.probe["figures"]:
            left, top, right, bottom = figure["box"]
            texts = figure["texts"]
            for word, a, b, c, d in texts:
                self.assertTrue(left <= a and c <= right and top <= b and d <= bottom, f"{word}: {figure['caption']}")
            for i, (word, a, b, c, d) in enumerate(texts):
                for other, e, f, g, h in texts[:i]:
                    apart = min(c, g) - max(a, e) < 1 or min(d, h) - max(b, f) < 3
                    self.assertTrue(apart, f"'{word}' and '{other}': {figure['caption']}")

    def test_every_picture_has_ink(self):
        data, console = self.browser.screenshot(RUN.all, WIDTH, int(self.probe["height"]) + 100)
        self.assertEqual(console, [])
        image = png_image.PngImage(data)
        for figure in self.probe["figures"]:
            colours = image.colours(*figure["box"])
            paper = max(colours.values())
            self.assertGreater(sum(count >= 20 for count in colours.values()), 10, figure["caption"])
            self.assertGreater(sum(colours.values()) - paper, 0.02 * sum(colours.values()), figure["caption"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    outcome = unittest.main(verbosity=2, exit=False).result
    sys.exit(1 if not outcome.wasSuccessful() else 77 if outcome.skipped else 0)
