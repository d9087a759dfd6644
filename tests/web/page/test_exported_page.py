"""The page that needs no server, in a real browser: its values, games and files are those of the program."""

import json

import numpy as np
import pytest
from support.browser import Watched
from support.networks import random_network
from support.page_driver import check_looks, legal, number, press, set_slider, until_moves, wait

import tdl
from tdl.game.boards import unpack
from tdl.network.stages import Stages
from tdl.players.player import Player
from tdl.sessions import game_file
from tdl.sessions.mistakes import mistakes
from tdl.sessions.session import record_game
from tdl.web.exported_page import page_of

pytestmark = pytest.mark.extra

SMALL = [[0, 1, 4, 5], [0, 1, 2]]
FIBONACCI = tdl.Rules("2584", 2, 5, ((1, 0.75), (2, 0.25)))
TWO = tdl.Rules("threes_law", 3, 3, ((1, 0.5), (2, 0.5)), (1, "drop"))


def player_of(rules, tuples, stages=None, **options):
    return Player(random_network(rules, tuples, stages, np.float16), **options)


PLAYERS = {
    "tuples of a radix": (player_of(tdl.Rules(), tdl.TupleSet(SMALL, radix=7)), 2),
    "orders and counts": (player_of(tdl.Rules(), tdl.TupleSet(
        [[0, 1]], orders=[[[0, 1, 2], [4, 5, 6]]], counts=[[0, 3]], count_cap=5)), 2),
    "stages, discounted": (player_of(tdl.Rules(), tdl.TupleSet(SMALL, radix=6),
                                     Stages((32, 128), share=0.5), gamma=0.9), 2),
    "stages by sums": (player_of(tdl.Rules(), tdl.TupleSet(SMALL, radix=6), Stages((64,), by="sum")), 1),
    "one feature": (player_of(FIBONACCI, tdl.TupleSet([[0, 1, 5]], symmetries=False)), 3),
    "own tables of images": (player_of(TWO, tdl.TupleSet([[0, 1], [0, 3, 4]], share=False)), 2),
    "of states": (player_of(TWO, tdl.TupleSet([[0, 1, 2]]), target="state", expectation="direct"), 2),
}  # fmt: skip


@pytest.fixture
def shown(browser, tmp_path):
    """Shows the page of a player from a file; afterwards nothing may have complained, nor asked for anything else."""
    opened = []

    def show(player, **options):
        path = tmp_path / f"{len(opened)}.html"
        path.write_text(page_of(player, "small")[0])
        watched = Watched(**{"viewport": {"width": 1200, "height": 800}} | options)
        opened.append((watched, path.as_uri()))
        watched.page.goto(path.as_uri())
        watched.page.wait_for_selector(".tile")
        return watched.page

    yield show
    for watched, address in opened:
        watched.asked = [url for url in watched.asked if not url.startswith(("data:", "blob:null/"))]
        watched.close(address)


VALUES = """async ([boards, plies]) => {
    const player = await (await import("requests.js")).player;
    return boards.map((board) => player.values(Uint8Array.from(board), plies));
}"""


@pytest.mark.parametrize("name", PLAYERS)
def test_values_are_those_of_the_program_to_the_last_bit(shown, name):
    player, plies = PLAYERS[name]
    moves = [move for seed in range(60) for move in record_game(player, seed).moves][:1000]
    boards = [unpack(move.board, player.rules) for move in moves]
    page = shown(player)
    for depth in range(1, plies + 1):
        some = slice(None, None, 1 if depth == 1 else 40)
        values = page.evaluate(VALUES, [boards[some], depth])
        expected = [player.values(move.board, depth, cutoff=0.0) for move in moves[some]]
        assert np.array_equal(np.array(values, float), np.array(expected), equal_nan=True)


PLAY = """async ([seed, most, plies]) => {
    const { OpenGame } = await import("open_game.js"), { player, textOf } = await import("requests.js");
    const game = new OpenGame(await player, seed, plies);
    while (game.legal.length && game.moves.length < most) game.advance();
    return textOf(game);
}"""


@pytest.mark.parametrize("name", ["tuples of a radix", "own tables of images"])
def test_a_game_of_a_seed_is_that_of_an_evaluation_and_its_file_is_read(shown, name):
    player, _ = PLAYERS[name]
    page = shown(player)
    game = game_file.parsed(page.evaluate(PLAY, [12, 10_000, 1]), "page")
    assert game == record_game(player, 12)
    assert game.complete
    given_up = game_file.parsed(page.evaluate(PLAY, [2**53 - 1, 3, 2]), "page")
    assert (len(given_up.moves), given_up.complete, given_up.search.plies) == (3, False, 2)


