"""What cameras see over a shot; read in this order: seen, memory."""

from .memory import forget, get, keep, objects_of
from .seen import Seen, Subject, intervals

__all__ = ["Seen", "Subject", "forget", "get", "intervals", "keep", "objects_of"]
