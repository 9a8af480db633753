"""How results are told: facts, tables, pictures. Used by the commands and by the page (`report`)."""
