import subprocess
import sys
import time
from pathlib import Path

import engine_tasks as jobs
import pytest

from corpuskit import engine
from corpuskit.engine import workers
from corpuskit.errors import ConfigurationError, ResourceLimitError


@pytest.mark.parametrize("on", ["serial", "processes"])
def test_outcomes_come_in_the_order_of_the_items(on):
    outcomes = list(engine.run(jobs.double, range(100), on=on, workers=2))
    assert [outcome.value for outcome in outcomes] == [2 * i for i in range(100)]
    assert [outcome.index for outcome in outcomes] == list(range(100))


@pytest.mark.parametrize("on", ["serial", "processes"])
def test_a_failure_is_an_outcome_and_the_rest_goes_on(on):
    outcomes = list(engine.run(jobs.fail_on_three, range(6), on=on, workers=2))
    assert [outcome.value for outcome in outcomes] == [0, 1, 2, None, 4, 5]
    assert isinstance(outcomes[3].error, ValueError)


def test_an_item_over_its_time_is_a_failure_and_its_worker_is_replaced():
    limits = engine.Limits(seconds=0.5)
    start = time.monotonic()
    outcomes = list(engine.run(jobs.sleep, [0, 30, 0], on="processes", workers=1, limits=limits))
    assert time.monotonic() - start < 15
    assert [outcome.value for outcome in outcomes] == [0, None, 0]
    assert isinstance(outcomes[1].error, ResourceLimitError)
    assert outcomes[1].tries == 1


def test_an_item_over_its_memory_is_a_failure():
    limits = engine.Limits(memory=1024**3)
    outcomes = list(engine.run(jobs.allocate, [10, 2 * 1024**3], on="processes", workers=1, limits=limits))
    assert outcomes[0].value == 10
    assert isinstance(outcomes[1].error, ResourceLimitError)


def test_an_item_that_kills_its_worker_is_tried_three_times_then_a_failure():
    outcomes = list(engine.run(jobs.die, [1], on="processes", workers=1))
    assert isinstance(outcomes[0].error, engine.WorkerDiedError)
    assert outcomes[0].tries == 3
    assert "SIGKILL" in str(outcomes[0].error)


def test_an_item_that_kills_its_worker_is_done_another_way_the_last_time():
    outcomes = list(engine.run(jobs.die_on_three, range(5), on="processes", workers=2, last=jobs.double))
    assert [outcome.value for outcome in outcomes] == [0, 1, 2, 6, 4]
    assert [outcome.tries for outcome in outcomes] == [1, 1, 1, 3, 1]


def test_an_item_whose_worker_was_killed_once_is_done(tmp_path):
    outcomes = list(engine.run(jobs.die_once, [str(tmp_path / "marker")], on="processes", workers=1))
    assert outcomes[0].value == "second try"
    assert outcomes[0].tries == 2


def test_workers_are_recycled(monkeypatch):
    monkeypatch.setattr(workers, "_MAX_CALLS", 2)
    engine.close_idle_workers()
    pids = [outcome.value for outcome in engine.run(jobs.pid, range(6), on="processes", workers=1)]
    assert len(set(pids)) == 3


def test_an_error_that_cannot_be_pickled_is_told_all_the_same():
    outcome = next(iter(engine.run(jobs.raise_unpicklable, [1], on="processes", workers=1)))
    assert "UnpicklableError: 1 2" in str(outcome.error)


def test_a_caller_that_stops_early_leaves_only_idle_workers():
    outcomes = engine.run(jobs.pid, range(1000), on="processes", workers=2)
    pid = next(outcomes).value
    outcomes.close()
    engine.close_idle_workers()
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{pid}").exists()


def test_items_are_taken_only_as_they_are_needed():
    taken = []

    def endless():
        i = 0
        while True:
            taken.append(i)
            yield i
            i += 1

    outcomes = engine.run(jobs.double, endless(), on="processes", workers=1)
    assert next(outcomes).value == 0
    outcomes.close()
    assert len(taken) < 100


def test_a_script_without_main_guard_can_use_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from operator import neg\nfrom corpuskit import engine\n"
        "print([o.value for o in engine.run(neg, range(3), on='processes', workers=2)])\n"
    )
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert result.stdout == "[0, -1, -2]\n"


def test_one_call_runs_in_a_kept_worker():
    assert engine.call(jobs.pid, None) == engine.call(jobs.pid, None)
    with pytest.raises(ValueError, match="three"):
        engine.call(jobs.fail_on_three, 3)


def test_a_call_that_kills_its_worker_raises_and_the_next_one_works():
    with pytest.raises(ResourceLimitError):
        engine.call(jobs.die, None)
    assert engine.call(jobs.double, 4) == 8


def test_an_unknown_engine_is_refused():
    with pytest.raises(ConfigurationError, match="on='cluster'"):
        engine.run(jobs.double, [], on="cluster")


@pytest.mark.parametrize("on", ["serial", "processes"])
@pytest.mark.slow
def test_an_error_that_passes_is_tried_three_times(on, tmp_path):
    items = [str(tmp_path / "a")]
    (outcome,) = engine.run(jobs.fail_twice, items, on=on, workers=1, retry=(OSError,))
    assert (outcome.value, outcome.tries) == ("third try", 3)
    (outcome,) = engine.run(jobs.fail_twice, [str(tmp_path / "b")], on=on, workers=1)
    assert isinstance(outcome.error, OSError)
    assert outcome.tries == 1


def test_a_worker_that_holds_too_much_memory_is_replaced(monkeypatch):
    monkeypatch.setattr(workers, "_MAX_IDLE_MEMORY", 1)
    engine.close_idle_workers()
    pids = [outcome.value for outcome in engine.run(jobs.pid, range(3), on="processes", workers=1)]
    assert len(set(pids)) == 3


def test_a_worker_is_kept_in_place_of_those_of_an_earlier_job(monkeypatch):
    monkeypatch.setattr(workers.os, "cpu_count", lambda: 1)
    engine.close_idle_workers()
    others = engine.call(jobs.pid, 0, limits=engine.Limits(memory=3 * 1024**3))
    limits = engine.Limits(memory=2 * 1024**3)
    pids = {engine.call(jobs.pid, i, limits=limits) for i in range(3)}
    assert len(pids) == 1
    assert others not in pids
    engine.close_idle_workers()
