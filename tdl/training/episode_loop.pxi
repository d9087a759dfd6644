# The episode loop of `SelfPlay`: choose, observe, update, place. A part of selfplay.pyx, which is compiled twice, and
# this file with it (a .pxd would be bound to one of the two classes).

cdef Outcome run_block(SelfPlay play, board_t *boards, int64_t until) noexcept nogil:
    """Play on in the loop for this network and learner. `boards`, those of the lanes, tells their type throughout."""
    cdef int m = play.network.m
    if play.full_loop:
        return run(play, boards, <loop_full> m, until)
    if m == 32:
        return run(play, boards, <loop_32> 0, until)
    if board_t is board64:
        if m == 64:
            return run(play, boards, <loop_64> 0, until)
    return run(play, boards, <loop_any> m, until)


cdef void start_lanes(SelfPlay play, board_t *boards) noexcept nogil:
    """Give every lane its first episode."""
    cdef int i
    for i in range(play.lanes):
        if play.full_loop:
            start_episode(play, boards, <loop_full> play.network.m, i)
        else:
            start_episode(play, boards, <loop_any> play.network.m, i)


cdef void start_episode(SelfPlay play, board_t *boards, loop_t m, int i) noexcept nogil:
    """Give lane i the next episode of the block, or retire it."""
    cdef Lane *lane = &play.lane[i]
    cdef Block *block = &play.block
    cdef int64_t episode = take(block.next_episode)
    cdef board_t first
    lane.live = episode < block.end
    if not lane.live:
        return
    block.live += 1
    memset(&lane.record, 0, sizeof(Record))
    lane.record.episode = episode
    lane.drops = stream_of(block.seed, block.role, episode)
    lane.chance = stream_of(block.seed, EXPLORING, episode)
    lane.game = 0
    lane.stage = 0
    lane.attempts = 0
    first_board(play.tables, &first, &lane.drops)
    start_game(play, boards, &first, m, i)


cdef void start_game(SelfPlay play, board_t *boards, const board_t *first, loop_t m, int i) noexcept nogil:
    """Let lane i play from a board on."""
    cdef Lane *lane = &play.lane[i]
    lane.previous = NULL
    lane.path.n = 0
    lane.history.n = 0
    lane.gained = 0
    boards[i] = first[0]
    prepare_moves(play, boards, m, i)


cdef inline void prepare_moves(SelfPlay play, board_t *boards, loop_t m, int i) noexcept nogil:
    """Make lane i's legal moves, and ask for the entries of their afterstates."""
    cdef Lane *lane = &play.lane[i]
    cdef int action[4]
    cdef int row = 8 * i + 4 * lane.bank, padded = play.learner.plan.padded
    cdef board_t *after = <board_t *> play.after + row
    lane.n = legal_afterstates(play.tables, <const board_t *> boards + i, after, lane.reward, action)
    if is_full(m) and play.searches and play.order == NO_LEARNING:
        return
    look_up(&play.learner, <const board_t *> after, lane.n, play.entry + row * padded, m)
    if is_full(m) and play.values_states:
        fetch_expected(&play.learner, lane.n, play.entry + row * padded, m)
        if play.order != NO_LEARNING:
            look_up_to_learn(&play.learner, <const board_t *> boards + i, 1,
                             play.of_state + (2 * i + lane.bank) * padded, m)


cdef Outcome run(SelfPlay play, board_t *boards, loop_t m, int64_t until) noexcept nogil:
    """Let the lanes move in turn until the block is done or `until` moves are played."""
    cdef int i
    cdef Outcome outcome
    while play.block.live:
        if play.block.moves >= until:
            return RUNNING
        for i in range(play.lanes):
            if play.lane[i].live:
                outcome = turn(play, boards, m, i)
                if outcome != RUNNING:
                    return outcome
    return DONE


cdef inline Outcome turn(SelfPlay play, board_t *boards, loop_t m, int i) noexcept nogil:
    """One move of lane i: choose, observe, update, place; or the end of its game."""
    cdef Lane *lane = &play.lane[i]
    cdef Learner *learner = &play.learner
    cdef int padded = learner.plan.padded, k, best = -1
    cdef int row = 8 * i + 4 * lane.bank
    cdef uint32_t *entry = play.entry + row * padded
    cdef const board_t *after = <const board_t *> play.after + row
    cdef board_t board
    cdef float q[4]
    cdef float best_q = -<float> BOUND
    if is_full(m) and play.searches:
        look_ahead(play, boards, i, q)
    for k in range(lane.n):
        if not is_full(m) or not play.searches:
            if is_full(m) and play.values_states:
                q[k] = expected(learner, play.tables, after + k, entry + k * padded, play.replay, m)
            else:
                q[k] = value_of(learner, entry + k * padded, m)
            q[k] = <float> lane.reward[k] + learner.gamma * q[k]
        if q[k] > best_q:      # never true of nan
            best, best_q = k, q[k]
    if lane.n == 0:
        return end_game(play, boards, m, i)
    if best < 0 or best_q > BOUND:
        return DIVERGED
    if is_full(m) and play.explores:
        best = explore(play, lane, best)
        best_q = q[best]
    if is_full(m):
        if not see(play, boards, m, i, best):
            return NO_MEMORY
    else:
        if play.order == FORWARD and lane.previous != NULL:
            update(learner, after, lane.previous, m, best_q)     # the board does not count here
        if play.order == BACKWARD and not remember(&lane.path, after + best, lane.reward[best]):
            return NO_MEMORY
        lane.previous = entry + best * padded
        if play.order == FORWARD:
            fetch_step(&learner.step, lane.previous, m)
    if learner.tally.diverged:
        return DIVERGED
    lane.record.score += lane.reward[best]
    lane.record.moves += 1
    if is_full(m):
        lane.gained = lane.reward[best]
    play.block.moves += 1
    board = after[best]
    drop(play, &board, lane, m)
    boards[i] = board
    lane.bank = 1 - lane.bank
    prepare_moves(play, boards, m, i)
    return RUNNING


