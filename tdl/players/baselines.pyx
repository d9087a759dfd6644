"""Play without values: random legal moves, or the largest reward. What learned play is held against."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t

from tdl.base.checks import MAX_COUNT, check_choice, check_whole
from tdl.storage.records import RECORD, check_episodes
from tdl.game.board cimport (FIVES, NIBBLES, board64, board128, board_array, board_t, first_board, kind_for,
                             legal_afterstates, max_tile, place)
from tdl.game.engine import ENGINES
from tdl.game.lines cimport LineTables
from tdl.game.lines import tables_of
from tdl.game.rules import checked_rules
from tdl.game.engine import EVALUATION, EXPLORATION
from tdl.game.stream cimport Stream, draw, stream_of

cdef int EXPLORING = EXPLORATION

SLICE = 1 << 12     # games between two looks at Ctrl-C: some tenths of a second on the largest boards


def play_random(rules=None, episodes=1000, *, seed=0, role=EVALUATION, first=0, engine="bits"):
    """Play games of uniformly random legal moves.

    They are, game for game, those of a `Trainer` of that seed with epsilon 1, where the role is that of training.

    Parameters
    ----------
    rules : `Rules`; None: 2048 on 4x4.
    episodes : number of games.
    seed, role : of the streams of drops; the moves draw from (seed, EXPLORATION).
    first : number of the first game.
    engine : "bits" or "array": the same games.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,): episode, score, moves, max_tile.

    Raises
    ------
    ConfigError : a number or an engine that is not allowed.
    """
    return _play(rules, episodes, seed, role, first, engine, greedy=False)


def play_greedy(rules=None, episodes=1000, *, seed=0, role=EVALUATION, first=0, engine="bits"):
    """Play games of the moves with the largest reward, the first of equals (up, right, down, left).

    Parameters, returned array and errors are those of `play_random`; nothing but the drops is random.
    """
    return _play(rules, episodes, seed, role, first, engine, greedy=True)


def _play(rules, episodes, seed, role, first, engine, *, bint greedy):
    check_episodes(episodes)
    for key, number in (("seed", seed), ("role", role), ("first", first)):
        check_whole(key, number, 0, MAX_COUNT + 1 if key == "first" else 2**63)
    check_choice("engine", engine, ENGINES)
    cdef LineTables tables = tables_of(checked_rules(rules))
    cdef int kind = kind_for(engine == "array", tables.bits)
    score, moves, largest = np.zeros(episodes, np.int64), np.zeros(episodes, np.int32), np.zeros(episodes, np.int32)
    cdef Games games
    cdef int64_t[::1] scores = score
    cdef int32_t[::1] counts = moves, tiles = largest
    cdef int64_t at
    games.seed, games.role, games.greedy = seed, role, greedy
    for at in range(0, episodes, SLICE):
        games.first, games.n = first + at, min(SLICE, episodes - at)
        games.score, games.moves, games.largest = &scores[at], &counts[at], &tiles[at]
        with nogil:
            if kind == NIBBLES:
                play_games(tables, <board64 *> NULL, &games)
            elif kind == FIVES:
                play_games(tables, <board128 *> NULL, &games)
            else:
                play_games(tables, <board_array *> NULL, &games)
    records = np.zeros(episodes, RECORD)
    records["episode"] = np.arange(first, first + episodes)
    records["score"], records["moves"], records["max_tile"] = score, moves, largest
    return records


cdef struct Games:
    # What is to be played, and what came of it, by game.
    uint64_t seed
    uint64_t role
    bint greedy
    int64_t first
    int64_t n
    int64_t *score
    int32_t *moves
    int32_t *largest


cdef void play_games(LineTables tables, const board_t *kind, Games *games) noexcept nogil:
    """Play `n` games from number `first` on."""
    cdef board_t board
    cdef board_t after[4]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef int n, chosen
    cdef int64_t game
    cdef Stream drops, chance
    for game in range(games.n):
        drops = stream_of(games.seed, games.role, games.first + game)
        chance = stream_of(games.seed, EXPLORING, games.first + game)
        first_board(tables, &board, &drops)
        while True:
            n = legal_afterstates(tables, &board, after, reward, action)
            if n == 0:
                break
            chosen = best_of(reward, n) if games.greedy else <int> (((draw(&chance) >> 32) * <uint64_t> n) >> 32)
            games.score[game] += reward[chosen]
            games.moves[game] += 1
            board = after[chosen]
            place(tables, &board, &drops, 0)
        games.largest[game] = <int32_t> max_tile(tables, &board)


cdef inline int best_of(const int32_t *reward, int n) noexcept nogil:
    """The first of the largest."""
    cdef int k, best = 0
    for k in range(1, n):
        if reward[k] > reward[best]:
            best = k
    return best
