"""A browser for tests, Chromium driven by its path: one for each process, which ends with it."""

import shutil
from functools import cache
from multiprocessing.util import Finalize

CHROMIUM = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)


class NotHere(Exception):  # noqa: N818 - nothing is wrong
    """What a test needs is not installed."""


@cache
def chromium():
    """The browser; `NotHere` says what is missing."""
    try:
        from playwright import sync_api
    except ImportError as error:
        raise NotHere("the extra browser is not installed") from error
    if CHROMIUM is None:
        raise NotHere("Chromium is not installed")
    playwright = sync_api.sync_playwright().start()
    made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    Finalize(None, playwright.stop, exitpriority=0)
    Finalize(None, made.close, exitpriority=1)  # first
    return made


class Watched:
    """A page that notes all that it must not do.

    Attributes
    ----------
    page : of Playwright; nothing is open yet.
    complaints : errors and warnings of the console, and of scripts; without those of requests that were refused.
    asked : addresses that were asked for.
    """

    def __init__(self, **options):
        self.page, self.complaints, self.asked = chromium().new_page(**options), [], []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._refuse)
        self.page.on("request", lambda request: self.asked.append(request.url))

    def _note(self, message):
        if message.type in ("error", "warning") and "the server responded with a status of 4" not in message.text:
            self.complaints.append(message.text)

    def _refuse(self, dialog):
        self.complaints.append(f"it opened a dialog: {dialog.message}")
        dialog.dismiss()

    def close(self, url):
        """Close it; nothing may have complained, nor asked another address than below `url`."""
        self.page.close()
        assert not self.complaints, self.complaints
        assert self.asked
        assert not [other for other in self.asked if not other.startswith(url)]
