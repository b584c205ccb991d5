"""Checks that events fit their study, that counts match their signatures, and that a store is whole."""
