"""The algebra on the ground floor: elements, weights, intervals, points.

In: frames of rows. Out: frames with the engine's columns. No folder of ours is imported here.
"""
