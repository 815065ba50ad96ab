"""The project's own programs: small samples and whole networks, with inputs and eager answers."""
