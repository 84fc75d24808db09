"""Volume queries: candidates of the descent, each once, then exact tests."""

from .api import query, query_any, query_count

__all__ = ["query", "query_any", "query_count"]
