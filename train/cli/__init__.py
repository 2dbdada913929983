"""The command ``uno``: one file a group of commands."""
