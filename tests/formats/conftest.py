"""What the tests of weight files share."""

import pytest
from support.weight_files import PEER_FILE, converted


@pytest.fixture(scope="package")
def imported(tmp_path_factory):
    """The checkpoint folder of the weight file that TDL2048+ wrote."""
    return converted(PEER_FILE, tmp_path_factory.mktemp("imported") / "net")[0]