def saved(page, tmp_path):
    """The game that the page saves."""
    if not page.is_visible("#save"):
        page.click("summary:has-text('Keys and files')")
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.suggested_filename == "game.jsonl"
    download.value.save_as(tmp_path / "game.jsonl")
    return game_file.load(tmp_path / "game.jsonl")


@pytest.mark.parametrize(("plies", "moves"), [(1, 10), (3, 3)])  # by frames, and each move after a search
def test_watch(shown, plies, moves):
    player, _ = PLAYERS["tuples of a radix"]
    page = shown(player)
    set_slider(page, "depth", plies)
    set_slider(page, "speed", 8)
    page.keyboard.press("Space")
    until_moves(page, moves)
    page.keyboard.press("Space")
    wait(page, "document.getElementById('play').textContent.includes('Play')")
    wait(page, "!document.getElementById('values').classList.contains('thinking')")


def test_play_and_see_the_mistakes_of_ones_own_game(shown, tmp_path):
    player, _ = PLAYERS["tuples of a radix"]
    page = shown(player)
    assert page.text_content("#who") == "small: 2048 on 4x4"
    for moves in range(12):
        press(page, legal(page)[-1])
        until_moves(page, moves + 1)
    page.keyboard.press("u")
    wait(page, "document.getElementById('moves').textContent === '11'")
    page.click("#step")
    until_moves(page, 12)
    game = saved(page, tmp_path)
    assert (len(game.moves), game.score) == (number(page, "moves"), number(page, "score"))
    assert [move.by for move in game.moves] == ["person"] * 11 + ["agent"]
    page.click("summary:has-text('Recorded games')")
    page.click("#look")
    wait(page, "document.getElementById('at').max === '12'")
    wrong = mistakes(game, player, 1)["loss"] >= 0.05
    assert page.text_content("#mistakes-text").startswith(f"{wrong.sum()} mistakes by small, 1 ply; ")
    page.keyboard.press("End")
    wait(page, "document.getElementById('moves').textContent === '12'")
    assert number(page, "score") == game.score
    page.click("#leave")
    page.wait_for_selector("#replay", state="hidden")
    page.set_input_files("#file", tmp_path / "game.jsonl")
    wait(page, "document.getElementById('who').textContent === 'Recorded: 2048 on 4x4, seed 0, game 0'")
    page.set_input_files("#file", {"name": "other.jsonl", "mimeType": "", "buffer": b'{"format": "other"}\n'})
    page.wait_for_selector("#error:not([hidden])")
    assert page.text_content("#error-text") == "other.jsonl: line 1: not of a game of this program"


def test_a_board_is_judged_and_played_on(shown, tmp_path):
    player, _ = PLAYERS["tuples of a radix"]
    rows, page = [[2, 4, 8, 16], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2]], shown(player)
    best = f"{np.nanmax(player.values(rows)):,.1f}"
    page.click("summary:has-text('Judge a board')")
    lines = "\n".join(" ".join(map(str, row)) for row in rows)
    for written in (json.dumps(rows), lines, lines.replace("\n", "/").replace("0", "."), "1234200000000001"):
        page.fill("#cells", written)
        page.click("#judge button:has-text('Judge')")
        wait(page, "!document.getElementById('judged').hidden")
        assert page.text_content("#judged-moves .best td:nth-child(2)") == best
        page.fill("#cells", "2 4 8")
        page.click("#judge button:has-text('Judge')")
        wait(page, "document.getElementById('judged').hidden")
        assert page.text_content("#judge-error") == "board: 3 cells; expected 16 in 4 rows of 4"
    page.fill("#cells", json.dumps(rows))
    page.click("#go-on")
    wait(page, "document.getElementById('who').textContent.endsWith(', from a board of yours')")
    press(page, legal(page)[0])
    until_moves(page, 1)
    game = saved(page, tmp_path)
    assert game.own_start
    assert game.start == player.engine.board(rows)


@pytest.mark.parametrize("options", [
    {"viewport": {"width": 375, "height": 700}, "color_scheme": "dark"},
    {"viewport": {"width": 800, "height": 800}},
    {"viewport": {"width": 1200, "height": 800}, "color_scheme": "dark"},
    {"forced_colors": "active"},
], ids=str)  # fmt: skip
def test_it_is_seen_at_every_width_and_in_every_colour(shown, options):
    page = shown(PLAYERS["tuples of a radix"][0], **options)
    check_looks(page)
    assert page.is_hidden("#entries")
    assert page.is_hidden("#size")
