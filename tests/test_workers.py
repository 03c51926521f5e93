import multiprocessing

import pytest

from agents.learning.workers import Crew, WorkerError


class Echo:
    """Stands for a collector: says what it was asked, and by its index who answered."""

    def __init__(self, index):
        self.index, self.calls = index, 0

    def collect(self, network, decisions, taught):
        if network == "wrong":
            raise ValueError("no such network")
        self.calls += 1
        return self.index, network, decisions, taught

    def get_state(self):
        return {"index": self.index, "calls": self.calls}

    def set_state(self, state):
        self.calls = state["calls"]


@pytest.fixture(params=[1, 2])
def crew(request):
    crew = Crew(request.param, Echo)
    yield crew
    crew.close()
    assert not multiprocessing.active_children()


def test_workers_share_the_decisions_and_answer_in_order(crew):
    for taught in (False, True):
        answers = crew.collect("network", 7, taught)
        share = {1: 7, 2: 4}[len(answers)]
        assert answers == [(index, "network", share, taught) for index in range(len(answers))]


def test_states_come_from_and_go_to_each_worker(crew):
    crew.collect("network", 2)
    states = crew.get_state()
    assert [state["calls"] for state in states] == [1] * len(states)
    crew.set_state([{"calls": 10 + index} for index in range(len(states))])
    assert [state["calls"] for state in crew.get_state()] == [10 + index for index in range(len(states))]


def test_a_workers_error_is_the_learners_error(crew):
    with pytest.raises(ValueError, match="no such network"):
        crew.collect("wrong", 2)


def test_a_dead_worker_is_noticed():
    crew = Crew(2, Echo)
    crew.collect("network", 2)
    multiprocessing.active_children()[0].kill()
    for _ in range(2):
        with pytest.raises(WorkerError, match="died"):
            crew.collect("network", 2)
    crew.close()
