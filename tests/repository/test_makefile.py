"""What `make` would do, in an environment that only looks like one."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def dry(venv):
    done = subprocess.run(["make", "-n", "build", f"VENV={venv}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_build_puts_the_modules_of_the_clone_in_the_place_of_an_installed_copy(tmp_path):
    """Which `pip install '.[play]'` leaves there."""
    packages = tmp_path / "lib" / "python3.11" / "site-packages"
    packages.mkdir(parents=True)
    for stamp in (".tools", ".built"):
        (tmp_path / stamp).touch()
    assert "pip install -q --no-compile --no-deps --no-build-isolation -e ." in dry(tmp_path)
    (packages / "__editable__.tdl_ntuple-0.1.0.pth").touch()
    assert "Nothing to be done" in dry(tmp_path)
