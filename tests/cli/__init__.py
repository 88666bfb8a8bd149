"""The command line, without Spark: arguments in; exit status, stdout and stderr out."""
