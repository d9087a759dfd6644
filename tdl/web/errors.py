"""Refusals: one line of text with a status of HTTP."""

from http import HTTPStatus


class Refusal(Exception):  # noqa: N818 - the server does as it should
    """A request that is refused; the text goes to the client."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status
