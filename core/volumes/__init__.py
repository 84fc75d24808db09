"""Volume queries: cells that volumes touch, then exact tests of what they hold."""

from .api import query, query_any, query_count

__all__ = ["query", "query_any", "query_count"]
