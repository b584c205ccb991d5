"""Prolog, in worker processes.

The way in is :func:`reviewer.oracle.pool.run`. The process that runs programs (:mod:`reviewer.oracle.worker`)
imports nothing of this package but itself, so this file stays empty of imports.
"""
