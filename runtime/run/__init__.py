"""Running a program: sessions, triggers, control epochs, the command line of an emitted program.

In: a program and RunOptions. Out: a Summary, and an exit status.
"""
