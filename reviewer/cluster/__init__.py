"""Work on many machines. Only ``dask_cluster`` knows dask; the work itself stays plain functions."""
