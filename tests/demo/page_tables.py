# SPDX-License-Identifier: Apache-2.0
"""The tables of a page and of the terminal as lists of cells, to compare them."""

import html.parser
import re


class _Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self._text, self._title = {}, None, None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self._rows = []
        if tag == "tr":
            self._rows.append([])
        if tag in ("caption", "summary", "td", "th"):
            self._text = ""

    def handle_endtag(self, tag):
        if tag in ("caption", "summary"):
            self._title = self._text
        if tag in ("td", "th"):
            self._rows[-1].append(self._text)
        if tag == "table":
            self.tables[self._title] = self._rows
        if tag in ("caption", "summary", "td", "th"):
            self._text = None

    def handle_data(self, data):
        if self._text is not None:
            self._text += data


def of_page(text):
    """Title -> rows of cells, the head first. An empty cell is left out, as a terminal cannot show it."""
    reader = _Reader()
    reader.feed(text)
    return {title: [[cell.replace("\u00b1", "+-") for cell in row if cell] for row in rows]
            for title, rows in reader.tables.items()}


def of_terminal(text):
    """The same from aligned columns: a title, then lines that begin with two blanks."""
    tables, title = {}, None
    for line in text.splitlines():
        if line.startswith("  "):
            tables.setdefault(title, []).append(re.split(r" {2,}", line.strip()))
        else:
            title = line
    return tables
