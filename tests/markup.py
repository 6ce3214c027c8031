"""HTML as tests see it: well-formed, with its texts and the attributes of its elements."""

from collections import defaultdict
from html.parser import HTMLParser

HARMLESS = {
    *("style", "title", "role", "aria-label", "aria-valuemin", "aria-valuemax", "aria-valuenow"),
    *("width", "height", "viewbox", "x", "y", "x1", "x2", "y1", "y2", "d", "points"),
    *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity"),
    *("text-anchor", "font-size", "class"),
}


class Elements(HTMLParser):
    """Gathers texts and attributes of a piece of HTML, and checks that its elements are closed."""

    def __init__(self):
        super().__init__()
        self.texts, self.open = [], []
        self.attributes = defaultdict(list)  # by tag, and by role

    @classmethod
    def of(cls, html):
        """Parse a piece of HTML that is complete."""
        page = cls()
        page.feed(html)
        page.close()
        assert page.open == []
        return page

    @property
    def text(self):
        """All texts, each in a line."""
        return "\n".join(self.texts)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        assert set(found) <= HARMLESS
        assert "url(" not in found.get("style", "")
        self.attributes[tag].append(found)
        if "role" in found:
            self.attributes[found["role"]].append(found)
        self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
