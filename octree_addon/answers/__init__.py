"""Standing answers: kept for the session with their question, and what is done with them.

Read standing, view3d and verbs, then question_operator and verb_operators.
"""
