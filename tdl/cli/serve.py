"""Play and watch in a browser: `tdl serve checkpoint=FOLDER`. All keys: `conf/serve.yaml`."""

import webbrowser
from pathlib import Path

from omegaconf import DictConfig

from tdl.cli.program import run_program
from tdl.config import serve as serve_config
from tdl.config.serve import ServeConfig
from tdl.errors import Interrupted, TdlError
from tdl.runs.interrupts import Interrupts
from tdl.sweeps.job import JobContext
from tdl.web.errors import Refusal
from tdl.web.library import Library
from tdl.web.server import Server, check_loopback
from tdl.web.site import Site


def job(cfg: DictConfig, _: JobContext) -> None:
    """Check everything, then serve until a signal comes."""
    settings = serve_config.read(cfg)
    check_loopback("host", settings.host)
    with Server(site(settings), settings.host, settings.port) as server:
        serve(server, settings)


def site(settings: ServeConfig) -> Site:
    """The site, with the checkpoint that is shown first."""
    library = Library(Path(settings.folder))
    first = settings.checkpoint and library.name(Path(settings.checkpoint).resolve())
    served = Site(library, first, settings.sessions, settings.seconds)
    if first is not None:
        try:
            served.agents.get(first)
        except Refusal as error:  # a link that leads out of the folder
            raise TdlError(f"checkpoint: {error}") from error
    return served


def serve(server: Server, settings: ServeConfig) -> None:
    """Answer until a signal comes."""
    with Interrupts("now") as interrupts:
        print(f"serving {settings.folder} at {server.url}  (Ctrl-C ends it)", flush=True)
        if settings.open:
            webbrowser.open(server.url)
        while not interrupts.requested:
            server.handle_request()
        raise Interrupted("stopped", 128 + interrupts.requested)


def main() -> None:
    """The command `tdl serve`."""
    run_program("serve", job, ServeConfig, alone="a server is no sweep; start it without")
