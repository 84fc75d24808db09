"""Answers: one record for all questions, kept in one place, and what is done with them.

Read rows, result_kind, folds and groups, answer, view, kept; then standing, view3d and verbs,
asking, question_operator and verb_operators.
"""
