"""Optuna proposes settings: the same ones after any crash, each told once; and what its journal may not be."""

import json
import re
from math import inf, log, nan
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from support.programs import SMALL, inside
from support.sweeps import rows_of

import tdl.results
from tdl.errors import BusyError, ConfigError
from tdl.sweeps.trials import Space, TrialOptions

optuna = pytest.importorskip("optuna", minversion="4", reason="the extra optuna is not installed")

from tdl.sweeps import proposals  # noqa: E402 - it needs Optuna

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "optuna.md"

pytestmark = pytest.mark.extra


def study(folder, number=14, low=0.01):
    words = (f"alpha=interval({low},1)", "lanes=int(interval(1,8))", "learner=td,tc")
    options = TrialOptions(number, "optuna")
    return proposals.Proposals(folder, Space(OverridesParser.create().parse_overrides(list(words)), options))


def value(setting):
    alpha, lanes, learner = setting
    return -(log(float(alpha) / 0.2) ** 2) - 0.01 * float(lanes) + (learner == "tc")


def play(folder, value=value, batch=3, **options):
    """The settings of a study that is played to its end."""
    tuned = study(folder, **options)
    with tuned.locked(batch):
        for trials in tuned.batches():
            for number, setting in trials.items():
                tuned.tell(number, value(setting))
    return tuned.settings()


def lines(folder):
    """What the journal says, but for who wrote it when."""
    text = (folder / proposals.JOURNAL).read_text()
    return [re.sub(r'"(worker_id|datetime_\w+)":"[^"]*"', "", line) for line in text.splitlines()]


def test_a_study_that_was_killed_at_any_moment_goes_on_as_if_nothing_had_been(tmp_path):
    settings = play(tmp_path / "whole")
    journal = (tmp_path / "whole" / proposals.JOURNAL).read_bytes().splitlines(keepends=True)
    assert len(journal) == 2 + 2 * 14  # the study, its batch, and each trial proposed and told
    for end in range(0, len(journal), 3):
        cut = tmp_path / str(end)
        cut.mkdir()
        (cut / proposals.JOURNAL).write_bytes(b"".join(journal[:end]) + journal[end][:40])
        assert play(cut, batch=5 if end > 1 else 3) == settings
        assert lines(cut) == lines(tmp_path / "whole")


def test_it_finds_the_best_and_more_trials_leave_the_first(tmp_path):
    first = play(tmp_path, number=9)
    assert play(tmp_path, number=9) == first
    more = play(tmp_path, number=40)
    assert more[:9] == first
    assert max(map(value, more[20:])) > 0.9
    assert lines(tmp_path)[: 2 + 2 * 9] == lines(tmp_path)[:20]
    assert study(tmp_path, number=3).expected() == first[:3]


def test_what_optuna_hears(tmp_path):
    """A divergence is worse than any score; a trial of which a job failed is tried again, and nothing told twice."""
    scores = iter([1.0, -inf, nan])
    play(tmp_path, lambda _: next(scores), number=3)
    states = [trial.state.name for trial in study(tmp_path).study.trials]
    assert states == ["COMPLETE", "PRUNED", "RUNNING"]
    play(tmp_path, lambda _: 2.0, number=3)
    trials = study(tmp_path).study.trials
    assert [trial.value for trial in trials] == [1.0, None, 2.0]


def test_other_words_are_a_study_of_their_own(tmp_path):
    first, other = play(tmp_path, number=3), play(tmp_path, number=3, low=0.5)
    assert first != other
    assert play(tmp_path, number=3) == first
    assert len(optuna.get_all_study_names(study(tmp_path)._storage())) == 2


