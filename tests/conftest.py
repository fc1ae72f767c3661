import pytest
from banks import Checker


@pytest.fixture(scope="session")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    return Checker(tmp_path_factory.mktemp("store"))
