"""The cost model: figures by hand."""
