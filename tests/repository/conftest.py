"""Makes the tools of the experiments importable, which are no part of the package."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
