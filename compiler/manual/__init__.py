"""The manual: a page for every error, warning and rewrite.

In: a code (`RF2005`) or the name of a rewrite (`narrow`). Out: its page, with what the compiler
says today about the page's example. Pages are files in `pages/`; RF9xxx, what is not available yet,
share one text.
"""

from .book import everything
from .page import DECLARATIONS, Page, known, page
from .shown import shown

__all__ = ["DECLARATIONS", "Page", "everything", "known", "page", "shown"]
