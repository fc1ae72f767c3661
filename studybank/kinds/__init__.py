"""The kinds of question, one module each. To add a kind, write its module and name it here."""

from studybank.kinds.compute import Compute
from studybank.kinds.edge_case import EdgeCase
from studybank.kinds.spot_the_error import SpotTheError
from studybank.kinds.true_false import TrueFalse
from studybank.kinds.why import Why
from studybank.model import Question

KINDS: dict[str, type[Question]] = {
    "true-false": TrueFalse,
    "spot-the-error": SpotTheError,
    "why": Why,
    "edge-case": EdgeCase,
    "compute": Compute,
}
