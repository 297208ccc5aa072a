"""The page of a case at which a program fails: what was asked, and what came."""

import pytest

from allotment_conformance.counterexample.picture import failing_case_picture
from allotment_conformance.engines.notation import RUN, case, cluster, host
from allotment_conformance.wire.failure import Ending, Failure

NO_SOLVER = Failure(ending=Ending.ERROR, words="no solver")
GONE = Failure(ending=Ending.CRASH, words="it ended with status 3")


@pytest.mark.parametrize(
    ("asked", "failure", "page"),
    [
        (
            case(cluster()),
            NO_SOLVER,
            """Fails: error: no solver
  The scheduler at the start
    no host
  What happens
    nothing: the case has no event
  The program answers
    an error: no solver""",
        ),
        (
            case(cluster(host("A", 1)), RUN),
            GONE,
            """Fails: crash: it ended with status 3
  The scheduler at the start
    host A: slots 1 free
  What happens
    1 run the session
  What comes of it
    crash: it ended with status 3""",
        ),
    ],
    ids=["only errs", "crashes"],
)
def test_page_says_what_was_asked_and_what_came(
    asked: dict[str, object], failure: Failure, page: str
) -> None:
    assert page == failing_case_picture(asked, failure)
