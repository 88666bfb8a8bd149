"""Examples, each a folder with a README, `.cql` files and a script that prepares its data."""
