"""Two plans of one query race, and the merge of both tells whoever is behind what to skip."""
