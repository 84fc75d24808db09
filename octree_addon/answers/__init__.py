"""Answers: one record for all questions, one store for all answers, and actions on answers.

Reading order: rows, result_kind, folds and groups, answer, view, kept; then standing, view3d and
verbs, asking, question_operator and verb_operators.
"""
