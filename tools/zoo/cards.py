"""The description of a shipped policy, in Markdown, from its file and its measurements: :func:`model_card`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from agents.policy.policy_file import PolicyCard, Weights, load_policy
from agents.zoo import shipped as zoo
from agents.zoo.shipped import KIND, shipped_file, track_named, track_rules
from tools.exact_curves import zoo as attacks
from tools.ladder import REPORT_SEED
from tools.zoo import hand_length
from train.common.table import MarkdownTable
from uno_env.common.files import write_text
from uno_env.rules import Rules

OWN_RULES = "It plays the rules that it was trained for, and is refused others unless `any_rules=1` is given."
ALL_RULES = (
    "It plays by all rules, and was trained on official decks and 2 to 10 players. Below is one table; `python -m "
    "tools.all_rules zoo:{name}` measures it at many."
)
LIMITS = (
    "{deals} The intervals say how far other deals would move the win rates, not how "
    "another training run would do, nor how it fares against opponents that are not in the table.",
    "It is no equilibrium: whoever trains against it alone can gain on it (`uno benchmark exploit zoo:{name}`).",
    "It has seen games {company}. What it assumes of others may be wrong for people.",
)


def write_cards() -> list[Path]:
    """Write the model card of every shipped policy anew. Returns the files."""
    cards = []
    for file in map(shipped_file, zoo.shipped()):
        cards.append(file.with_suffix(".md"))
        write_text(cards[-1], model_card(file))
    return cards


def measure_lengths(names: Sequence[str]) -> list[Path]:
    """Measure the length of shipped policies' hands, and write their model cards. Returns the policies' files."""
    files = [shipped_file(name) for name in names or zoo.shipped()]
    for file in files:
        hand_length.measure(file, file.stem)
        write_text(file.with_suffix(".md"), model_card(file))
    return files


def model_card(file: Path) -> str:
    """Describe a shipped policy in Markdown, from its card and the saved attacks on it."""
    weights, card = load_policy(file)
    name, rules, made = file.stem, track_rules(file.stem), dict(card.trained_by)
    preset = "classic" if name == zoo.GENERAL else track_named(name)[0]
    own = f"`{preset}`, {rules.players} players"
    company = opponents_text(made.get("config", {}))
    plays = "by all rules" if card.random_rules else f"`{preset}` with {rules.players} players"
    facts = {
        "rules": f"all; measured here: {own}" if card.random_rules else own,
        "algorithm": f"`{made.get('algorithm', 'unknown')}`",
        "trained for": f"{training(made)}, evaluations included",
        "processor": made.get("cpu", "unknown"),
        "cores": made.get("cores", made.get("threads", "unknown")),
        "command": "<br>".join(f"`{line}`" for line in made.get("commands", ())) or "unknown",
        "edited": made.get("edited", ""),
        "network": _network(file, weights, card),
        "measured with": f"code of {made.get('commit') or 'unknown'} ({made.get('date') or 'unknown date'})",
    }  # fmt: skip
    parts = [
        f"# {KIND}:{name}",
        f'`agents.load("{KIND}:{name}")` plays {plays}. This page is made from the file\'s own card by '
        "`python -m tools.zoo cards`.",
        "\n".join(["| | |", "| --- | --- |", *(f"| {row} | {value} |" for row, value in facts.items() if value)]),
        "## Strength",
        _strength(card, rules),
        "## Length of hands",
        hand_length.markdown(hand_length.saved(name)),
        "## Exploitability",
        attacks.section(name),
        "## Limits",
        "\n".join(
            f"- {limit.format(name=name, company=company, deals=_deals(card))}"
            for limit in (ALL_RULES if card.random_rules else OWN_RULES, *LIMITS)
        ),
        "## Config",
        "```yaml\n" + yaml.safe_dump(made.get("config", {}), sort_keys=False, allow_unicode=True) + "```",
    ]
    return "\n\n".join(parts) + "\n"


def _deals(card: PolicyCard) -> str:
    """Tell whether the deals of a card's table are others than those that the policy was chosen on."""
    seeds = {line["seed"] for line in card.evaluation}
    if seeds <= {REPORT_SEED}:
        return f"The win rates are those of the deals of seed {REPORT_SEED:,}; the policy was chosen on others."
    return "The policy was chosen on the deals of this table, so its win rates may be a little lower on others."


def opponents_text(config: Mapping[str, Any]) -> str:
    """Tell which opponents a policy was trained with."""
    if config.get("league_share") == 1 and not config.get("league_size"):
        members = config.get("league_scripted") or [config.get("opponent")]
        return f"with {' and '.join(f'`{member}`' for member in members)} alone"
    return "among its own kind"


def training(made: Mapping[str, Any]) -> str:
    """The length of a policy's training, from its card."""
    if "decisions" not in made or "seconds" not in made:
        return "unknown"
    began = ", begun with a saved policy" if made.get("config", {}).get("initial_policy") else ""
    return f"{made['decisions']:,} decisions in {made['seconds'] / 60:.1f} minutes{began}"


def _network(file: Path, weights: Weights, card: PolicyCard) -> str:
    number = sum(array.size for array in weights.values())
    kind = "float16" if card.trained_by.get("half") else "float32"
    layers = ", ".join(str(size) for size in card.hidden)
    return (
        f"{len(card.columns)} columns of the observation, hidden layers of {layers}, {len(card.actions)} "
        f"actions and a value; {number:,} weights as {kind}, {file.stat().st_size / 1e6:.2f} MB"
    )


def _strength(card: PolicyCard, rules: Rules) -> str:
    if not card.evaluation:
        return "Not measured."
    first = card.evaluation[0]
    table = "a table of each" if rules.players > 2 else "each"
    title = (
        f"Win rates against {table}, playing greedily, on duplicate deals, each played from every seat; seed "
        f"{first['seed']}. Par is {first['par']:.0%}."
    )
    rows = [
        [
            f"`{line['opponent']}`",
            f"{line['win_rate']:.1%}",
            f"{100 * line['low']:.1f}–{100 * line['high']:.1f}",
            f"{line['deals']:,}",
        ]
        for line in card.evaluation
    ]
    return MarkdownTable(title, ("against", "win rate", "95 % interval", "deals"), rows).markdown()
