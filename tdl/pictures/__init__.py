"""Pictures of boards, and the colours of their tiles."""
