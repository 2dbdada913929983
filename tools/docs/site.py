"""What the site shows that is made from the code at each build: :func:`make_pages`, which ``docs/conf.py`` calls."""

import re
from pathlib import Path

from train.evaluation.duplicate import evaluate
from train.evaluation.game_recorder import Recorder
from uno_env.guide import guide
from uno_env.render.page import replay_page
from uno_env.replay import Replay

POLICY, OPPONENT = "zoo:duel-2p", "greedy"


def make_pages(docs: Path) -> None:
    """Write the pages of the rules, and the replay that a page embeds, below ``docs``."""
    (docs / "rules").mkdir(exist_ok=True)
    for name, text in rule_pages().items():
        (docs / name).write_text(text, encoding="utf-8")
    made = docs / "made" / "tutorials"
    made.mkdir(parents=True, exist_ok=True)
    (made / "replay.html").write_text(replay_page(example_replay(), 0), encoding="utf-8")


def rule_pages() -> dict[str, str]:
    """A page for each section of the guide by its file, and ``rules.md``, which lists them."""
    intro, *sections = re.split(r"^(?=##+ \d)", guide(), flags=re.MULTILINE)
    pages, lines = {}, [intro.strip(), ""]
    for section in sections:
        heading, _, text = section.partition("\n")
        number, title = heading.lstrip("# ").split(" ", 1)
        depth = number.count(".")
        if not text.strip():  # a chapter that has sections only
            lines.append(f"- {number} {title}")
            continue
        pages[f"rules/{number}.md"] = f"# {number} {title}\n{text}"
        lines.append(f"{'  ' * depth}- [{number} {title}](rules/{number}.md)")
    names = [Path(name).stem for name in pages]
    tree = ["", "```{toctree}", ":hidden:", "", *(f"rules/{name}" for name in names), "```", ""]
    return pages | {"rules.md": "\n".join(lines + tree)}


def example_replay() -> Replay:
    """A hand of a shipped policy, with what the policy thought."""
    recorder = Recorder(1)
    evaluate(POLICY, OPPONENT, "duel", deals=2, seed=7, recorder=recorder)
    return recorder.replays()[0]
