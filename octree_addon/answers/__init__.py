"""Standing answers: kept for the session with their question, and what is done with them.

Read standing and verbs, then question_operator and verb_operators.
"""
