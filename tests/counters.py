"""Counting what reaches the exact tests: the proof that no item is looked at twice."""

import numpy as np


class PairsTested:
    """The pairs of question and entry that exact tests were asked about, in order."""

    def __init__(self):
        self.questions, self.entries = [], []

    def watch(self, test):
        """Return the same test, but noted; its questions may be any part of a batch."""

        def noted(items, entries, volumes, numbers):
            self.questions.append(volumes.rows[:, numbers])
            self.entries.append(entries)
            return test(items, entries, volumes, numbers)

        return noted

    def counts(self, volumes):
        """How often each pair was tested: sorted keys, question and entry, and their counts."""
        rows = np.concatenate([volumes.rows[:, :0], *self.questions], axis=1)
        both = np.concatenate((volumes.rows, rows), axis=1)
        names = np.unique(both, axis=1, return_inverse=True)[1].ravel()
        asked, tested = names[: len(volumes)], names[len(volumes) :]
        assert len(np.unique(asked)) == len(volumes), "questions must differ to be told apart"
        number = np.empty(len(volumes), int)
        number[asked] = np.arange(len(volumes))
        entries = np.concatenate([np.empty(0, int), *self.entries])
        return np.unique(np.stack((number[tested], entries)), axis=1, return_counts=True)
