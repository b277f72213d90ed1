"""The same function on a Dask cluster: same outcomes."""

import os
import signal
from pathlib import Path

import engine_tasks as jobs
import pytest

from corpuskit import engine
from corpuskit.engine import Limits
from corpuskit.errors import ResourceLimitError

FREE = Limits(seconds=None, memory=None)


@pytest.fixture(scope="module")
def client():
    from corpuskit.engine.dask_backend import _local_client

    with _local_client(2) as opened:
        yield opened


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    # Workers find the jobs as they find any module of the user: on their path.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


@pytest.mark.slow
def test_outcomes_come_in_the_order_of_the_items(client):
    outcomes = list(engine.run(jobs.double, range(40), on=client, limits=FREE))
    assert [(outcome.index, outcome.value, outcome.error) for outcome in outcomes] == [
        (i, 2 * i, None) for i in range(40)
    ]


@pytest.mark.slow
def test_a_failure_is_an_outcome_and_the_rest_goes_on(client):
    outcomes = list(engine.run(jobs.fail_on_three, range(6), on=client, limits=FREE))
    assert [outcome.value for outcome in outcomes] == [0, 1, 2, None, 4, 5]
    assert isinstance(outcomes[3].error, ValueError)


@pytest.mark.slow
def test_limits_hold_there_too(client):
    outcomes = list(engine.run(jobs.sleep, [0, 30], on=client, limits=Limits(seconds=1)))
    assert outcomes[0].value == 0
    assert isinstance(outcomes[1].error, ResourceLimitError)


@pytest.mark.slow
def test_an_item_that_kills_its_workers_is_given_up_and_the_others_are_done(client):
    outcomes = list(engine.run(jobs.die_on_three, range(6), on=client, limits=FREE))
    assert [outcome.value for outcome in outcomes] == [0, 1, 2, None, 4, 5]
    assert isinstance(outcomes[3].error, engine.WorkerDiedError)


@pytest.mark.slow
def test_an_item_whose_worker_was_killed_once_is_done(client, tmp_path):
    outcomes = list(engine.run(jobs.die_once, [str(tmp_path / "marker")], on=client, limits=FREE))
    assert outcomes[0].value == "second try"


@pytest.mark.slow
def test_an_error_that_passes_is_tried_three_times(client, tmp_path):
    items = [str(tmp_path / "a")]
    (outcome,) = engine.run(jobs.fail_twice, items, on=client, limits=FREE, retry=(OSError,))
    assert (outcome.value, outcome.tries) == ("third try", 3)


def test_a_caller_that_stops_early_leaves_nothing_under_way(client):
    outcomes = engine.run(jobs.sleep, [0, *([0.2] * 50)], on=client, limits=FREE)
    next(outcomes)
    outcomes.close()
    pids = set(client.run(os.getpid).values())
    assert pids
    assert not any(os.kill(pid, signal.SIGCONT) for pid in pids)  # the cluster lives on
    assert [o.value for o in engine.run(jobs.double, [4], on=client, limits=FREE)] == [8]


def test_a_cluster_of_its_own_is_made_and_ended():
    assert [o.value for o in engine.run(jobs.double, range(3), on="dask", workers=1, limits=FREE)] == [0, 2, 4]


@pytest.mark.timeout(120)
@pytest.mark.slow
def test_a_worker_that_dask_gives_up_is_replaced():
    """It does so with workers that take longer than a timeout to start again; who loses all of them waits for ever."""
    import dask

    from corpuskit.engine.dask_backend import _local_client

    with dask.config.set({"distributed.deploy.lost-worker-timeout": "10ms"}), _local_client(1) as client:
        (pid,) = client.run(os.getpid).values()
        os.kill(pid, signal.SIGKILL)
        assert [o.value for o in engine.run(jobs.double, range(3), on=client, limits=FREE)] == [0, 2, 4]
