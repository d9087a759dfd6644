"""The source distribution is the same for the same commit, whoever makes it and when."""

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.extra
@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="needs the repository")
def test_two_of_one_commit_are_the_same(tmp_path):
    digests = set()
    for mask in (0o022, 0o077):
        copy = tmp_path / f"{mask:o}"
        words = [sys.executable, "setup.py", "-q", "sdist", "-d", str(copy / "made")]
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True, umask=mask)
        built = os.environ | {"TDL_BUILT": "1"}
        subprocess.run(words, cwd=copy, env=built, check=True, capture_output=True, umask=mask)
        (path,) = (copy / "made").iterdir()
        digests.add(sha256(path.read_bytes()).hexdigest())
    assert len(digests) == 1
