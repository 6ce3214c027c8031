"""Ways to decide: how a fitted model gets from rules that match to labels, evidence and reasons."""

from fuzzyucs.decisions.decision import Answer, Decision
from fuzzyucs.decisions.dempster_shafer import DempsterShafer
from fuzzyucs.decisions.entry import Entry
from fuzzyucs.decisions.first_vote import FirstVote
from fuzzyucs.decisions.profiled import Profiled
from fuzzyucs.decisions.single_winner import SingleWinner
from fuzzyucs.decisions.stepwise import StepwiseDempsterShafer
from fuzzyucs.decisions.vote import Vote
from fuzzyucs.decisions.weighted import Weighted

__all__ = [
    "Answer",
    "Decision",
    "DempsterShafer",
    "Entry",
    "FirstVote",
    "Profiled",
    "SingleWinner",
    "StepwiseDempsterShafer",
    "Vote",
    "Weighted",
]
