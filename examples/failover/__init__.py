"""Two copies of a query as two processes; one is killed, the merged answers go on."""
