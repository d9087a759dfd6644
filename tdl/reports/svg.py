"""Figures as SVG for the inside of a page: text as text, the same bytes each time, names that no other figure has."""

import io
import re
from dataclasses import dataclass
from xml.etree import ElementTree

from matplotlib.figure import Figure

from tdl.results.style import write

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


@dataclass(frozen=True)
class Drawing:
    """A figure and what is seen in it, in a sentence or two."""

    svg: str
    seen: str


def drawing(name: str, title: str, seen: str, figure: Figure) -> Drawing:
    """A figure as a drawing. All ids within begin with `name`; title and what is seen are its text for who cannot see.

    >>> picture = drawing("a", "A line", "It rises.", Figure())
    >>> picture.svg[:24], '<title id="a-title">A line</title>' in picture.svg
    ('<svg xmlns="http://www.w', True)
    """
    file = io.BytesIO()
    write(figure, file, "svg")
    root = ElementTree.fromstring(file.getvalue())
    _bare(root)
    _rename(root, f"{name}-")
    _name(root, name, title, seen)
    for prefix, space in (("", SVG), ("xlink", XLINK)):
        ElementTree.register_namespace(prefix, space)
    return Drawing(ElementTree.tostring(root, encoding="unicode"), seen)


def _bare(root: ElementTree.Element) -> None:
    """Take away what a page has no use for: the size in points, metadata, and a style that would hold for the page."""
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")  # what that style says


def _rename(root: ElementTree.Element, prefix: str) -> None:
    """Begin all ids with a prefix, and what refers to them."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, prefix + value)
            elif key in ("href", f"{{{XLINK}}}href") and value.startswith("#"):
                element.set(key, f"#{prefix}{value[1:]}")
            else:
                element.set(key, re.sub(r"url\(#", f"url(#{prefix}", value))


def _name(root: ElementTree.Element, name: str, title: str, seen: str) -> None:
    """Say what it is and what is seen."""
    root.set("role", "img")
    for at, (tag, key, text) in enumerate((("title", "labelledby", title), ("desc", "describedby", seen))):
        child = ElementTree.Element(f"{{{SVG}}}{tag}", {"id": f"{name}-{tag}"})
        child.text = text
        root.insert(at, child)
        root.set(f"aria-{key}", f"{name}-{tag}")
