"""Streams: a classifier for river, and alarms when a stream drifts. They need the extra `river`."""

from fuzzyucs.streams.alarms import EvidenceAlarm
from fuzzyucs.streams.classifier import StreamClassifier

__all__ = ["EvidenceAlarm", "StreamClassifier"]
