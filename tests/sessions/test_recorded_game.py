"""Games move by move: recorded, kept in a file, played once more by the rules, judged; what is no game is refused.

Trusts `tdl.agents.trainer.evaluate`, the engine, and JSON as another program would read the file.
"""

import dataclasses
import hashlib
import json
import os
import signal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.programs import files, inside, result, train
from support.shapes import few

import tdl
import tdl.evaluate as program
from tdl.errors import CheckpointError, ConfigError, TdlError
from tdl.game.rules import ACTION_NAMES
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import load, save
from tdl.sessions.recorded_game import MISTAKE, mistakes, record_game, with_losses
from tdl.storage.run_folder import RunFolder

SHAPES = {
    "2x4": (tdl.Rules(rows=2, cols=4), ((0, 1, 2, 3), (0, 1, 4, 5))),
    "fib-2x3": (tdl.Rules("fib", 2, 3, drop=((1, 0.75), (3, 0.25))), ((0, 1, 2), (0, 1, 3, 4))),
    "threes_law-3x3": (tdl.Rules("threes_law", 3, 3, drop=((1, 0.5), (2, 0.5))), ((0, 1, 2), (0, 1, 3, 4))),
    "4x5": (tdl.Rules(rows=4, cols=5, drop=tuple((tile, 0.25) for tile in (1, 2, 3, 4))), ((0, 1, 2), (0, 1, 5, 6))),
}


def trained(rules, cells, games=100, gamma=0.9, seed=0, target="afterstate"):
    """A player after a few games."""
    network = tdl.NTupleNetwork(rules, tdl.TupleSet(cells))
    tdl.Trainer(network, alpha=0.1, gamma=gamma, seed=seed, target=target).train(games)
    return tdl.Player(network, gamma, target)


@pytest.fixture(scope="module")
def player():
    return trained(*SHAPES["2x4"])


@pytest.fixture(scope="module")
def game(player):
    """The longest of a few games, of some forty moves."""
    return max((record_game(player, 5, episode) for episode in range(5)), key=lambda each: len(each.moves))


@pytest.fixture(scope="module")
def text(game, tmp_path_factory):
    """Its file."""
    path = tmp_path_factory.mktemp("game") / "game.json"
    save(path, game)
    return path.read_text()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_games_of_an_evaluation(shape):
    player = trained(*SHAPES[shape])
    for row in player.evaluate(8, seed=5):
        game = record_game(player, 5, int(row["episode"]))
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
        assert (game.rules, game.seed, game.episode) == (player.network.rules, 5, row["episode"])
        for move in game.moves:
            assert move.action == player.best(move.board)
            np.testing.assert_array_equal(np.array(move.values, float), player.values(move.board))
        boards = game.boards()
        assert boards == [move.board for move in game.moves] + boards[-1:]
        assert player.engine.terminal(boards[-1])


SEARCHES = {
    "1 ply": SearchOptions(),
    "2 plies": SearchOptions(2),
    "3 plies": SearchOptions(3, cutoff=0.02),
    "by empty": SearchOptions(1, by_empty=((2, 3), (4, 2))),
    "lowered": SearchOptions(2, downgrade=5),
    "feared": SearchOptions(2, against="adversary"),
}


@pytest.mark.parametrize("target", ["afterstate", "state"])
@pytest.mark.parametrize("search", SEARCHES)
def test_the_games_of_an_evaluation_that_looks_ahead(search, target):
    player, searching = trained(*SHAPES["2x4"], target=target), SEARCHES[search]
    for row in tdl.Player(player.network, 0.9, target, "direct").evaluate(4, seed=5, search=searching):
        game = record_game(player, 5, int(row["episode"]), searching=searching, expectation="direct")
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
        assert game.searching == searching


@pytest.mark.parametrize("shape", ["2x4", "fib-2x3", "threes_law-3x3"])
def test_the_games_of_a_network_of_states(shape):
    """By the table of the drops, bit for bit: the moves depend on the last bit where two are nearly equal."""
    player = trained(*SHAPES[shape], target="state")
    for row in player.evaluate(20, seed=5):
        game = record_game(player, 5, int(row["episode"]))
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
    with pytest.raises(ConfigError, match="expectation: 'auto' is not allowed; expected direct"):
        record_game(player, plies=2)


