"""The parts of the workbench, where an author changes a case and sees at once what that changes."""
