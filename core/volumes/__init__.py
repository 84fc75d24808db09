"""Volume queries: a descent to the cells that volumes touch, then exact tests of the items."""

from .api import query, query_any, query_count

__all__ = ["query", "query_any", "query_count"]
