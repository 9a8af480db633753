"""Sets of problems and benchmarks as their publishers ship them, read as records; mappings.toml says how."""
