"""Mutation operators: new statements from one statement, without Lean."""
