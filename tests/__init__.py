"""The proof of Reflow: what it computes is compared with evaluators that share no code with it."""
