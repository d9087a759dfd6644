"""Play and watch in a browser: `tdl serve checkpoint=FOLDER`. All keys: `conf/serve.yaml`."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path

from omegaconf import MISSING, DictConfig

from tdl.base.checks import above_zero, check_fields, flag, whole
from tdl.cli.folders import say_small
from tdl.cli.program import run_program
from tdl.config.compose import Schema, keys, options_of
from tdl.errors import Interrupted, TdlError, refuse
from tdl.players.kinds import SMALL, is_small
from tdl.runs.interrupts import Interrupts
from tdl.storage.run_folder import OUTPUTS, SWEEP, RunFolder
from tdl.sweeps.job import JobContext
from tdl.web.library import Library, Refusal
from tdl.web.server import Server, check_loopback
from tdl.web.site import Site


@dataclass(frozen=True)
class ServeOptions:
    """What is served, where, and to how many."""

    checkpoint: str | None = MISSING
    folder: str = MISSING
    host: str = MISSING
    port: int = whole(MISSING, least=0, most=(1 << 16) - 1)
    sessions: int = whole(MISSING, least=1, most=1000)
    seconds: float = above_zero(MISSING, most=60.0)  # that a page may have to wait for a move
    open: bool = flag(MISSING)

    def __post_init__(self) -> None:
        check_fields(self)
        check_loopback("host", self.host)
        folder = Path(self.folder)
        if not folder.is_dir() and self.folder != OUTPUTS:  # where nothing was trained there is none
            raise refuse("folder", self.folder, "a folder that is there; all in it may be read, and nothing else")
        if self.checkpoint is not None and not is_small(self.checkpoint):
            path = Path(self.checkpoint).resolve()
            if not path.is_relative_to(folder.resolve()):
                expected = f"one below folder, {folder}; add {RunFolder(path.parent).word('folder')}"
                raise refuse("checkpoint", self.checkpoint, expected)


SCHEMA = Schema(__name__, keys(ServeOptions))


def job(cfg: DictConfig, _: JobContext) -> None:
    """Check everything, then serve until a signal comes."""
    options = options_of(ServeOptions, "", SCHEMA.read(cfg))
    with Server(site(options), options.host, options.port) as server:
        say_small(options.checkpoint)
        serve(server, options)


def site(options: ServeOptions) -> Site:
    """The site, with the checkpoint that is shown first; that of a sweep begins with the sweep."""
    library = Library(Path(options.folder))
    first = options.checkpoint or SMALL
    first = first if is_small(first) else library.name(Path(first).resolve())
    shows_sweep = options.checkpoint is None and (library.folder / SWEEP).is_file()
    served = Site(library, first, options.sessions, options.seconds, "." if shows_sweep else None)
    try:
        served.agents.get(first)
    except Refusal as error:  # a link that leads out of the folder
        raise TdlError(f"checkpoint: {error}") from error
    return served


def serve(server: Server, options: ServeOptions) -> None:
    """Answer until a signal comes."""
    with Interrupts("now") as interrupts:
        print(f"serving {options.folder} at {server.url}  (Ctrl-C ends it)", flush=True)
        if options.open:
            webbrowser.open(server.url)
        while not interrupts.requested:
            server.handle_request()
        raise Interrupted("stopped", 128 + interrupts.requested)


def main() -> None:
    """The command `tdl serve`."""
    run_program("serve", job, SCHEMA, alone="a server is no sweep; start it without")
