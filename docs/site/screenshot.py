"""Draws docs/serve.png, the picture in README: `python docs/site/screenshot.py outputs/4x6 0 2000`.

After `tdl sweep tuples=4x6 learner=td,tc alpha=0.5 seeds=2 episodes=20000 out=outputs/4x6`; it takes the extra
`browser` and Chromium. The numbers: which agent of the list plays, and how many moves.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tdl.web.library import Library
from tdl.web.server import Server, in_background
from tdl.web.site import Site

OUT = Path(__file__).parents[1] / "serve.png"

FAST = 8
"""The last step of the slider of speeds."""


def main(folder: str, run: int, moves: int) -> None:
    """Let an agent play so many moves, and take a picture."""
    library = Library(Path(folder))
    site = Site(library, library.entries()[run]["name"], 8, 1.0)
    with in_background(Server(site, "127.0.0.1", 0)) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 1200, "height": 800})
        page.goto(server.url)
        page.wait_for_selector(".entry .curve path")
        page.eval_on_selector("#speed", f"e => {{ e.value = {FAST}; e.dispatchEvent(new Event('input')); }}")
        page.click("#play")
        while int((page.text_content("#moves") or "0").replace(",", "")) < moves and page.is_hidden("#board .end"):
            page.wait_for_timeout(50)
        if page.is_hidden("#board .end"):
            page.click("#play")
        page.wait_for_timeout(500)  # the curve follows
        page.screenshot(path=OUT)
        chromium.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
