"""The site that `make docs` built: links, requests, phones, and accessibility by axe-core."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from documented import ROOT

pytestmark = pytest.mark.site

SITE = ROOT / "build" / "docs"
PAGES = [path for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
BY_HAND = [path for path in PAGES if "generated" not in path.parts]
SIZES = {"desk": (1280, 900), "phone": (390, 800)}
# What others write into our pages, by rule and selector.
FOREIGN = {
    "summary-name": ".bd-sidenav summary",  # the theme's arrows that unfold the navigation
    "aria-required-children": ".citation-list",  # Sphinx's list of references
}


def name(path):
    return path.relative_to(SITE).as_posix()


class Page(HTMLParser):
    """Addresses that a page refers to, and places in it that can be referred to."""

    def __init__(self, path):
        super().__init__()
        self.addresses, self.places = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        keys = ("id",) if tag == "meta" else ("id", "name")
        self.places |= {found[key] for key in keys if key in found}
        self.addresses += [found[key] for key in ("href", "src") if found.get(key)]


@pytest.fixture(scope="module", autouse=True)
def built():
    assert PAGES, "run `make docs` first"


@pytest.fixture
def visit(chromium):
    """Open pages of the site, one after the other, and collect what goes wrong."""
    problems, contexts = [], []

    def visit(path, size="desk", scheme="light"):
        page = chromium.new_page(
            viewport=dict(zip(("width", "height"), SIZES[size], strict=True)), color_scheme=scheme
        )
        contexts.append(page)
        page.on("pageerror", lambda error: problems.append(f"{name(path)}: {error}"))
        page.on("requestfailed", lambda request: problems.append(f"{name(path)}: {request.url}"))
        page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning")
                and problems.append(f"{name(path)}: {message.text}")
            ),
        )
        page.on(
            "request",
            lambda request: (
                request.url.startswith(("file:", "data:"))
                or problems.append(f"{name(path)} asks for {request.url}")
            ),
        )
        page.goto(path.as_uri())
        return page

    yield visit
    for page in contexts:
        page.close()
    assert problems == []


def test_links_lead_somewhere():
    pages = {path: Page(path) for path in PAGES}
    broken = []
    for path, page in pages.items():
        for address in page.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            is_there = target.is_file()
            if is_there and target in pages:
                is_there = unquote(parts.fragment) in pages[target].places
            if not is_there:
                broken.append(f"{name(path)}: {address}")
    assert broken == []


@pytest.mark.parametrize("path", BY_HAND, ids=name)
def test_pages_fit_on_a_phone_and_ask_for_nothing_but_the_site(path, visit):
    page = visit(path, "phone")
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]


@pytest.mark.parametrize(
    ("path", "scheme"),
    [(path, "light") for path in PAGES] + [(path, "dark") for path in BY_HAND],
    ids=lambda value: value if isinstance(value, str) else name(value),
)
def test_pages_are_accessible(path, scheme, visit):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(path, scheme=scheme)
    found = Axe().run(page, options={"preload": False}).response["violations"]
    ours = [
        (violation["id"], node["html"])
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if not is_foreign(page, violation["id"], node["target"][-1])
    ]
    assert ours == []


def is_foreign(page, rule, selector):
    element = page.locator(selector)
    return rule in FOREIGN and element.evaluate("(e, of) => e.matches(of)", FOREIGN[rule])


def test_the_live_report_answers(visit):
    page = visit(SITE / "index.html")
    frame = page.locator("iframe.live-report")
    frame.scroll_into_view_if_needed()
    assert frame.get_attribute("title")
    report = page.frame_locator("iframe.live-report")
    assert "malignant" in report.locator("body").inner_text()


def test_code_is_copied_without_prompts_and_output_not_at_all(visit):
    page = visit(SITE / "index.html")
    code, output = page.locator(".highlight-python"), page.locator(".highlight-text")
    assert code.first.locator("button.copybtn").count() == 1
    assert output.first.locator("button.copybtn").count() == 0
    page = visit(SITE / "api" / "generated" / "fuzzyucs.RuleSet.html")
    copied = page.evaluate("copyTargetText(document.querySelector('button.copybtn'))")
    assert "rules = clf.rules_" in copied
    assert ">>>" not in copied
    assert "THEN setosa" not in copied


def test_versions_can_be_chosen(visit):
    page = visit(SITE / "guide" / "rules.html")
    page.locator(".version-switcher__button:visible").click()
    chosen = page.locator(".version-switcher__menu a[aria-current]:visible")
    chosen.click()
    assert page.url == (SITE / "index.html").as_uri()
