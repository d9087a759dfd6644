"""A game's file: read by anyone, read again as the same game; what is no game is refused by the number of its line.

Trusts the engine, and JSON as another program would read the file.
"""

import dataclasses
import hashlib
import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.recorded_games import OTHER, SEARCHES, SHAPES, trained
from support.shapes import few

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.game.rules import ACTION_NAMES
from tdl.sessions.game_file import head, load, parsed, save
from tdl.sessions.game_file import text as file_text
from tdl.sessions.mistakes import mistakes, with_losses
from tdl.sessions.session import record_game


@pytest.mark.parametrize("search", SEARCHES)
def test_a_file_tells_how_the_player_looked_ahead(game, search):
    searched = dataclasses.replace(game, search=SEARCHES[search])
    assert parsed(file_text(searched), "name") == searched


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_gives_the_same_game(tmp_path, shape):
    player, path = trained(*SHAPES[shape], games=20), tmp_path / "game.jsonl"
    game = record_game(player, 5, 3, checkpoint="abc")
    for same in (game, with_losses(game, mistakes(game, player, 1))):
        save(path, same)
        assert load(path) == load(str(path), game.rules) == same
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]


def test_the_file_is_read_by_anyone(game, text):
    """Every number in it is exact as a double, and every board shows its tiles."""
    head, *lines = map(json.loads, text.splitlines())
    assert (head["format"], head["moves"], head["score"]) == ("tdl-game-1", len(game.moves), game.score)
    assert tdl.Rules.from_dict(head["rules"]) == game.rules
    assert (head["seed"], head["episode"], head["plies"]) == (5, game.episode, 1)
    score = 0
    for number, (line, move) in enumerate(zip(lines, game.moves, strict=True)):
        score += line["reward"]
        assert (line["move"], line["score"], line["action"]) == (number, score, ACTION_NAMES[move.action])
        assert line["board"] == tdl.Engine(game.rules).array(move.board).tolist()
        assert max(value for value in line["values"] if value is not None) == line["values"][move.action]
        row, column = divmod(line["cell"], game.rules.cols)
        if number + 1 < len(lines):
            assert lines[number + 1]["board"][row][column] == line["tile"]
    assert max(value for rules, _ in SHAPES.values() for value in rules.tiles) < 2**53


def changed(text, number, **values):
    """The file with other values in one line, its digest set right: as someone would who knows the format."""
    lines = text.splitlines(keepends=True)
    line = json.loads(lines[number]) | values
    lines[number] = json.dumps({key: value for key, value in line.items() if value is not ...}) + "\n"
    return signed(lines)


def signed(lines):
    """Lines as a file with the right digest."""
    head = {key: value for key, value in json.loads(lines[0]).items() if key != "digest"}
    digest = hashlib.sha256((json.dumps(head, sort_keys=True) + "".join(lines[1:])).encode()).hexdigest()
    return json.dumps({**head, "digest": digest}) + "\n" + "".join(lines[1:])


FULL = [[2, 4, 2, 4], [4, 2, 4, 2]]

TAMPERED = [
    # line, what it says then, what the complaint must say; line 0 is the file's first
    (0, {"format": "tdl-game-2"}, "line 1: not of a game of this program"),
    (0, {"rules": {}}, "line 1: rules: game: missing"),
    (0, {"rules": {**OTHER.to_dict(), "game": "chess"}}, "line 1: rules: game: 'chess'"),
    (0, {"rules": tdl.Rules().to_dict()}, "line 1: board: "),
    (0, {"start": FULL}, "line 1: the first board has not the tiles of the start law"),
    (0, {"start": [[0, 0, 0, 2], [2, 0, 0, 0]]}, "line 2: move 0: its board is not the one"),
    (0, {"start": "none"}, "line 1: start: 'none'"),
    (0, {"seed": -1}, "line 1: seed: -1"),
    (0, {"plies": 0}, "line 1: plies: 0"),
    (0, {"search": {}}, "line 1: search.cutoff: missing"),
    (0, {"checkpoint": 5}, "line 1: checkpoint: 5"),
    (0, {"moves": 3}, "line 1: moves: 3"),
    (0, {"score": 3}, "line 1: score: 3"),
    (0, {"episode": ...}, "line 1: episode: missing"),
    (0, {"more": 1}, "line 1: more: no such key"),
    (4, {"move": 9}, "line 5: move: 9, but 3"),
    (4, {"board": FULL}, "line 5: move 3: its board is not the one that the move before led to"),
    (4, {"board": [[3, 0, 0, 0], [0, 0, 0, 0]]}, "line 5: board cell 0 (row 1, column 1): 3"),
    (4, {"action": "north"}, "line 5: action: 'north' is not allowed; expected up or right or down or left"),
    (4, {"values": [1, 2, 3]}, "line 5: values"),
    (4, {"values": [None] * 4}, "line 5: move 3: it must have a value for each legal action"),
    (4, {"tile": 64}, "line 5: move 3: tile 64 drops, but the drop law has 2, 4"),
    (4, {"tile": 3}, "line 5: tile: 3 is not allowed; expected a tile of the game"),
    (4, {"cell": 8}, "line 5: cell: 8"),
    (4, {"score": 999}, "line 5: score: 999"),
    (4, {"loss": -1}, "line 5: loss: -1"),
    (4, {"reward": ...}, "line 5: reward: missing"),
    (4, {"who": "me"}, "line 5: who: no such key"),
    (4, {"by": "hand"}, "line 5: by: 'hand'"),
    (0, {"complete": 1}, "line 1: complete: 1"),
]


