"""Runs of `tdl run` from its configuration on, without Hydra, which takes most of the time of a small one."""

import contextlib
import dataclasses
import io
import traceback
from pathlib import Path
from types import SimpleNamespace

import pytest

import tdl.cli.run
from support.programs import result
from tdl.cli.messages import explain
from tdl.config.setup import Setup
from tdl.runs import environment
from tdl.storage.run_folder import RunFolder
from tdl.sweeps.job import JobContext


class BareRun:
    """Starts of one run: anew while there is no checkpoint, else resumed.

    Parameters
    ----------
    config : as `result.json` of a run with Hydra has it.
    figures : whether the curve is drawn.
    """

    def __init__(self, config, *, figures=False):
        self.setup, self.figures = Setup.of(config), figures

    def start(self, folder):
        """Do the job in `folder`: exit code and the line of an error, as the program would end."""
        folder = Path(folder)
        goes_on = RunFolder(folder).has_checkpoint()
        setup = dataclasses.replace(self.setup, resume=str(folder) if goes_on else None)
        words = [f"episodes={setup.episodes}"] if goes_on else []
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()):
            patch.setattr(tdl.cli.run, "Setup", SimpleNamespace(of=lambda _: setup))
            patch.setattr(tdl.cli.run, "chosen_names", lambda *_: {})
            patch.setattr(environment, "_commit", lambda: (None, None))
            with contextlib.redirect_stderr(io.StringIO()):
                try:
                    tdl.cli.run.job(None, JobContext(folder, words), figures=self.figures)
                except Exception as error:
                    code, line = explain(error, True)
                    return code, line or "".join(traceback.format_exception(error))
        return 0, ""


def whole_result(folder):
    """What `result.json` says of a finished run but for what was measured with a clock."""
    content = result(folder)
    figures = {key: value for key, value in content.get("evaluation", {}).items() if "second" not in key}
    return {key: content[key] for key in ("status", "episodes", "moves", "weights")} | {"evaluation": figures}
