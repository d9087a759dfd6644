"""The server and the page that show games in a browser."""
