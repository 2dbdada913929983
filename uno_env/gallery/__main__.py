"""Write the pictures anew: ``python -m uno_env.gallery``."""

from uno_env.gallery import FOLDER, pictures

for name, text in pictures().items():
    (FOLDER / name).write_text(text + "\n", encoding="utf-8")
    print(FOLDER / name)
