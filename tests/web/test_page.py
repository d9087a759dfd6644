"""The page in a real browser: Chromium, driven by its path. What is waited for is a state, never a time."""

import json
import re
import shutil
from pathlib import Path

import pytest
from support.programs import train, wait_until
from support.web_server import serving

pytestmark = pytest.mark.extra

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)

BOARD = "[...document.querySelectorAll('#board .tile')].map(tile => Number(tile.textContent))"


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="the extra browser is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    place = tmp_path_factory.mktemp("page")
    train(place / "agent", "episodes=200", "evaluate.episodes=5")
    train(place / "wide", "game=fib", "size=2x5", "tiles=p75_25", "tuples.board=2x5", "tuples.cells=[[0,1,2]]",
          "episodes=50", "evaluate.episodes=0")  # fmt: skip
    shutil.copytree(place / "agent", place / "broken")
    (place / "broken" / "checkpoint" / "meta.json").write_text("{")
    with serving(place, "agent", sessions=64) as made:
        yield made


@pytest.fixture
def page(browser, server):
    """The page with its first board; afterwards nothing may have complained, nor asked another address."""
    told, asked = [], []
    made = browser.new_page(viewport={"width": 1200, "height": 800})
    made.on("console", lambda message: told.append(message.text) if message.type in ("error", "warning") else None)
    made.on("pageerror", lambda error: told.append(str(error)))
    made.on("request", lambda request: asked.append(request.url))
    made.goto(server.url)
    made.wait_for_selector(".tile")
    made.wait_for_selector(".entry")
    yield made
    made.close()
    assert not [text for text in told if "the server responded with a status of 4" not in text]  # it tests refusals
    assert asked
    assert not [url for url in asked if not url.startswith(server.url)]


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


def test_a_game_is_played_to_its_end_by_the_agent(page):
    set_slider(page, "speed", 8)
    page.click("#play")
    page.wait_for_selector("#board .end", timeout=240_000)
    assert page.text_content("#board .end") == f"Game over: {page.text_content('#score')} points"
    assert number(page, "moves") > 20
    assert page.is_disabled("#play")
    assert page.is_disabled("#step")
    wait(page, "document.getElementById('told').textContent.includes('Game over')")
    page.click("#undo")
    page.wait_for_selector("#board .end", state="detached")
    assert page.is_enabled("#play")


def test_the_game_shown_is_that_of_the_server(page, server):
    """Also when many moves a second are shown and those not shown are taken back."""
    for speed in (3, 7):
        set_slider(page, "speed", speed)
        before = number(page, "moves")
        page.click("#play")
        until_moves(page, before + 5)
        page.click("#play")
        wait(page, "document.getElementById('play').textContent.includes('Play')")
        wait(page, "!document.querySelector('#board .tile.below')")
        press(page, legal(page)[0])
        until_moves(page, before + 6)
        wait(page, "document.getElementById('told').textContent.startsWith('Score ')")
        name = page.get_attribute("#save", "href").split("=")[1]
        game = server.site.games.get(name).state()
        tiles = sorted(v for row in game["board"] for v in row if v)
        wait_until(lambda tiles=tiles: sorted(page.evaluate(BOARD)) == tiles)  # they slide
        assert (number(page, "moves"), number(page, "score")) == (game["moves"], game["score"])


def test_take_over_by_arrow_keys_and_undo(page, server):
    set_slider(page, "speed", 6)
    page.click("#play")
    until_moves(page, 10)
    page.focus("#board")
    for action in ("up", "right", "down", "left"):  # one of them is legal
        press(page, action)
    wait(page, "document.getElementById('play').textContent.includes('Play')")
    game = server.site.games.get(page.get_attribute("#save", "href").split("=")[1])
    wait(page, "document.getElementById('told').textContent.startsWith('Score ')")
    until_all_keys_are_answered(page, game)
    assert [move.by for move in game.game().moves].count("person") >= 1
    moves = number(page, "moves")
    page.keyboard.press("u")
    wait(page, f"document.getElementById('moves').textContent === '{moves - 1}'")


def test_a_wrong_checkpoint_is_shown_as_an_error(page):
    page.click(".entry:has-text('broken')")
    page.wait_for_selector("#error:not([hidden])")
    assert page.get_attribute("#error", "role") == "alert"
    assert "cut or corrupt" in page.text_content("#error-text")
    assert "agent: 2048 on 4x4" in page.text_content("#who")
    press(page, legal(page)[0])  # the game before goes on
    until_moves(page, 1)
    assert page.is_hidden("#error")


