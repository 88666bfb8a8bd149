"""Epochs, exactly once: landing, the delta program, one manifest (DESIGN section 2).

In: a batch of rows, or a control request. Out: one committed manifest, and the sinks' output under
its number.
"""
