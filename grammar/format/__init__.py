"""The formatter: the text of a `.cql` file comes in, the same tokens in house style go out.

`words` cuts a text into words with their comments, `roles` and `groups` read from the parse tree
what a word is and where lines may break, `layout` decides which of them do, `formatter` puts the
statements together and checks that nothing but blanks and the case of keywords has changed.
"""
