"""What provers learn from: records, sources, store, deduplication, decontamination, length filter, exports."""
