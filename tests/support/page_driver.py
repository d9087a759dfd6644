"""What a person does on the page, and what they see. What is waited for is a state, never a time."""

from pathlib import Path

from support.programs import wait_until

BOARD = "[...document.querySelectorAll('#board .tile')].map(tile => Number(tile.textContent))"
"""The numbers on the tiles."""

TOLD = """document.getElementById('told').textContent.startsWith(
    `Score ${document.getElementById('score').textContent.replace(',', '')}.`)"""
"""Whether the text for those who do not see the board is that of the board shown."""


def number(page, name):
    return int(page.text_content(f"#{name}").replace(",", ""))


def wait(page, condition):
    """Until it holds. Playwright's own way evaluates text inside the page, which the page forbids."""
    wait_until(lambda: page.evaluate(condition))


def until_moves(page, least):
    wait(page, f"Number(document.getElementById('moves').textContent.replace(',', '')) >= {least}")


def until_all_keys_are_answered(page, game):
    """One after another, as they were pressed: until nothing more happens for a second."""
    seen = []
    while len(seen) < 5 or len(set(seen[-5:])) > 1 or seen[-1][0] != seen[-1][1]:
        seen.append((number(page, "moves"), game.state()["moves"]))
        page.wait_for_timeout(250)


def set_slider(page, name, value):
    page.eval_on_selector(f"#{name}", f"e => {{ e.value = {value}; e.dispatchEvent(new Event('input')) }}")


def legal(page):
    return page.eval_on_selector_all(".value:not([aria-disabled=true])", "all => all.map(e => e.dataset.action)")


def press(page, action):
    page.keyboard.press(f"Arrow{action.capitalize()}")


def open_record(page):
    page.click("summary:has-text('Recorded games')")
    page.wait_for_selector("#game-file option", state="attached")
    page.click("#record button")
    page.wait_for_selector("#replay:not([hidden])")


def check_looks(page):
    """Nothing scrolls sideways, texts have contrast, and targets are large enough; all that folds is unfolded."""
    for summary in page.query_selector_all("summary"):
        if summary.is_visible():
            summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]
    assert not page.evaluate((Path(__file__).parents[1] / "web" / "page" / "contrast.js").read_text())
    assert not small_targets(page)


def small_targets(page):
    """What is smaller than 24 pixels each way, as WCAG 2.2 (2.5.8) asks."""
    return page.evaluate("""() => [...document.querySelectorAll(
            "button, a:not(.skip), input, select, textarea, summary, [tabindex]")]
        .filter((e) => e.getClientRects().length && !e.closest("[hidden]"))
        .map((e) => [e.id || e.className || e.textContent, e.getBoundingClientRect()])
        .filter(([, box]) => box.width < 24 || box.height < 24)
        .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)""")
