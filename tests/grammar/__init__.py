"""The grammar: which texts parse, which words are names, what errors say."""
