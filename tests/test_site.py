"""The site that `make docs` built: links, requests, phones, and accessibility by axe-core."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from documented import ROOT

pytestmark = pytest.mark.site

SITE = ROOT / "build" / "docs"
PAGES = [path for path in sorted(SITE.rglob("*.html")) if "_static" not in path.parts]
BY_HAND = [path for path in PAGES if "generated" not in path.parts]
# Pages of the reference are alike: they come from two templates.
SOME = BY_HAND + [path for path in PAGES if "generated" in path.parts][::8]
SIZES = {"desk": (1280, 900), "phone": (390, 800)}
SCHEMES = ("light", "dark")
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


@pytest.fixture(scope="module")
def windows(chromium):
    """Windows of each size and colour scheme, and what went wrong in them."""
    problems = []

    def window(size, scheme):
        width, height = SIZES[size]
        page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", note_failure)
        page.on("request", lambda request: note_foreign(request.url))
        page.on("console", note_complaint)
        return page

    def note_failure(request):
        if request.failure != "net::ERR_ABORTED":  # the next page was opened meanwhile
            problems.append(f"{request.url}: {request.failure}")

    def note_foreign(address):
        if not address.startswith(("file:", "data:")):
            problems.append(f"asks for {address}")

    def note_complaint(message):
        if message.type in ("error", "warning"):
            problems.append(message.text)

    found = {(size, scheme): window(size, scheme) for size in SIZES for scheme in SCHEMES}
    yield found, problems
    for page in found.values():
        page.close()


@pytest.fixture
def visit(windows):
    """Open pages of the site, which must neither complain nor ask for anything but its files."""
    found, problems = windows
    problems.clear()

    def visit(path, size="desk", scheme="light"):
        page = found[size, scheme]
        page.goto(path.as_uri())
        return page

    yield visit
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
    parts = page.locator("html, .bd-article-container, .bd-article")
    widths = parts.evaluate_all("(all) => all.map((part) => part.scrollWidth - part.clientWidth)")
    assert max(widths) <= 0


@pytest.mark.parametrize("path", SOME, ids=name)
def test_pages_are_accessible(path, visit):
    assert serious(visit(path), {}) == []


@pytest.mark.parametrize("path", BY_HAND, ids=name)
def test_dark_pages_have_enough_contrast(path, visit):
    assert serious(visit(path, scheme="dark"), {"runOnly": ["color-contrast"]}) == []


def serious(page, options):
    """Return what axe-core finds in a page and takes seriously, if it is ours."""
    from axe_playwright_python.sync_playwright import Axe

    # The report in a frame has tests of its own.
    always = {"preload": False, "iframes": False, "resultTypes": ["violations"]}
    found = Axe().run(page, options={**always, **options}).response["violations"]
    return [
        (violation["id"], node["html"])
        for violation in found
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
        if not is_foreign(page, violation["id"], node["target"][-1])
    ]


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
    page.evaluate(
        "document.addEventListener('copy', (event) => (window.copied = event.target.value))"
    )
    page.locator("button.copybtn").first.evaluate("(button) => button.click()")
    copied = page.evaluate("window.copied")
    assert "rules = clf.rules_" in copied
    assert ">>>" not in copied
    assert "THEN setosa" not in copied


def test_versions_can_be_chosen(visit):
    page = visit(SITE / "guide" / "rules.html")
    page.locator(".version-switcher__button:visible").click()
    chosen = page.locator(".version-switcher__menu a[aria-current]:visible")
    chosen.click()
    assert page.url == (SITE / "index.html").as_uri()
