"""What tests of benchmarks share."""

import pytest

from tdl.cli.bench import main


@pytest.fixture
def bench(capsys):
    """What `tdl bench WORDS` prints."""

    def run(*words):
        main(list(words))
        return capsys.readouterr().out

    return run