def test_another_agent_brings_its_game(page):
    page.wait_for_selector(".entry:has-text('wide') svg path")
    page.click(".entry:has-text('wide')")
    wait(page, "document.getElementById('who').textContent === 'wide: 2584 on 2x5'")
    assert page.eval_on_selector_all(".cell", "all => all.length") == 10
    assert page.eval_on_selector("#size", "e => e.value") == "2x5"
    assert page.get_attribute(".entry:has-text('wide')", "aria-current") == "true"
    page.click("#step")
    until_moves(page, 1)


def test_a_game_by_hand_of_another_size_and_seed(page):
    page.select_option("#game", "threes_law")
    assert page.eval_on_selector("#tiles", "e => e.value") == "p50_50"
    page.select_option("#size", "5x5")
    page.fill("#seed", "12")
    page.keyboard.press("Enter")
    wait(page, "document.getElementById('who').textContent === 'By hand: threes_law on 5x5'")
    assert page.eval_on_selector_all(".cell", "all => all.length") == 25
    first = sorted(page.evaluate(BOARD))
    page.focus("#board")
    press(page, legal(page)[0])
    until_moves(page, 1)
    page.keyboard.press("r")
    wait(page, "document.getElementById('moves').textContent === '0'")
    assert sorted(page.evaluate(BOARD)) == first
    page.keyboard.press("n")
    wait(page, "document.getElementById('seed').value === '13'")


def test_depth_changes_the_values(page):
    before = page.text_content("#values")
    page.focus("#board")
    page.keyboard.press("3")
    wait(page, "document.getElementById('depth-text').textContent === '3 plies'")
    wait(page, f"document.getElementById('values').textContent !== {json.dumps(before)}")
    assert page.eval_on_selector_all(".value.best", "all => all.length") == 1
    page.keyboard.press("s")
    until_moves(page, 1)


def test_the_keyboard_alone_is_enough(page):
    """Every control can be reached by Tab and has a name; Space plays and pauses."""
    names, seen = [], set()
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(e => e === document.body ? '' : (e.id || e.className) + '|' + (e.getAttribute('aria-label')"
            " || e.labels?.[0]?.textContent || e.textContent).trim())(document.activeElement)"
        )
        if name in seen:
            break
        seen.add(name)
        names.append(name)
    reached = {name.split("|")[0] for name in names}
    wanted = {
        "board",
        "play",
        "step",
        "restart",
        "new",
        "depth",
        "speed",
        "game",
        "size",
        "tiles",
        "seed",
        "filter",
        "refresh",
    }
    assert wanted <= reached
    assert not [name for name in names if name.endswith("|")]
    page.focus("#board")
    page.keyboard.press("Space")
    until_moves(page, 2)
    page.keyboard.press("Space")
    wait(page, "document.getElementById('play').textContent.includes('Play')")


def test_a_board_is_judged_or_refused(page):
    page.click("summary:has-text('Judge')")
    page.click("#copy")
    page.click("#judge button:has-text('Judge')")
    wait(page, "document.getElementById('judged').textContent.includes('★')")
    page.fill("#cells", "3 2 2 2\n0 0 0 0\n0 0 0 0\n0 0 0 0")
    page.click("#judge button:has-text('Judge')")
    page.wait_for_selector("#error:not([hidden])")
    assert "board cell 0: 3 is not allowed" in page.text_content("#error-text")
    page.click("#error-close")
    page.wait_for_selector("#error", state="hidden")


def test_a_server_that_has_gone_is_told_of(browser, tmp_path):
    with serving(tmp_path) as server:
        page = browser.new_page()
        page.goto(server.url)
        page.wait_for_selector(".tile")
        page.wait_for_selector("#nothing:not([hidden])")
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("s")
    page.wait_for_selector("#error:not([hidden])")
    assert "The server does not answer" in page.text_content("#error-text")
    page.close()


@pytest.mark.parametrize("width", [360, 390, 800, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_width_without_scrolling_sideways_and_with_contrast(browser, server, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.goto(server.url)
    page.wait_for_selector(".entry")
    for summary in page.query_selector_all("summary"):
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    low = page.evaluate(Path(__file__).with_name("contrast.js").read_text())
    assert not low
    page.close()


def test_swipes_move(browser, server):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(server.url)
    page.wait_for_selector(".tile")
    box = page.query_selector("#board").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch = context.new_cdp_session(page)
    for to in ((x + 80, y), (x - 80, y), (x, y + 80), (x, y - 80)):
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": to[0], "y": to[1]}]})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    until_moves(page, 2)
    assert re.match(r"Score \d+\.", page.text_content("#told"))
    context.close()
