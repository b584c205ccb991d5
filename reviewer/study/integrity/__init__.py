"""Whether events fit their study, counts match their signatures, and a store is whole."""
