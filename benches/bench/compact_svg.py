"""Writes a smaller SVG of a matplotlib drawing that looks the same: a line for each shape, coordinates to a tenth of a
point, and the font named once."""

import re
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
FONT = "DejaVu Sans, Verdana, Helvetica, sans-serif"
# Attributes that hold coordinates. A rotation by 0 is dropped.
COORDINATES = ("d", "x", "y", "width", "height", "viewBox", "transform")
NO_TURN = re.compile(r"\s*rotate\(-?0 [^)]*\)")


def compact(text):
    """A smaller SVG of the same drawing. Shapes keep their order, because later ones cover earlier ones."""
    root = ElementTree.fromstring(text)
    rules = "".join(style.text for style in root.iter(f"{SVG}style"))
    shared = [one for defs in root.iter(f"{SVG}defs") for one in defs if one.tag != f"{SVG}style"]
    frame = " ".join(f'{name}="{rounded(root.get(name))}"' for name in ("width", "height", "viewBox"))
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {frame} font-family="{FONT}">', f"<style>{rules}</style>"]
    lines += ["<defs>", *(element(one) for one in shared), "</defs>", *drawn(root, {}), "</svg>"]
    return "\n".join(lines) + "\n"


def drawn(parent, inherited):
    """The shapes of each group, with the attributes that groups hand down."""
    for child in parent:
        if child.tag == f"{SVG}g":
            handed_down = {name: value for name, value in child.attrib.items() if name != "id"}
            yield from drawn(child, {**inherited, **handed_down})
        elif child.tag not in (f"{SVG}defs", f"{SVG}metadata"):
            yield element(child, inherited)


def element(one, inherited=None):
    attributes = {}
    for name, value in {**(inherited or {}), **one.attrib}.items():
        name = "href" if name == LINK else name
        if name in COORDINATES:
            value = rounded(NO_TURN.sub("", value))
        if name == "style":
            value = re.sub(r"font-family: [^;]*(; )?", "", value)
        if value:
            attributes[name] = value
    tag = one.tag.removeprefix(SVG)
    said = " ".join([tag, *(f'{name}="{escaped(value)}"' for name, value in attributes.items())])
    inner = escaped(one.text.strip()) if one.text else ""
    inner += "".join(element(child) for child in one)
    return f"<{said}>{inner}</{tag}>" if inner else f"<{said}/>"


def rounded(text):
    """Numbers to a tenth, in one line."""
    numbers = re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda number: f"{float(number[0]):.1f}".replace("-0.0", "0.0"), text)
    return " ".join(re.sub(r"\.0\b", "", numbers).split())


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