@pytest.mark.parametrize("search", SEARCHES)
def test_a_file_tells_how_the_player_looked_ahead(tmp_path, player, search):
    game = record_game(player, searching=SEARCHES[search])
    save(tmp_path / "game.json", game)
    assert load(tmp_path / "game.json").searching == SEARCHES[search]
    assert load(tmp_path / "game.json") == game


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_gives_the_same_game(tmp_path, shape):
    player = trained(*SHAPES[shape])
    game = record_game(player, 5, 3, checkpoint="abc")
    save(tmp_path / "game.json", game)
    assert load(tmp_path / "game.json") == game
    assert load(str(tmp_path / "game.json"), game.rules) == game
    judged = with_losses(game, mistakes(game, player, 1))
    save(tmp_path / "game.json", judged)
    assert load(tmp_path / "game.json") == judged != game
    assert [path.name for path in tmp_path.iterdir()] == ["game.json"]


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


def changed(text, line, **values):
    """The file with other values in one line, its digest set right: as someone would who knows the format."""
    lines = [json.loads(each) for each in text.splitlines()]
    lines[line].update(values)
    lines[line] = {key: value for key, value in lines[line].items() if value is not ...}
    return signed([json.dumps(each) + "\n" for each in lines])


def signed(lines):
    """Lines as a file with the right digest."""
    head = {key: value for key, value in json.loads(lines[0]).items() if key != "digest"}
    digest = hashlib.sha256((json.dumps(head, sort_keys=True) + "".join(lines[1:])).encode()).hexdigest()
    return json.dumps({**head, "digest": digest}) + "\n" + "".join(lines[1:])


FULL = [[2, 4, 2, 4], [4, 2, 4, 2]]
OTHER = tdl.Rules(rows=2, cols=4, drop=((1, 1.0),))

TAMPERED = [
    # line, what it says then, what the complaint must say; line 0 is the file's first
    (0, {"format": "tdl-game-2"}, "line 1: not of a game of this program"),
    (0, {"rules": {}}, "line 1: corrupt: rules: KeyError"),
    (0, {"rules": {**OTHER.to_dict(), "version": 9}}, "line 1: rules version: 9"),
    (0, {"rules": {**OTHER.to_dict(), "game": "chess"}}, "line 1: game: 'chess'"),
    (0, {"rules": tdl.Rules().to_dict()}, "line 1: board shape"),
    (0, {"start": FULL}, "line 1: the first board has not the tiles of the start law"),
    (0, {"start": [[0, 0, 0, 2], [2, 0, 0, 0]]}, "line 2: move 0: its board is not the one"),
    (0, {"start": "none"}, "line 1: start: 'none'"),
    (0, {"seed": -1}, "line 1: seed: -1"),
    (0, {"seed": True}, "line 1: seed: True"),
    (0, {"plies": 0}, "line 1: plies: 0"),
    (0, {"search": {}}, "line 1: corrupt: search"),
    (0, {"checkpoint": 5}, "line 1: checkpoint: 5"),
    (0, {"moves": 3}, "line 1: moves: 3"),
    (0, {"score": 3}, "line 1: score: 3"),
    (0, {"episode": ...}, "line 1: corrupt: no 'episode'"),
    (0, {"more": 1}, "line 1: corrupt: 'more' does not belong here"),
    (4, {"move": 9}, "line 5: move: 9, but 3"),
    (4, {"board": FULL}, "line 5: move 3: its board is not the one that the move before led to"),
    (4, {"board": [[2, 4], [8]]}, "line 5: board"),
    (4, {"board": [[3, 0, 0, 0], [0, 0, 0, 0]]}, "line 5: board cell 0: 3"),
    (4, {"board": [[2.0, 0, 0, 0], [0, 0, 0, 0]]}, "line 5: board"),
    (4, {"action": "north"}, "line 5: action: 'north' is not one of up, right, down, left"),
    (4, {"action": ["up"]}, "line 5: action"),
    (4, {"values": [1, 2, 3]}, "line 5: values"),
    (4, {"values": [None] * 4}, "line 5: move 3: it must have a value for each legal action"),
    (4, {"values": ["1", 2, 3, 4]}, "line 5: values"),
    (4, {"tile": 64}, "line 5: move 3: tile 64 drops, but the drop law has 2, 4"),
    (4, {"tile": 3}, "line 5: tile: 3 is not a tile"),
    (4, {"cell": 8}, "line 5: cell: 8 is not on the board"),
    (4, {"cell": -1}, "line 5: cell: -1"),
    (4, {"cell": 1.0}, "line 5: cell: 1.0"),
    (4, {"score": 999}, "line 5: score: 999"),
    (4, {"loss": -1}, "line 5: loss: -1"),
    (4, {"reward": ...}, "line 5: corrupt: no 'reward'"),
    (4, {"who": "me"}, "line 5: corrupt: 'who' does not belong here"),
    (4, {"by": "hand"}, "line 5: by: 'hand' is not agent or person"),
    (0, {"complete": 1}, "line 1: complete: 1 is not true or false"),
]


