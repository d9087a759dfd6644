"""What the page shows of values, rules and colours, at every width."""

import re

import pytest
from support.page_driver import check_looks, open_record, small_targets, wait

pytestmark = pytest.mark.extra


def test_ties_have_no_star_and_bars_start_where_they_say(page):
    """Of rewards, which are all 0 on the first board, and of the agent's values."""
    stars = "all => all.filter(e => e.textContent.includes('★')).length"
    bars = "all => all.map(e => new DOMMatrix(getComputedStyle(e).transform).a)"
    numbers = "all => all.map(e => Number(e.textContent.replaceAll(',', '')))"
    values, shares = (
        page.eval_on_selector_all(f".value .{part}", code) for part, code in (("number", numbers), ("bar i", bars))
    )
    start = float(re.fullmatch(r"Bars start at (-?[\d,.]+)\.", page.text_content("#bars"))[1].replace(",", ""))
    known = [(value, share) for value, share in zip(values, shares, strict=True) if value == value]
    high = max(value for value, _ in known)
    for value, share in known:
        assert share == pytest.approx((value - start) / (high - start), abs=0.01 + 0.1 / (high - start))
    assert page.eval_on_selector_all(".value .mark", stars) == ([value for value, _ in known].count(high) == 1)
    page.click(".entry.hand")
    wait(page, "document.getElementById('values-title').textContent === 'Rewards of the moves'")
    assert page.text_content("#bars") == "Bars start at 0."
    assert page.eval_on_selector_all(".value .mark", stars) == 0


def test_tile_rules_are_told_in_words(page):
    texts = page.eval_on_selector_all("#tiles option", "all => all.map(e => [e.value, e.textContent])")
    assert ["p90_10", "2 at 90%, 4 at 10%"] in texts
    assert ["p80_20_two", "2 at 80%, 4 at 20%; begins with 2 and 2"] in texts
    page.select_option("#game", "2584")
    assert page.eval_on_selector("#tiles", "e => e.selectedOptions[0].textContent") == "1 at 75%, 3 at 25%"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_tiles_can_be_seen_in_the_colours_of_the_system(browser, server, scheme):
    """Where colours are forced, as by high contrast in Windows, every tile differs from the board by an edge."""
    page = browser.new_page(viewport={"width": 1000, "height": 800}, color_scheme=scheme, forced_colors="active")
    page.goto(server.url)
    page.wait_for_selector(".tile")
    style = "e => { const s = getComputedStyle(e); return [s.backgroundColor, s.borderTopColor, s.borderTopWidth]; }"
    seen = page.eval_on_selector_all(".tile span", f"all => all.map({style})")
    behind = page.eval_on_selector("#board", "e => getComputedStyle(e).backgroundColor")
    assert seen
    assert all(ground != behind and edge not in (ground, behind) and width == "2px" for ground, edge, width in seen)
    page.close()


@pytest.mark.parametrize("width", [360, 800, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_width_without_scrolling_sideways_and_with_contrast(browser, server, width, scheme):
    """And targets of 24 pixels each way, as WCAG 2.2 (2.5.8) asks."""
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(server.url)
    page.wait_for_selector(".entry")
    check_looks(page)
    page.click("summary:has-text('Recorded games')")  # closed, for this opens it
    open_record(page)
    assert not small_targets(page)
    page.close()
