"""Values that a run refuses: the message names the key, the value, what is allowed, and a near name.

Trusts the options whose own tests are beside them: of each section here are the kinds of mistakes that no other test
has, and one by which its keys are seen to be named.
"""

import pytest

from tdl.config.setup import Setup
from tdl.errors import ConfigError

REFUSED = [
    # words of the command line, what the message must say
    ("alpha=nan", ["alpha: nan is not allowed", "above 0"]),
    ("alpha=inf", ["alpha: inf is not allowed", "at most"]),
    ("gamma=2", ["gamma: 2.0 is not allowed", "from 0 to 1"]),
    ("learner.order=backwards", ["learner.order: 'backwards' is not allowed", "did you mean 'backward'"]),
    (
        "search.seconds=1",
        ["search.seconds: 1.0 is not allowed", "unless search.plies, evaluate.plies or"],
    ),
    ("learner.step=coherant", ["learner.step: 'coherant' is not allowed", "did you mean 'coherent'"]),
    ("learner.td_lambda=1.5", ["learner.td_lambda: 1.5 is not allowed", "from 0 to 1"]),
    ("learner.td_lambda=1 learner.order=forward", ["learner.td_lambda: 1.0 is not allowed", "order=backward"]),
    ("learner.td_lambda=.9999 learner.order=delayed", ["learner.td_lambda: 0.9999 is not allowed", "at most 4096"]),
    ("learner.td_lambda=.5 learner.n_step=2", ["learner.n_step: 2 is not allowed", "learner.td_lambda=0"]),
    ("learner.order=delayed learner.n_step=2", ["learner.n_step: 2 is not allowed", "backward or forward"]),
    ("learner.n_step=0", ["learner.n_step: 0 is not allowed", "from 1 to 4096"]),
    ("learner.target=states", ["learner.target: 'states' is not allowed", "did you mean 'state'"]),
    ("learner.epsilon=2", ["learner.epsilon: 2.0 is not allowed", "from 0 to 1"]),
    ("alpha_per=entries", ["alpha_per: 'entries' is not allowed", "did you mean 'entry'"]),
    ("learner.schedule=halfing:5", ["learner.schedule: 'halfing:5' is not allowed", "halving:EPISODES"]),
    ("learner.schedule=[[5]]", ["learner.schedule: [5] is not allowed", "list of episode:alpha"]),
    ("learner.fixed_share=1.5", ["learner.fixed_share: 1.5 is not allowed", "from 0 to 1"]),
    ("learner.stages=[512,256]", ["learner.stages: [512, 256] is not allowed", "ascending"]),
    ("learner.stage_downgrade=13", ["learner.stage_downgrade: 13 is not allowed", "learner.stages is empty"]),
    ("learner.promotion_share=0.5", ["learner.promotion_share: 0.5 is not allowed", "learner.stages is empty"]),
    ("learner.stages=[64] learner.promotion=false learner.promotion_share=0.5", ["where learner.promotion=false"]),
    ("learner.start=carousel", ["learner.start: 'carousel' is not allowed", "learner.stages is empty"]),
    ("learner.restart_at=0", ["learner.restart_at: 0.0 is not allowed", "above 0 and at most 1"]),
    ("learner.start=restarts", ["learner.start: 'restarts' is not allowed", "did you mean 'restart'"]),
    ("learner.target=state learner.expectation=shared learner.stages=[64]", ["learner.expectation: 'shared'"]),
    ("learner.reward_shift=true", ["learner.reward_shift: True is not allowed", "learner.target=state"]),
    ("learner.stored_value=true learner.order=forward", ["learner.stored_value: True", "learner.order=backward"]),
    ("learner.running_value=true learner.order=forward", ["learner.running_value: True", "learner.order=backward"]),
    ("learner.running_value=true learner.step=coherent", ["learner.running_value: True", "learner.step=coherent"]),
    ("learner.rechoose=true learner.target=state", ["learner.rechoose: True", "learner.target=afterstate"]),
    ("learner.clear_last=none", ["learner.clear_last: 'none' is not allowed; expected false, afterstate or state"]),
    ("learner.clear_last=state learner.target=state", ["learner.clear_last: 'state'", "learner.target=afterstate"]),
    ("learner.update_symmetries=false learner.target=state", ["learner.update_symmetries: False is not allowed"]),
    ("threads=0", ["threads: 0 is not allowed", "from 1 to 256"]),
    ("learner.initial_value=nan", ["learner.initial_value: nan is not allowed"]),
    ("tuples.cells=[[0,1,16]]", ["tuples.cells: cell 16 of [0, 1, 16]", "0 to 15"]),
    ("tuples.orders=[[[0,1],[15,16]]]", ["tuples.orders: cell 16 of [15, 16] is not on the board", "0 to 15"]),
    ("tuples.counts=[[0,1,2,3,4,5,6,7,8]]", ["tuples.counts", "134,217,728 entries", "at most 16,777,216"]),
    ("tuples.count_cap=17", ["tuples.count_cap: 17 is not allowed", "1 to 16"]),
    ("tiles.drop=[[1,0.5],[2,0.4]]", ["tiles.drop: the probabilities sum to 0.9"]),
    ("tiles.drop=[[1,75],[3,25]]", ["tiles.drop: 75 is not allowed", "above 0 and at most 1"]),
    ("tiles.drop=[[1,0.75],[16,0.25]]", ["tiles.drop: 16 is not allowed", "1 to 15", "did you mean 4, the index of"]),
    ("tiles.drop=[1,2]", ["tiles.drop: 1 is not allowed", "pairs [tile index, probability]"]),
    ("tiles.start=[drop,doubled]", ["tiles.start: 'doubled' is not allowed", "from 1 to 15, or drop"]),
    ("game.name=20488", ["game.name: '20488' is not allowed", "did you mean '2048'"]),
    ("size=6x6", ["size: '6x6' is not allowed", "ROWSxCOLS from 2x2 to 5x5", "did you mean '5x5'?"]),
    ("size=5x5", ["cells of 4x6 are numbered on a 4x4 board, and size is 5x5", "(5x5_4x6)", "tuples.board=null"]),
    ("tuples=2x3_full", ["the cells of 2x3_full are numbered on a 2x3 board, and size is 4x4", "4x6"]),
    ("tuples=8x6_order_count size=3x3 tuples.cells=[[0,1]]", ["the cells of 8x6_order_count", "(3x3_2x6)"]),
    ("size=2x3 tuples.cells=[[0,1,6]]", ["tuples.cells: cell 6 of [0, 1, 6]", "0 to 5 of a 2x3 board"]),
    ("tuples.board=4x6 size=5x5", ["tuples.board: '4x6' is not allowed", "did you mean '4x5'?"]),
    ("engine=arrays", ["engine: 'arrays' is not allowed", "bits or array", "did you mean 'array'"]),
    ("episodes=-5", ["episodes: -5 is not allowed", "at least 0"]),
    ("block=0", ["block: 0 is not allowed", "at least 1"]),
    ("seed=-1", ["seed: -1 is not allowed", "at least 0"]),
    ("lanes=0", ["lanes: 0 is not allowed", "1 to 64"]),
    ("save.moves=[5,3]", ["save.moves: [5, 3] is not allowed", "in ascending order"]),
    ("save.moves=[0]", ["save.moves: 0 is not allowed"]),
    ("save.moves=5", ["save.moves: 5 is not allowed"]),
    ("save.final=never", ["save.final: 'never' is not allowed; expected true, false or auto"]),
    ("save.keep=0", ["save.keep: 0 is not allowed", "at least 1"]),
    ("evaluate.episodes=-1", ["evaluate.episodes: -1 is not allowed", "at least 0"]),
    ("placer.kind=adversry", ["placer.kind: 'adversry' is not allowed", "did you mean 'adversary'"]),
    ("placer.depth=2", ["placer.depth: 2 is not allowed", "1 unless placer.kind=adversary"]),
]


@pytest.mark.parametrize(("words", "telling"), REFUSED, ids=[words for words, _ in REFUSED])
def test_the_message_says_what_is_wrong(composed, words, telling):
    with pytest.raises(ConfigError) as refused:
        Setup.of(composed(*words.split()))
    assert not [part for part in telling if part not in str(refused.value)], str(refused.value)
