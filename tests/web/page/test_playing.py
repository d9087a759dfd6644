"""Games on the page in a real browser: Chromium, driven by its path."""

import json
import re

import pytest
from support.page_driver import (
    BOARD,
    TOLD,
    legal,
    number,
    press,
    set_slider,
    until_all_keys_are_answered,
    until_moves,
    wait,
)
from support.programs import wait_until
from support.web_server import serving

import tdl
from tdl.sessions.judged_board import judged

pytestmark = pytest.mark.extra


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


def test_frames_of_a_time_before_the_play_do_no_harm(browser, server):
    """A frame has the time at which it began, which may be before the click that it answers."""
    page = browser.new_page()
    page.add_init_script("requestAnimationFrame = (work) => setTimeout(() => work(performance.now() - 50), 16)")
    page.goto(server.url)
    page.wait_for_selector(".tile")
    set_slider(page, "speed", 8)
    page.click("#play")
    until_moves(page, 10)
    assert page.is_hidden("#error")
    page.close()


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
        name = page.get_attribute("#save", "href").split("=")[1]
        wait(page, TOLD)  # after the last move that is shown, of those under way at the click
        paused = number(page, "moves")
        press(page, legal(page)[0])
        until_moves(page, paused + 1)
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
    wait(page, TOLD)
    until_all_keys_are_answered(page, game)
    assert [move.by for move in game.game().moves].count("person") >= 1
    moves = number(page, "moves")
    page.keyboard.press("u")
    wait(page, f"document.getElementById('moves').textContent === '{moves - 1}'")


def test_a_wrong_checkpoint_is_shown_as_an_error(page):
    page.click(".folded summary:has-text('1 that cannot play')")
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
    assert page.eval_on_selector_all(".value.best", "all => all.length") <= 1
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
    assert reached >= {
        "board", "play", "step", "restart", "new", "depth", "speed", "game", "size", "tiles", "seed", "filter",
        "refresh",
    }  # fmt: skip
    assert not [name for name in names if name.endswith("|")]
    page.focus("#board")
    page.keyboard.press("Space")
    until_moves(page, 2)
    page.keyboard.press("Space")
    wait(page, "document.getElementById('play').textContent.includes('Play')")


def test_a_board_is_judged_or_refused(page, server):
    page.click("summary:has-text('Judge')")
    page.click("#copy")
    assert sorted(int(word) for word in page.input_value("#cells").split())[-1] == number(page, "largest")
    rows = [[2, 4, 8, 2], [0, 2, 0, 0], [0] * 4, [0] * 4]  # none of its moves is another's image
    answer = judged(tdl.load(server.site.library.folder / "agent").values(rows))
    expected = [
        [name, f"{value:,.1f}", "★ best" if name == answer["best"] else f"{answer['losses'][name]:,.1f}"]
        for name, value in answer["values"].items()
        if value is not None
    ]
    page.fill("#cells", "1231010000000000")
    page.click("#judge button:has-text('Judge')")
    page.wait_for_selector("#judged:not([hidden])")
    shown = page.eval_on_selector_all(
        "#judged-moves tr", "all => all.map(r => [...r.children].map(e => e.textContent))"
    )
    assert [row for row in shown if row[2] != "illegal"] == expected
    assert page.eval_on_selector_all("#judged-board .tile", "all => all.length") == 5
    page.fill("#cells", "3 2 2 2\n0 0 0 0\n0 0 0 0\n0 0 0 0")
    page.click("#judge button:has-text('Judge')")
    page.wait_for_selector("#judged", state="hidden")
    assert page.text_content("#judge-error").startswith("board cell 0 (row 1, column 1): 3 is not allowed")
    assert page.is_hidden("#error")


def test_on_a_phone_what_is_wrong_with_a_board_is_seen_beside_it(browser, server):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(server.url)
    page.click("summary:has-text('Judge')")
    page.fill("#cells", "2 4 8")
    page.click("#go-on")
    page.wait_for_selector("#judge-error:not(:empty)")
    assert page.get_attribute("#judge-error", "role") == "alert"
    edges = page.eval_on_selector("#judge-error", "e => e.getBoundingClientRect().toJSON()")
    assert 0 < edges["top"] < edges["bottom"] < 844
    page.close()


def test_a_game_goes_on_from_a_board_and_begins_there_again(page):
    page.click("summary:has-text('Judge')")
    page.fill("#cells", "128 64 32 16 / 2 4 8 8 / . . . . / . . . .")
    page.click("#go-on")
    wait(page, "document.getElementById('who').textContent === 'agent: 2048 on 4x4, from a board of yours'")
    page.keyboard.press("s")
    until_moves(page, 1)
    press(page, legal(page)[0])
    until_moves(page, 2)
    page.keyboard.press("r")
    wait(page, "document.getElementById('moves').textContent === '0'")
    assert sorted(page.evaluate(BOARD)) == [2, 4, 8, 8, 16, 32, 64, 128]
    page.keyboard.press("n")
    wait(page, "document.getElementById('who').textContent === 'agent: 2048 on 4x4'")
    page.click(".entry.hand")
    page.wait_for_selector(".entry.hand[aria-current=true]")
    page.click("#go-on")
    wait(page, "document.getElementById('who').textContent === 'By hand: 2048 on 4x4, from a board of yours'")


def test_a_reload_keeps_the_game(page, server):
    set_slider(page, "depth", 2)
    wait(page, "document.getElementById('depth-text').textContent === '2 plies'")
    for moves in range(1, 4):
        page.click("#step")
        until_moves(page, moves)
    wait(page, TOLD)
    before = [page.text_content(f"#{name}") for name in ("score", "moves", "values", "depth-text", "told")]
    chart = page.get_attribute("#chart", "aria-label")
    page.reload()
    until_moves(page, 3)
    wait(page, TOLD)
    assert [page.text_content(f"#{name}") for name in ("score", "moves", "values", "depth-text", "told")] == before
    wait(page, f"document.getElementById('chart').ariaLabel === {json.dumps(chart)}")
    page.click("#undo")
    wait(page, "document.getElementById('moves').textContent === '2'")
    server.site.games._open.clear()
    page.reload()
    page.wait_for_selector("#error:not([hidden])")
    assert "The game of this address is gone" in page.text_content("#error-text")
    wait(page, "document.getElementById('moves').textContent === '0'")
    press(page, legal(page)[0])
    until_moves(page, 1)


def test_agents_that_can_play_are_above_those_that_cannot(page, server):
    names = "all => all.map(e => e.entry.name)"
    assert page.eval_on_selector_all("#entries > li > .entry", names) == [None, "agent", "wide", "tdl:small"]
    assert page.eval_on_selector_all(".folded .entry", names) == ["broken"]
    assert page.is_hidden(".entry:has-text('broken')")
    page.fill("#filter", "wide")
    page.wait_for_selector(".folded", state="hidden")


def test_a_server_that_has_gone_is_told_of(browser, tmp_path):
    with serving(tmp_path) as server:
        page = browser.new_page()
        page.goto(server.url)
        page.wait_for_selector(".tile")
        page.wait_for_selector(".entry:has-text('tdl:small')")
    page.route("**/api/**", lambda route: route.abort())
    page.keyboard.press("s")
    page.wait_for_selector("#error:not([hidden])")
    assert "The server does not answer" in page.text_content("#error-text")
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
