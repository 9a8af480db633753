"""What a problem means: read from English or Lean, written as either, compared."""