def test_looking_writes_nothing_and_one_sweep_at_a_time_proposes(tmp_path, monkeypatch):
    tuned = study(tmp_path)
    assert (tuned.settings(), len(tuned.expected()), [*tmp_path.iterdir()]) == ([], 14, [])
    monkeypatch.setattr(proposals, "PATIENCE", 0.0)
    with tuned.locked(3):
        next(tuned.batches())
        before = lines(tmp_path)
        with pytest.raises(BusyError, match=r"optuna\.log: another process is working"), study(tmp_path).locked(3):
            pass
        assert lines(tmp_path) == before


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b'"op_code":4', b'"op_code":', "cut or corrupt: Optuna cannot read it"),
        (b'"op_code":4', b'"op_code":44', "cut or corrupt: Optuna cannot read it"),
        (b'"params":', b'"params":' + b"[" * 50_000, "cut or corrupt: Optuna cannot read it"),
        (b'"learner":0', b'"learner":7', "cut or corrupt: Optuna cannot read it"),
        (b'"params":{"alpha":', b'"params":{"alpha":1', "trial 0: alpha: "),
        (b'[\\"td\\", \\"tc\\"]', b'[\\"${oc.env:HOME}\\", \\"a b\\"]', "trial 0: learner: "),
    ],
)
def test_a_journal_that_somebody_changed_is_refused(tmp_path, old, new, line):
    play(tmp_path, number=3)
    path = tmp_path / proposals.JOURNAL
    text = path.read_bytes()
    assert old in text
    path.write_bytes(text.replace(old, new))
    with pytest.raises(ConfigError, match=re.escape(line)):
        study(tmp_path).settings()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"proposed together":3', b'"proposed together":"x"'),
        (b'"directions":[2]', b'"directions":[2,2]'),
        (b'"state":1,"values":[', b'"state":1,"values":["x",'),
    ],
)
def test_a_journal_that_optuna_reads_and_cannot_go_on_with_is_refused(tmp_path, old, new):
    play(tmp_path, number=3)
    path = tmp_path / proposals.JOURNAL
    text = path.read_bytes()
    assert old in text
    path.write_bytes(text.replace(old, new))
    with pytest.raises(ConfigError, match=r"optuna\.log: cut or corrupt: Optuna cannot read it"):
        play(tmp_path, number=4)


def test_a_journal_elsewhere_or_too_large_is_refused(tmp_path, monkeypatch):
    play(tmp_path / "a", number=3)
    (tmp_path / proposals.JOURNAL).symlink_to(tmp_path / "a" / proposals.JOURNAL)
    with pytest.raises(ConfigError, match="a link, not a file of the run's own"):
        study(tmp_path)
    monkeypatch.setattr(proposals, "MAX_JOURNAL", 100)
    with pytest.raises(ConfigError, match="more than 100 bytes"):
        study(tmp_path / "a")


def test_a_sweep_races_and_is_told_by_means_over_seeds(tmp_path):
    """The same command again plays nothing, and one with more trials plays these alone."""
    words = ("-m", *SMALL, "episodes=100", "alpha=interval(0.000001,1)", "seeds=3", "race.on=true", "trials.by=optuna",
             "hydra.launcher.cores=2", f"out={tmp_path}")  # fmt: skip
    done = inside(*words, "trials.number=4")
    assert done.returncode == 0, done.stderr
    rows = rows_of(tmp_path)
    scores = {}
    for row in rows:
        scores.setdefault(float(row["alpha"]), []).append(float(row["eval_mean"]))
    assert all(2 <= len(row) <= 3 for row in scores.values())
    journal = [json.loads(line) for line in (tmp_path / proposals.JOURNAL).read_text().splitlines()]
    values = [line["values"][0] for line in journal if line.get("values")]
    assert len(values) == 4
    assert {round(value, 6) for value in values} <= {
        round(sum(row[:seeds]) / seeds, 6) for row in scores.values() for seeds in (2, 3)
    }
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")}
    assert inside(*words, "trials.number=4").returncode == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")} == before
    done = inside(*words, "trials.number=5")
    assert "trials 5 to 5 of 5" in done.stdout
    assert before.items() <= {path: path.stat().st_mtime_ns for path in tmp_path.rglob("result.json")}.items()


@pytest.mark.filterwarnings("ignore")
def test_the_example_of_the_page_finds_a_good_step_size(tmp_path, monkeypatch):
    """It prunes some trials, and what it finds is in the range in which 2x4 learns well."""
    monkeypatch.chdir(tmp_path)
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S) if "optuna" in block]
    names = {}
    exec(code, names)
    found = names["study"]
    states = [trial.state for trial in found.trials]
    assert states.count(optuna.trial.TrialState.PRUNED) >= 3
    assert 0.15 < found.best_params["alpha"] < 0.65
    runs = tdl.results.runs()
    assert len(runs) == 20
    assert (runs["status"] == "interrupted").sum() == states.count(optuna.trial.TrialState.PRUNED)
    assert runs["eval_mean"].max() == found.best_value
