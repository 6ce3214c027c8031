"""Questions: which missing value would tell most about the class of a record."""

from fuzzyucs.questions.next_question import Candidate, NextQuestion, Reply

__all__ = ["Candidate", "NextQuestion", "Reply"]
