"""The one reader of answers. Protocols name its version; the reader itself loads when a reply is read.

A reply is read in this order: words and their roles (`reply_tokens`, `roles`), statements (`statements`),
clauses that give reasons, concede or set conditions (`clauses`), choices that are named (`mentions`), for or
against each choice (`statement_polarity`), what a statement decides (`statement_result`), and which statement
decides the reply (`deciding_statement`, `reply_decision`). `certainty` lists doubts that leave it undecided.
"""

from typing import Final

READER_VERSION: Final = 20
"""Raised whenever the reader may read a reply otherwise than before."""
