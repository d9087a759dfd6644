"""What the server answers instead of what was asked: one line, with the status of HTTP that fits."""

from __future__ import annotations

from http import HTTPStatus


class Refusal(Exception):  # noqa: N818 - the server does as it should
    """A request that is not answered; the text goes to whoever asked."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status
