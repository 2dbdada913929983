"""A lower bound on the exploitability of the shipped policies: ``python -m tools.exact_curves.zoo [NAME ...]``.

Each policy is attacked as by ``uno benchmark exploit zoo:NAME``. The figures are saved beside those of the pages, with
a digest of the weights that were attacked, and model cards (:mod:`tools.zoo`) tell them of the same weights alone.
Beside them stands the *recovery*: which share of the true exploitability the attack finds on tiny decks, where that is
known. The same command goes on where it stopped.
"""

import argparse
from pathlib import Path
from typing import Any

from agents.zoo.shipped import KIND, shipped, track_rules
from tools.exact_curves.page import recovery
from tools.exact_curves.runs import FIGURES
from tools.ladder import REPORT_SEED
from train.benchmarks.exploit import default_folder, measure
from train.benchmarks.measuring import code_version
from train.benchmarks.plans import ExploitPlan
from train.evaluation.played_by import player_digest
from uno_env.common.files import read_json, write_json

SAVED = FIGURES / "exploited.json"
KEPT = ("gain", "low", "high", "deals", "decisions", "seconds", "begun_as", "seed")


def attack(name: str, decisions: int, deals: int) -> dict[str, Any]:
    """Attack a shipped policy, or resume the attack. Returns the values to save."""
    spec, rules = f"{KIND}:{name}", track_rules(name)
    plan = ExploitPlan(spec, rules, decisions, deals, seed=REPORT_SEED)
    found = measure(plan, default_folder(f"{spec}-{player_digest(spec)}-{decisions}", rules))
    code = {each: code_version()[each] for each in ("commit", "date")}
    return {**{each: found[each] for each in KEPT}, "budget": decisions, "digest": player_digest(spec), **code}


def section(name: str, saved: Path = SAVED) -> str:
    """A model card's section on a policy's exploitability."""
    figures = (read_json(saved) if saved.exists() else {}).get(name)
    if figures is None or name not in shipped() or figures["digest"] != player_digest(f"{KIND}:{name}"):
        return f"Not measured for these weights (`python -m tools.exact_curves.zoo {name}` does it)."
    gain, low, high = (100 * figures[each] for each in ("gain", "low", "high"))
    begun = "a copy of the policy" if figures["begun_as"].startswith(KIND) else "random weights"
    text = (
        f"`uno benchmark exploit {KIND}:{name} --decisions {figures['budget']} --deals {figures['deals']} --seed "
        f"{figures['seed']}`: the attacker, begun as {begun}, won {gain:+.1f} points above its share (95 % interval "
        f"{low:+.1f} to {high:+.1f}). This is a lower bound; code of {figures['commit']} ({figures['date']})."
    )
    found = recovery(figures["budget"])
    if found is None:
        return f"{text} What share of the true exploitability an attack of this size finds is not known."
    middle, least, most = (f"{100 * each:.0f} %" for each in found)
    return (
        f"{text} On tiny decks, an attack with as many decisions finds {middle} of the true exploitability of networks "
        f"(median; {least} to {most}). Rules like these are far larger, so here it may find less."
    )


def main() -> None:
    """Read the command line and attack."""
    parser = argparse.ArgumentParser(prog="python -m tools.exact_curves.zoo", description=__doc__)
    parser.add_argument("names", nargs="*", default=shipped(), help="shipped policies, without zoo: (default: all)")
    parser.add_argument("--decisions", type=int, default=1_000_000, help="that each attacker trains for")
    parser.add_argument("--deals", type=int, default=5_000, help="that each attacker is measured on")
    chosen = parser.parse_args()
    for name in chosen.names:
        figures = attack(name, chosen.decisions, chosen.deals)
        write_json(SAVED, {**(read_json(SAVED) if SAVED.exists() else {}), name: figures})
        print(f"{name}: {section(name)}", flush=True)


if __name__ == "__main__":
    main()
