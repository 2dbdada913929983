"""The study of the game: questions, what is measured for each, and the pages that tell the answers.

Run it from a checkout: ``python -m studies luck``. It uses the documented modules of the packages alone.
"""
