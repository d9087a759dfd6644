"""The base of all widgets: drawn again only when the content changes."""

from textual.widget import Widget

from tdl.terminal.colours import DARK, Colours
from tdl.terminal.view import View


class Part(Widget):
    """Shows a part of a view."""

    view: View | None = None
    grows = False

    @property
    def colours(self) -> Colours:
        """Those of the screen."""
        colours: Colours = getattr(self.app, "colours", DARK)
        return colours

    def show(self, view: View) -> None:
        """Show another view."""
        same = self.view is not None and self.content(view) == self.content(self.view)
        self.view = view
        if not same:
            self.refresh(layout=self.grows)

    def content(self, view: View) -> object:
        """The part of a view that it shows; nothing else changes how it looks."""
        return view
