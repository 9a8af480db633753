"""The tests of Pythagoras, one folder for what each needs."""
