"""The syntax builder: what the statements of a text become."""
