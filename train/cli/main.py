"""The command ``uno``: which commands there are."""

from collections.abc import Sequence

from train.cli.program import Commands, Program

BENCHMARKS = {
    "run": ("train.cli.benchmarks:Run", "algorithms or policies, on tracks of the frozen suite"),
    "submit": ("train.cli.benchmarks:Submit", "check a policy or scores, and write the file for the leaderboard"),
    "leaderboard": ("train.cli.benchmarks:Leaderboard", "the leaderboard, or a comparison of saved scores"),
    "positions": ("train.cli.benchmarks:Positions", "what an agent's choices cost, in the positions of the suite"),
    "chat": ("train.cli.benchmarks:Chat", "a report on a language model: choices, hands, answers and cost"),
    "exploit": ("train.cli.benchmarks:Exploit", "how much a best response wins against an agent"),
}
COMMANDS: Commands = {
    "train": ("train.cli.training:Train", "train a policy on a config, or resume a run"),
    "sweep": ("train.cli.sweeping:SweepCommand", "search for the hyperparameters of a config"),
    "evaluate": ("train.cli.evaluating:Evaluate", "measure how often an agent wins"),
    "tournament": ("train.cli.evaluating:TournamentCommand", "let agents play each other, and rate them"),
    "play": ("uno_table.commands:Play", "play against agents, in the terminal or in the browser"),
    "me": ("uno_table.commands:Me", "show how well you play against agents, or delete what is kept of it"),
    "replay": ("uno_table.commands:ReplayCommand", "show a saved game, decision by decision"),
    "video": ("uno_table.commands:Video", "write a hand as a moving picture, such as a GIF"),
    "record": ("train.cli.recording:Record", "record hands among agents as data, for imitation and offline learning"),
    "plot": ("train.cli.evaluating:Plot", "draw learning curves and cross tables, as PNG and SVG"),
    "benchmark": (BENCHMARKS, "measure strength, algorithms and exploitability"),
    "solve": ("train.cli.solving:Solve", "solve tiny rules exactly, by predictive CFR+"),
    "exploitability": ("train.cli.solving:Exploitability", "measure how far agents are from an equilibrium"),
    "export": ("train.cli.export:Export", "write a saved policy as an ONNX file, and check that it plays the same"),
    "agents": ("train.cli.lists:Agents", "list the agents"),
    "rules": ("train.cli.lists:RulePages", "show what a rule says, or list the rules"),
}

UNO = Program("uno", "The UNO card game for multi-agent reinforcement learning.", COMMANDS)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    return UNO.main(argv)
