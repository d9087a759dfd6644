"""Pictures of boards show every tile; what is no board is refused.

Trusts an XML parser and matplotlib's reader of PNG.
"""

import doctest
import re
import xml.etree.ElementTree as ElementTree

import matplotlib as mpl
import matplotlib.image
import numpy as np
import pytest
from support.shapes import RULES

import tdl
from tdl.cli.picture import main
from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.game.rules import GAMES
from tdl.sessions import pictures
from tdl.sessions.game_file import save
from tdl.sessions.pictures import contrast, frame, heatmap, pixels, png, rgb, svg, text, tile_colours
from tdl.sessions.session import Session

BOARD = [[2, 4, 8, 0], [16, 32, 64, 128], [2048, 131072, 0, 2], [0, 0, 0, 0]]
NUMBERS = [str(value) for row in BOARD for value in row if value]


@pytest.fixture
def game(tmp_path):
    session = Session(tdl.Rules("2584", 3, 3), seed=4)
    while not session.over:
        session.move(session.legal[0])
    save(tmp_path / "game.jsonl", session.game())
    return session


def test_examples():
    outcome = doctest.testmod(pictures)
    assert outcome.attempted
    assert not outcome.failed


def test_svg_has_the_numbers_where_the_tiles_are():
    root = ElementTree.fromstring(svg(BOARD))
    cells = [element for element in root if element.tag.endswith("rect")][1:]
    texts = [element for element in root if element.tag.endswith("text")]
    assert [each.text for each in texts] == NUMBERS
    assert len(cells) == 16
    for number, (row, column) in zip(texts, [(r, c) for r in range(4) for c in range(4) if BOARD[r][c]], strict=True):
        cell = cells[4 * row + column]
        assert 0 < float(number.get("x")) - float(cell.get("x")) < float(cell.get("width"))
        assert 0 < float(number.get("y")) - float(cell.get("y")) < float(cell.get("height"))
        assert (cell.get("fill"), number.get("fill")) == tile_colours(BOARD[row][column])


def test_png_has_the_colours_of_the_tiles(tmp_path):
    png(BOARD, tmp_path / "board.png")
    image = matplotlib.image.imread(tmp_path / "board.png")
    assert image.shape[:2] == (460, 460)
    for (row, column), value in np.ndenumerate(BOARD):
        corner = image[12 + 112 * row + 10, 12 + 112 * column + 10, :3]  # no number reaches there
        assert np.allclose(corner, np.array(rgb(tile_colours(value)[0])) / 255, atol=0.01)
        cell = image[12 + 112 * row :, 12 + 112 * column :, :3][10:90, 10:90]
        assert (np.ptp(cell, axis=(0, 1)).max() > 0.2) == bool(value)  # a number


def test_frames_of_videos_are_pictures_of_half_the_size():
    """Tiles that are drawn once and copied make the same picture as a whole board."""
    picture = frame(np.array(BOARD))
    assert picture.shape == (230, 230, 3)
    assert np.abs(picture.astype(int) - pixels(BOARD, dpi=50)).max() <= 2  # by how edges are rounded


def test_text_is_a_heat_map():
    values = re.sub(r"\x1b\[[0-9;]*m", "", text(BOARD))
    assert values.split() == NUMBERS
    assert text(BOARD).count("\x1b[48;2;") == 3 * 16
    shaded = text(BOARD, colour=False)
    assert re.findall(r"\d+", shaded) == NUMBERS
    assert "\x1b" not in shaded
    assert len(shaded.splitlines()) == 4
    assert text([[2, 0], [4, 16]], colour=False) == "   2    ········\n░░ 4 ░░░██ 16 ██"
    assert text([[2, 0], [4, 16]], colour=False, encoding="ascii") == "   2    ........\n-- 4 ---## 16 ##"


def test_the_heat_map_is_logarithmic():
    axes = heatmap(BOARD)
    assert [each.get_text() for each in axes.texts] == NUMBERS
    (mesh,) = axes.collections
    assert type(mesh.norm).__name__ == "LogNorm"
    assert mesh.get_array().mask.sum() == 6
    assert heatmap([[2]], axes=axes) is axes


@pytest.mark.parametrize("shape", ["2x3", "2584-5x5", "threes_law-3x2"])
def test_packed_boards_by_their_rules(shape):
    rules = RULES[shape]
    tiles = [index % rules.largest for index in range(rules.cells)]
    expected = [rules.value(tile) for tile in tiles if tile]
    assert [int(each.text) for each in ElementTree.fromstring(svg(pack(tiles, rules), rules)) if each.text] == expected


def test_numbers_can_be_read_on_every_tile():
    """4.5 is what WCAG 2.2 asks of text."""
    for game in GAMES:
        colours = [tile_colours(value) for value in tdl.Rules(game, 5, 5).tiles]
        assert min(contrast(*each) for each in colours) >= 4.5
        assert len(set(colours[:16])) == 16
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("board", [[[2, 4], [2]], [], "board", 5, [[-2]], [[2.5, "a"]], [[2.5]]])
def test_what_is_no_board_is_refused(board):
    with pytest.raises(ConfigError, match=r"board: |board cell 0: "):
        svg(board)
    with pytest.raises(ConfigError):
        svg([[3, 0], [0, 0]], tdl.Rules(rows=2, cols=2))


def test_the_program_draws_a_game(tmp_path, game, capsys):
    path = str(tmp_path / "game.jsonl")
    main([path, str(tmp_path / "last.svg")])
    assert (tmp_path / "last.svg").read_text() == svg(game.board, game.rules)
    main([path, str(tmp_path / "third.png"), "--move", "3"])
    png(game.moves[3].board, tmp_path / "expected.png", game.rules)
    assert (tmp_path / "third.png").read_bytes() == (tmp_path / "expected.png").read_bytes()
    main([path, "--move", "0"])
    assert capsys.readouterr().out == text(game.start, game.rules, colour=False) + "\n"
    main(["2", "4", ".", "8"])
    assert capsys.readouterr().out == text([[2, 4], [0, 8]], colour=False) + "\n"


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["{game}", "board.gif"], "OUT: 'board.gif' is not allowed; expected a name that ends with .svg or .png"),
        (["{game}", "--move", "9999"], "--move: 9999 is not allowed; expected 0 to "),
        (["nothing.json"], "nothing.json: cannot be read"),
        (["[[2,4]"], "board: '[[2,4]' is not allowed; expected numbers in reading order"),
        (["[[2,4]]", "--move", "1"], "--move: only the file of a recorded game has moves"),
        (["{game}", "no/such/folder/a.svg"], "No such file or directory"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path, game, capsys, words, telling):
    with pytest.raises(SystemExit) as ended:
        main([word.format(game=tmp_path / "game.jsonl") for word in words])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert telling in said
    assert said.count("\n") == 1


SETTINGS = {
    "text.usetex": True, "path.sketch": (1, 100, 2), "font.size": 40.0, "savefig.bbox": "tight",
    "savefig.facecolor": "red", "savefig.transparent": True, "text.hinting": "none", "patch.antialiased": False,
}  # fmt: skip


def test_the_settings_of_matplotlib_change_no_picture_and_stay_as_they_are(tmp_path):
    def drawn():
        png(BOARD, tmp_path / "board.png")
        heat = heatmap(BOARD)
        texts = [text.get_usetex() or text.get_sketch_params() for text in heat.texts]
        return (tmp_path / "board.png").read_bytes(), pixels(BOARD).tobytes(), texts

    expected = drawn()
    with mpl.rc_context(SETTINGS):
        before = dict(mpl.rcParams)
        assert drawn() == expected
        assert dict(mpl.rcParams) == before
