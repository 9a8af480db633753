"""Running a benchmark: attempts are drawn, kept, judged and repaired, and a run that was stopped goes on."""
