"""The study of the game: questions, what is measured for each, and the pages that tell the answers (``uno study``)."""
