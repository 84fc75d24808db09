"""Questions of volumes: candidates of a walk, each once, then confirmed."""

from .api import query, query_any, query_count

__all__ = ["query", "query_any", "query_count"]
