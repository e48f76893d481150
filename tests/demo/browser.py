# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium: what a page looks like, what it measures, and what it logs."""

import html
import json
import pathlib
import re
import shutil
import subprocess

# Runs inside the page: writes the sizes of everything that should be visible as JSON into an element of the DOM dump.
PROBE = """
<script>
addEventListener('load', async () => {
  const box = e => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const figures = [];
  for (const figure of document.querySelectorAll('figure')) {
    const svg = figure.querySelector('svg');
    const images = [];
    for (const image of svg.querySelectorAll('image')) {
      const bitmap = new Image();
      bitmap.src = image.getAttribute('href');
      await bitmap.decode().catch(() => {});
      images.push([bitmap.naturalWidth, bitmap.naturalHeight]);
    }
    const stroked = e => getComputedStyle(e).stroke !== 'none';
    figures.push({
      box: box(svg), viewbox: svg.getAttribute('viewBox'), caption: figure.querySelector('figcaption').innerText,
      marks: [...svg.querySelectorAll('.mark')].filter(e => e.getBBox().width > 0).length,
      lines: [...svg.querySelectorAll('.line')].filter(e => e.getTotalLength() > 5 && stroked(e)).length,
      texts: [...svg.querySelectorAll('text')].filter(e => e.textContent).map(e => [e.textContent, ...box(e)]),
      images,
    });
  }
  const probe = document.createElement('pre');
  probe.id = 'probe';
  probe.textContent = JSON.stringify({
    figures, height: document.querySelector('main').getBoundingClientRect().bottom,
    scroll_width: document.documentElement.scrollWidth, width: innerWidth,
  });
  document.body.append(probe);
});
</script>
"""


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    return None


class Browser:
    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def _run(self, page, *options):
        """Standard output, and the lines that the page wrote to its console (as Chromium logs them)."""
        done = subprocess.run(
            [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--hide-scrollbars", f"--user-data-dir={self.folder / 'profile'}", "--enable-logging=stderr",
             "--virtual-time-budget=20000", *options, page.as_uri()],
            capture_output=True, text=True, timeout=240)
        return done.stdout, re.findall(r"^.*:CONSOLE[:(].*$", done.stderr, flags=re.MULTILINE)

    def probe(self, page, width):
        """Measures of a page, from a copy that carries the probe, and its console messages."""
        copy = self.folder / "probed.html"
        copy.write_text(page.read_text().replace("</body>", PROBE + "</body>"))
        dom, console = self._run(copy, f"--window-size={width},900", "--dump-dom")
        found = re.search(r'<pre id="probe">(.*?)</pre>', dom, flags=re.DOTALL)
        if not found:
            raise AssertionError("the page did not load: no probe in its DOM")
        return json.loads(html.unescape(found[1])), console

    def screenshot(self, page, width, height):
        """The page as it is, as PNG bytes, and its console messages."""
        picture = self.folder / "page.png"
        _, console = self._run(page, f"--window-size={width},{height}", f"--screenshot={picture}")
        return picture.read_bytes(), console
