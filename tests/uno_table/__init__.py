"""Tests of the tables where people play: in plain logic, in the browser, in the terminal."""
