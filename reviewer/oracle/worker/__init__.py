"""The process that hosts libswipl: started by exec, forks once per job, and knows nothing of the rest of the
project.
"""
