"""How a study is drawn and frozen: sample, roles, known answers, closing."""
