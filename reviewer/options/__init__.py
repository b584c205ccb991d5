"""The options of every command, each written once: the command line and the forms of the app take them.

``reviewer study new`` has its options in ``StudyNewOptions`` of ``reviewer/options/study.py``. Nothing here
imports a package, since a help page needs only these classes.
"""
