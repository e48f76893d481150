# SPDX-License-Identifier: Apache-2.0
"""Length of each function body of a C++ text, without a compiler: braces are matched after comments, literals and
preprocessor lines are blanked; a brace after a parameter list opens a function when the braces around it are those of
namespaces and classes."""

import re

BLANKED = re.compile(
    r"""//[^\n]*|/\*.*?\*/|R"(?P<tag>[^\s()\\]*)\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'"""
    r"""|^[ \t]*\#(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE,
)
SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b")
AFTER_PARAMETERS = re.compile(r"\)\s*(?:const\b|noexcept\b|override\b|final\b|&|\s)*(?:->[^{]*|:\s.*)?$", re.DOTALL)


def blank(text):
    """The text with the same line breaks, but without anything that could hide a brace or look like one."""
    return BLANKED.sub(lambda match: "\n" * match.group().count("\n"), text)


def kind_of_brace(before, around):
    """The kind of what the brace between `before` and its body opens: scope, function or inner (blocks,
    initialisers)."""
    initialiser = before[-1:].isalnum() or before[-1:] in "_>=,()" or before.rstrip().endswith("=")
    if initialiser or any(kind != "scope" for kind, _, _ in around):
        return "inner"
    if AFTER_PARAMETERS.search(before):
        return "function"
    return "scope" if SCOPE.search(before) else "inner"


def function_lengths(text):
    """(line of the opening brace, number of lines between the braces) of each function body."""
    found = []
    open_braces = []  # (kind, line, text before it)
    line, before = 1, ""
    for character in blank(text):
        line += character == "\n"
        if character == "{":
            open_braces.append((kind_of_brace(before, open_braces), line, before))
            before = ""
        elif character == "}" and open_braces:
            kind, start, earlier = open_braces.pop()
            if kind == "function":
                found.append((start, max(0, line - start - 1)))
            # The braces of a member initialiser are inside the head of its constructor.
            before = earlier if kind == "inner" else ""
        else:
            before = "" if character == ";" else before + character
    return found