@pytest.mark.parametrize(("line", "values", "telling"), TAMPERED, ids=lambda each: str(each)[:40])
def test_a_tampered_line_is_refused(tmp_path, text, line, values, telling):
    """Also with the digest set right: by the rules, and by the number of the line."""
    path = tmp_path / "game.jsonl"
    path.write_text(changed(text, line, **values))
    with pytest.raises(CheckpointError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {telling}"), caught.value


def changed_line(lines, number, **functions):
    """The lines with other values in one of them, made of its own."""
    line = json.loads(lines[number])
    line |= {key: function(line) for key, function in functions.items()}
    return [*lines[:number], json.dumps(line) + "\n", *lines[number + 1 :]]


def rewarded(lines, number, more):
    """A larger reward, and the scores from there on made to fit."""
    for row in (0, *range(number, len(lines))):
        lines = changed_line(lines, row, score=lambda line: line["score"] + more)
    return changed_line(lines, number, reward=lambda line: line["reward"] + more)


def test_what_breaks_the_rules_is_refused_by_line(tmp_path, game, text):
    lines, path = text.splitlines(keepends=True), tmp_path / "game.jsonl"
    with_illegal = next(i for i, line in enumerate(lines) if i and None in json.loads(line)["values"])
    last = len(lines) - 1
    full = next(i for i, move in enumerate(game.moves) if tdl.Engine(game.rules).empty(game.boards()[i + 1]) == 0)
    for made, telling in (
        (rewarded(lines, 3, 4), r"line 4: move 2: its reward is \d+, by the rules \d+"),
        (
            changed_line(lines, with_illegal, action=lambda line: ACTION_NAMES[line["values"].index(None)]),
            rf"line {with_illegal + 1}: move {with_illegal - 1}: \w+ is not",
        ),
        (
            changed_line(lines, full + 1, cell=lambda line: (line["cell"] + 1) % 8),
            rf"line {full + 2}: move {full}: the tile drops on cell \d",
        ),
        (lines[:last], f"line {last}: the game is not over"),
        (lines[:2] + lines[3:], "line 3: move: 2, but 1"),
        (lines[:1], "line 1: the game is not over"),
        (lines + lines[-1:], f"line {last + 2}: move: {last - 1}, but {last}"),
    ):
        path.write_text(signed(made))
        with pytest.raises(CheckpointError, match=telling):
            load(path)


@settings(few, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_cut_file_is_refused(text, data):
    with pytest.raises(CheckpointError, match=r"^name: line \d+: "):
        parsed(text[: data.draw(st.integers(0, len(text) - 1))], "name")


@settings(few, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_byte_gives_no_other_game(tmp_path, game, text, data):
    """Wherever it is, the file is refused, or only written otherwise: a tab in place of a space."""
    content, path = text.encode(), tmp_path / "game.jsonl"
    at = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[at]))
    path.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
    assert game_or_complaint(path) == game or game_or_complaint(path).startswith(f"{path}: ")


def game_or_complaint(path):
    try:
        return load(path)
    except CheckpointError as error:
        return str(error)


@pytest.mark.parametrize("content", ["", "\n", "{}\n", "[]\n", "null\n", "[" * 100_000 + "\n", "NaN\n"])
def test_what_is_no_game_is_refused(tmp_path, content):
    (tmp_path / "game.jsonl").write_text(content)
    with pytest.raises(CheckpointError, match=r"game\.jsonl: line 1: "):
        load(tmp_path / "game.jsonl")


def test_a_missing_file_and_other_rules_are_refused(tmp_path, text):
    with pytest.raises(CheckpointError, match=r"none\.json: cannot be read: No such file"):
        load(tmp_path / "none.json")
    (tmp_path / "game.jsonl").write_text(text)
    with pytest.raises(CheckpointError, match=r"game\.jsonl: line 1: of other rules"):
        load(tmp_path / "game.jsonl", OTHER)


def test_no_file_of_what_is_no_game(tmp_path, game):
    wrong = dataclasses.replace(game.moves[0], reward=5)
    with pytest.raises(ConfigError, match="move 0: its reward is 5"):
        save(tmp_path / "game.jsonl", dataclasses.replace(game, moves=(wrong, *game.moves[1:])))
    with pytest.raises(ConfigError, match="the game is not over"):
        save(tmp_path / "game.jsonl", dataclasses.replace(game, moves=game.moves[:-1]))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("read", [load, head])
def test_a_pipe_is_no_game(tmp_path, read):
    os.mkfifo(tmp_path / "game.jsonl")
    with pytest.raises(CheckpointError, match=r"game\.jsonl: .*not a regular file"):
        read(tmp_path / "game.jsonl")
