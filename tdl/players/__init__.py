"""Who plays: trained networks, players without values, and many games at once."""
