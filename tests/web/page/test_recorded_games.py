"""Recorded games on the page."""

import shutil

import pytest
from support.page_driver import BOARD, legal, number, open_record, press, set_slider, until_moves, wait
from support.programs import wait_until

import tdl
from tdl.game.rules import ACTION_NAMES
from tdl.sessions import game_file
from tdl.sessions.mistakes import mistakes
from tdl.sessions.session import record_game

pytestmark = pytest.mark.extra


def test_a_recorded_game_is_scrubbed_by_keys_and_by_its_slider(page, server):
    """The boards, scores and mistakes are those of the record, judged by the agent that is shown."""
    press(page, legal(page)[0])
    until_moves(page, 1)
    rows = server.site.games.get(page.get_attribute("#save", "href").split("=")[1]).state()["board"]
    live = sorted(value for row in rows for value in row if value)
    game = game_file.load(server.site.library.folder / "game.jsonl")
    engine = tdl.Engine(game.rules)
    boards = [sorted(v for v in engine.array(board).ravel().tolist() if v) for board in game.boards()]
    open_record(page)

    def shows(at):
        wait(page, f"document.getElementById('moves').textContent === '{at}'")
        wait_until(lambda: sorted(page.evaluate(BOARD)) == boards[at])  # tiles may slide
        assert number(page, "score") == sum(move.reward for move in game.moves[:at])
        assert page.eval_on_selector("#at", "e => Number(e.value)") == at

    shows(0)
    assert "Recorded: 2048 on 4x4, seed 4" in page.text_content("#who")
    for key, at in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 60), ("Home", 0)):  # the slider's
        page.keyboard.press(key)
        shows(at)
    page.focus("#board")
    for key, at in (("PageDown", 10), ("ArrowRight", 11), ("PageUp", 1), ("ArrowLeft", 0), ("s", 1), ("u", 0)):
        page.keyboard.press(key)
        shows(at)
    set_slider(page, "at", 30)
    shows(30)
    assert page.eval_on_selector_all(".value .mark", "all => all.filter(e => e.textContent.includes('●')).length") == 1
    assert page.eval_on_selector("#at", "e => e.ariaValueText").startswith("30 of 60 moves. Next: ")
    assert not legal(page)
    page.keyboard.press("End")
    page.wait_for_selector("#board .end")
    assert page.text_content("#board .end") == f"Given up: {game.score:,} points"
    assert page.is_disabled("#play")
    page.click("#leave")
    wait(page, "document.getElementById('moves').textContent === '1'")
    assert sorted(page.evaluate(BOARD)) == live
    assert page.is_hidden("#replay")
    press(page, legal(page)[0])
    until_moves(page, 2)


def test_the_mistakes_of_a_recorded_game_are_marked(page, server):
    folder = server.site.library.folder
    rows = mistakes(game_file.load(folder / "game.jsonl"), tdl.load(folder / "agent"), 1)
    wrong = [int(row["move"]) for row in rows if row["loss"] >= 0.05]
    assert wrong
    open_record(page)
    assert page.text_content("#mistakes-text").startswith(f"{len(wrong)} mistakes by agent, 1 ply; ")
    assert page.eval_on_selector("#marks path", "e => e.getAttribute('d').split('M').length - 1") == len(wrong)
    largest = rows[rows["loss"].argmax()]
    page.click("#mistakes button")
    wait(page, f"document.getElementById('moves').textContent === '{largest['move']}'")
    text = page.text_content("#at-text")
    assert f"{ACTION_NAMES[largest['best']]} is better by {largest['loss']:,.1f}" in text
    page.focus("#board")
    page.keyboard.press("Home")
    wait(page, "document.getElementById('moves').textContent === '0'")
    ahead = [move for move in wrong if move > 0]
    page.keyboard.press("m")
    wait(page, f"document.getElementById('moves').textContent === '{ahead[0]}'")
    page.click("#after")
    wait(page, f"document.getElementById('moves').textContent === '{ahead[1]}'")
    page.keyboard.press("b")
    wait(page, f"document.getElementById('moves').textContent === '{ahead[0]}'")
    page.click(".entry.hand")
    wait(page, "document.getElementById('mistakes-text').textContent.startsWith('Choose an agent')")
    assert page.is_visible("#replay")


def test_the_best_game_of_an_evaluation_is_watched_by_one_click_and_again_after_a_reload(page, server):
    folder = server.site.library.folder / "recorded"
    folder.mkdir()
    games = [record_game(tdl.load(folder.parent / "wide"), seed=2, episode=number) for number in range(3)]
    for game in games:
        game_file.save(folder / f"{game.episode}.jsonl", game)
    best = max(games, key=lambda game: game.score)
    page.click("summary:has-text('Recorded games')")
    page.wait_for_selector("#game-file optgroup[label=recorded]", state="attached")
    texts = page.eval_on_selector_all(
        "#game-file optgroup[label=recorded] option", "all => all.map(e => e.textContent)"
    )
    assert [text.split(" points")[0] for text in texts] == [f"game {g.episode}: {g.score:,}" for g in games]
    page.click("#best-game")
    until_moves(page, 2)  # it plays
    title = f"Recorded: 2584 on 2x5, seed 2, game {best.episode}"
    assert (page.text_content("#who"), page.text_content("#replay-title")) == (title, f"Recorded game {best.episode}")
    page.reload()
    wait(page, f"document.getElementById('who').textContent === {title!r}")
    assert page.eval_on_selector("#at", "e => Number(e.max)") == len(best.moves)
    shutil.rmtree(folder)


def test_a_record_plays_by_itself_and_a_file_of_the_user_is_shown(page, server):
    page.click("summary:has-text('Recorded games')")
    page.set_input_files("#file", server.site.library.folder / "game.jsonl")
    page.wait_for_selector("#replay:not([hidden])")
    set_slider(page, "speed", 8)
    page.keyboard.press("Space")
    page.wait_for_selector("#board .end", timeout=60_000)
    assert number(page, "moves") == 60
    page.set_input_files("#file", {"name": "cut.jsonl", "mimeType": "text/plain", "buffer": b"{"})
    page.wait_for_selector("#error:not([hidden])")
    assert page.text_content("#error-text") == "cut.jsonl: line 1: cut: it does not end"
    page.click("#leave")
    page.wait_for_selector("#replay", state="hidden")
    wait_until(lambda: legal(page))
    press(page, legal(page)[0])
    until_moves(page, 1)
    page.click("#look")  # the game that is played, so far
    wait(page, "document.getElementById('at').max === '1'")
    page.focus("#board")
    page.keyboard.press("n")  # another game
    page.wait_for_selector("#replay", state="hidden")
    wait(page, "document.getElementById('moves').textContent === '0'")