@pytest.mark.parametrize(("line", "values", "telling"), TAMPERED, ids=lambda each: str(each)[:40])
def test_a_tampered_line_is_refused(tmp_path, text, line, values, telling):
    """Also with the digest set right: by the rules, and by the number of the line."""
    path = tmp_path / "game.json"
    path.write_text(changed(text, line, **values))
    with pytest.raises(CheckpointError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {telling}"), caught.value


def rewarded(lines, number, more):
    """A line with a larger reward, and the scores from there on made to fit."""
    told = [json.loads(line) for line in lines]
    told[number]["reward"] += more
    for each in told[number:]:
        each["score"] += more
    told[0]["score"] += more
    return [json.dumps(each) + "\n" for each in told]


def another(lines, number, key, choose):
    """A line with another value for a key, chosen by its own values."""
    told = [json.loads(line) for line in lines]
    told[number][key] = choose(told[number])
    return [json.dumps(each) + "\n" for each in told]


def illegal(line):
    return ACTION_NAMES[line["values"].index(None)]


def taken(line):
    """Another cell than the last empty one."""
    return next(cell for cell in range(8) if cell != line["cell"])


def test_what_breaks_the_rules_is_refused_by_line(tmp_path, game, text):
    lines, path = text.splitlines(keepends=True), tmp_path / "game.json"
    with_illegal = next(i for i, line in enumerate(lines) if i and None in json.loads(line)["values"])
    last = len(lines) - 1
    full = next(i for i, move in enumerate(game.moves) if tdl.Engine(game.rules).empty(game.boards()[i + 1]) == 0)
    for made, telling in (
        (rewarded(lines, 3, 4), r"line 4: move 2: its reward is \d+, by the rules \d+"),
        (
            another(lines, with_illegal, "action", illegal),
            rf"line {with_illegal + 1}: move {with_illegal - 1}: \w+ is not",
        ),
        (another(lines, full + 1, "cell", taken), rf"line {full + 2}: move {full}: the tile drops on cell \d"),
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
def test_a_cut_file_is_refused(tmp_path, text, data):
    (tmp_path / "game.json").write_text(text[: data.draw(st.integers(0, len(text) - 1))])
    with pytest.raises(CheckpointError, match=r"game\.json: line \d+: "):
        load(tmp_path / "game.json")


@settings(few, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_byte_is_refused(tmp_path, text, data):
    """Wherever it is, it gives no other game: the file is refused, or was only written otherwise."""
    content = text.encode()
    at = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[at]))
    (tmp_path / "game.json").write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
    with pytest.raises(CheckpointError, match=r"game\.json: "):
        load(tmp_path / "game.json")


@pytest.mark.parametrize("content", ["", "\n", "{}\n", "[]\n", "null\n", "[" * 100_000 + "\n", "NaN\n"])
def test_what_is_no_game_is_refused(tmp_path, content):
    (tmp_path / "game.json").write_text(content)
    with pytest.raises(CheckpointError, match=r"game\.json: line 1: "):
        load(tmp_path / "game.json")


def test_a_missing_file_and_other_rules_are_refused(tmp_path, text):
    with pytest.raises(CheckpointError, match=r"none\.json: cannot be read: No such file"):
        load(tmp_path / "none.json")
    (tmp_path / "game.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"game\.json: line 1: of other rules"):
        load(tmp_path / "game.json", OTHER)


def test_no_file_of_what_is_no_game(tmp_path, game):
    wrong = dataclasses.replace(game.moves[0], reward=5)
    with pytest.raises(ConfigError, match="move 0: its reward is 5"):
        save(tmp_path / "game.json", dataclasses.replace(game, moves=(wrong, *game.moves[1:])))
    with pytest.raises(ConfigError, match="the game is not over"):
        save(tmp_path / "game.json", dataclasses.replace(game, moves=game.moves[:-1]))
    assert not list(tmp_path.iterdir())


def test_mistakes(player, game):
    """What another player's values make of the moves; one's own say that none was wrong."""
    assert not mistakes(game, player, 1)["loss"].any()
    other = trained(*SHAPES["2x4"], games=10, seed=1)
    found = mistakes(game, other, 1)
    assert (found.dtype, found["move"].tolist()) == (MISTAKE, list(range(len(game.moves))))
    for row, move in zip(found, game.moves, strict=True):
        values = other.values(move.board)
        assert (row["chosen"], row["best"]) == (move.action, other.best(move.board))
        assert row["loss"] == np.nanmax(values) - values[move.action] >= 0
    assert found["loss"].max() > 0
    assert [move.loss for move in with_losses(game, found).moves] == found["loss"].tolist()


def test_mistakes_by_a_deeper_search(player, game):
    found = mistakes(game, player, 3)
    for row, move in zip(found, game.moves, strict=True):
        values = player.values(move.board, plies=3)
        assert row["loss"] == np.nanmax(values) - values[move.action]
    assert found["loss"].any()
    assert np.array_equal(mistakes(game, player), found)
    deeper = record_game(player, 5, game.episode, plies=3)
    assert not mistakes(deeper, player, 3)["loss"].any()
    assert mistakes(game, player, searching=SearchOptions(3, cutoff=0.5)).tobytes() != found.tobytes()


def test_a_judge_of_other_rules_is_refused(game):
    with pytest.raises(ConfigError, match="player: of other rules"):
        mistakes(game, trained(OTHER, ((0, 1),), games=1))


@pytest.mark.parametrize(("given_", "telling"), [({"seed": -1}, "seed"), ({"episode": -1}, "episode"),
                                                ({"plies": 0}, "plies"), ({"plies": 99}, "plies")])  # fmt: skip
def test_what_cannot_be_recorded(player, given_, telling):
    with pytest.raises(ConfigError, match=telling):
        record_game(player, **given_)


def test_the_caller_may_give_it_up(player, game):
    class EnoughError(Exception):
        pass

    def between(moves):
        if moves == 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        record_game(player, between=between)
    with pytest.raises(EnoughError):
        mistakes(game, player, 1, between=between)


def test_the_program_judges(tmp_path, run):
    done = evaluated(tmp_path / "out", run, "evaluate.record=2", "evaluate.plies=2", "evaluate.mistakes=3")
    assert done.returncode == 0, done.stderr
    player, told = tdl.load(run), result(tmp_path / "out")["mistakes"]
    games = [load(RunFolder(tmp_path / "out").game(number)) for number in range(2)]
    found = [mistakes(game, player, 3)["loss"] for game in games]
    losses = np.concatenate(found)
    assert [[move.loss for move in game.moves] for game in games] == [each.tolist() for each in found]
    assert (told["plies"], told["moves"], told["mean_loss"]) == (3, len(losses), losses.mean())
    assert told["share"] == np.mean(losses > 0)
    assert [each["loss"] for each in told["largest"]] == np.sort(losses)[::-1][:5].tolist()
    for each in told["largest"]:
        move = games[each["game"]].moves[each["move"]]
        assert (ACTION_NAMES[move.action], each["loss"]) == (each["chosen"], move.loss)
        assert player.best(move.board, plies=3) == ACTION_NAMES.index(each["best"])
        assert f"game {each['game']} move {each['move']}: {each['chosen']}, better {each['best']}\n" in done.stdout
    records = np.load(tmp_path / "out" / "evaluation.npy")
    expected = player.evaluate(20, seed=3, search=SearchOptions(2))
    assert records.tobytes() == expected.tobytes()


def test_states_that_look_ahead_are_not_recorded(tmp_path):
    folder = train(tmp_path / "run", "size=2x4", "episodes=60", "learner.target=state")
    words = ("evaluate.record=1", "evaluate.plies=2")
    done = evaluated(tmp_path / "out", folder, *words)
    assert done.returncode == 2
    assert "evaluate.record: 1 is not allowed; expected 0 for a network of states that looks ahead" in done.stderr
    assert evaluated(tmp_path / "greedy", folder, words[0]).returncode == 0
    assert evaluated(tmp_path / "deep", folder, words[1]).returncode == 0
    by_boards = ("learner.target=state", "learner.expectation=direct")
    direct = train(tmp_path / "direct", "size=2x4", "episodes=60", *by_boards)
    assert evaluated(tmp_path / "recorded", direct, *words).returncode == 0


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run on 2x4."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tdl.results.figures.save_curve", lambda folder: None)
        folder = tmp_path_factory.mktemp("games") / "run"
        return train(folder, "size=2x4", "episodes=60")


def evaluated(folder, run, *words):
    words = (f"checkpoint={run}", "evaluate.episodes=20", "seed=3", f"hydra.run.dir={folder}", *words)
    return inside(*words, program=program.main)


def test_the_program_leaves_the_first_games(tmp_path, run):
    done = evaluated(tmp_path / "out", run, "evaluate.record=3")
    assert done.returncode == 0, done.stderr
    names = [RunFolder(tmp_path).game(number).name for number in range(3)]
    assert names == ["game.json", "game-0001.json", "game-0002.json"]
    assert set(names) == {path.name for path in (tmp_path / "out").glob("*.json")} - {"result.json"}
    for number, row in enumerate(np.load(tmp_path / "out" / "evaluation.npy")[:3]):
        game = load(tmp_path / "out" / names[number], tdl.load(run).network.rules)
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
        assert game.checkpoint == result(tmp_path / "out")["checkpoints"][0]["digest"]
        assert (
            f"{names[number]:<14}  {len(game.moves)} moves, score {game.score:,}, tile {game.max_tile}\n"
            in done.stdout
        )
    plain = evaluated(tmp_path / "plain", run)
    assert plain.stdout.splitlines()[0] == done.stdout.splitlines()[0]
    assert (tmp_path / "plain" / "evaluation.npy").read_bytes() == (tmp_path / "out" / "evaluation.npy").read_bytes()


MISTAKES = [
    ("evaluate.record=-1", "evaluate.record: -1 is not allowed; expected a whole number of at least 0"),
    ("evaluate.record=21", "evaluate.record: 21 is not allowed; expected at most evaluate.episodes, 20"),
    ("evaluate.record=1 placer=adversary", "expected 0 unless placer.kind=random"),
    ("evaluate.record=1 search.seconds=1", "expected 0 unless search.seconds=null"),
    ("evaluate.mistakes=3", "evaluate.mistakes: 3 is not allowed; expected null unless evaluate.record is above 0"),
    (
        "evaluate.record=1 evaluate.mistakes=1",
        "evaluate.mistakes: 1 is not allowed; expected more than evaluate.plies",
    ),
    ("evaluate.record=1 evaluate.mistakes=99", "evaluate.mistakes: 99 is not allowed; expected a whole number from 1"),
]


@pytest.mark.parametrize(("words", "telling"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_what_cannot_be_recorded_is_said_before_the_first_game(tmp_path, run, words, telling):
    done = evaluated(tmp_path / "out", run, *words.split())
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert telling in line
    assert not list(tmp_path.rglob("*.npy"))


def test_a_signal_while_games_are_recorded(tmp_path, run, monkeypatch):
    """The figures and the games recorded so far stay."""

    def save_and_stop(path, game):
        save(path, game)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("tdl.runs.recording.save", save_and_stop)
    done = evaluated(tmp_path / "out", run, "evaluate.record=3")
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "tdl: stopped before all was done"
    assert set(files(tmp_path / "out")) == {"evaluation.npy", "result.json", "game.json"}
    told = result(tmp_path / "out")
    assert (told["status"], told["evaluation"]["episodes"]) == ("interrupted", 20)


def test_a_game_that_comes_out_otherwise_is_an_error(tmp_path, run, monkeypatch):
    """Should a kernel ever choose otherwise than the player asked here, no file tells of games not played."""
    monkeypatch.setattr("tdl.runs.recording.record_game", lambda *_, **__: record_game(tdl.load(run), 99))
    done = evaluated(tmp_path / "out", run, "evaluate.record=1")
    assert done.returncode == TdlError.exit_code
    assert "game 0 was not recorded as it was played" in done.stderr
    assert set(files(tmp_path / "out")) == {"evaluation.npy", "result.json"}
