"""A part of the screen, drawn again only when what it shows is another."""

from __future__ import annotations

from textual.widget import Widget

from tdl.terminal.view import View


class Part(Widget):
    """Shows something of a view.

    Attributes
    ----------
    view : that is shown.
    grows : whether its size depends on what it shows.
    """

    view: View | None = None
    grows = False

    def show(self, view: View) -> None:
        """Show another view."""
        same = self.view is not None and self.content(view) == self.content(self.view)
        self.view = view
        if not same:
            self.refresh(layout=self.grows)

    def content(self, view: View) -> object:
        """What it shows of a view; nothing else changes how it looks."""
        return view