cdef void look_ahead(SelfPlay play, const board_t *boards, int i, float *q) noexcept nogil:
    """The values of lane i's moves by a search."""
    cdef Lane *lane = &play.lane[i]
    if play.order != NO_LEARNING:
        play.search.forget()
    play.search.look(boards + i, <const board_t *> play.after + 8 * i + 4 * lane.bank, lane.reward, lane.n, q)


cdef inline void drop(SelfPlay play, board_t *board, Lane *lane, loop_t m) noexcept nogil:
    """Let the placer put a tile."""
    if is_full(m) and play.against:
        place_worst(&play.adversary, play.tables, board, &lane.drops)
    else:
        place(play.tables, board, &lane.drops, 0)


cdef inline int explore(SelfPlay play, Lane *lane, int best) noexcept nogil:
    """The move chosen, or, with probability epsilon, a random legal one."""
    cdef uint64_t bits = draw(&lane.chance)
    if (bits & <uint64_t> 0xFFFFFFFF) < play.explores:
        best = <int> (((bits >> 32) * <uint64_t> lane.n) >> 32)
    return best


cdef bint see(SelfPlay play, board_t *boards, loop_t m, int i, int best) noexcept nogil:
    """What lane i learns from its choice, for every learner; False when there is no memory for it."""
    cdef Lane *lane = &play.lane[i]
    cdef Learner *learner = &play.learner
    cdef int padded = learner.plan.padded
    cdef int row = 8 * i + 4 * lane.bank
    cdef uint32_t *entry
    cdef const board_t *board
    cdef board_t *previous = <board_t *> play.previous + i
    cdef int32_t led            # the reward that led to the learned board
    cdef float value = 0
    if play.values_states:
        board, entry = <const board_t *> boards + i, play.of_state + (2 * i + lane.bank) * padded
        led = lane.reward[best] if play.reward_shift else lane.gained
    else:
        board, entry = <const board_t *> play.after + row + best, play.entry + (row + best) * padded
        led = lane.reward[best]
    if play.start == CAROUSEL:
        note_stage(play, lane, board)
    if play.order == BACKWARD or play.start in (RESTART, MILESTONE):
        if not remember(&lane.path, board, led):
            return False
    if play.keeps_choices:
        value = value_of(learner, entry, m)
        if not remember_choice(&lane.path, <const board_t *> boards + i, value):
            return False
    if play.order == HISTORY:
        observe(learner, &lane.history, board, led, entry, m)
    if play.order == FORWARD:
        if lane.previous != NULL:
            update(learner, <const board_t *> previous, lane.previous, m,
                   <float> led + learner.gamma * value_of(learner, entry, m))
        fetch_step(&learner.step, entry, m)
    lane.previous, previous[0] = entry, board[0]
    return True


cdef inline void note_stage(SelfPlay play, Lane *lane, const board_t *board) noexcept nogil:
    """Keep a board that enters a stage, for games to start there."""
    cdef int stage = stage_of(play.learner.stages, board)
    if stage > lane.stage:
        lane.stage = stage
        enter(&play.carousel, stage, board)


cdef Outcome end_game(SelfPlay play, board_t *boards, loop_t m, int i) noexcept nogil:
    """Learn what is left to learn of lane i's game, write its record, start the next."""
    cdef Lane *lane = &play.lane[i]
    cdef Learner *learner = &play.learner
    cdef float final = <float> lane.gained if is_full(m) and play.values_states and not play.reward_shift else 0
    if play.order == FORWARD and lane.previous != NULL:
        update(learner, <const board_t *> play.previous + i, lane.previous, m, final)
    if is_full(m) and play.order == HISTORY:
        finish(learner, &lane.history, <const board_t *> boards, final, m)
    if play.order == BACKWARD:
        replay_backward(learner, play.tables, &lane.path, <const board_t *> lane.path.board, final, play.last_values,
                        play.variants, play.replay, m)
    if learner.tally.diverged:
        return DIVERGED
    if lane.game == 0:
        lane.record.max_tile = <int32_t> max_tile(play.tables, <const board_t *> boards + i)
        play.block.records[lane.record.episode - play.block.first] = lane.record
    if is_full(m) and play.start != EMPTY and follow_up(play, boards, m, i):
        return RUNNING
    play.block.live -= 1
    play.block.finished += 1
    start_episode(play, boards, m, i)
    return RUNNING


cdef bint follow_up(SelfPlay play, board_t *boards, loop_t m, int i) noexcept nogil:
    """Start the next game of lane i's episode, by the start rule; False when there is none."""
    cdef Lane *lane = &play.lane[i]
    cdef board_t board
    cdef const board_t *path = <const board_t *> lane.path.board
    cdef int64_t at
    lane.game += 1
    if play.start == RESTART:
        at = <int64_t> (<float> (lane.path.n - 1) * play.restart_at)
        if lane.path.n < play.restart_moves or at < 1:      # from the first board on it could go on for ever
            return False
        board = path[at]
    elif play.start == MILESTONE:
        at = last_milestone(play.tables, path, lane.path.n, play.milestone)
        lane.attempts = 1 if at > 0 else lane.attempts + 1
        if at < 0 or lane.attempts > play.attempts:
            return False
        board = path[at]
    else:
        if lane.game >= play.carousel.stages or not take_entered(&play.carousel, lane.game, &lane.chance, &board):
            return False
        lane.stage = lane.game
    if not play.values_states:
        drop(play, &board, lane, m)
    start_game(play, boards, &board, m, i)
    return True
