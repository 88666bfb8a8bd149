"""What is committed and what time it is: manifests, intents, the clock, progress.

In and out: small JSON documents in the checkpoint, through pyarrow.fs.
"""
