"""Chunks: cells by budget, anchored to the world, what they hold, and how densely."""

from .api import Chunks, chunks, chunks_steps

__all__ = ["Chunks", "chunks", "chunks_steps"]
