"""Open questions about biases, dialogues that scripts stage, and the detection of a bias in a text."""
