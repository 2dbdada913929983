"""The modules that the site documents, by package and heading; :mod:`tools.docs.site` makes a page for each."""

from collections.abc import Mapping, Sequence

PACKAGES: Mapping[str, tuple[str, Mapping[str, Sequence[str]]]] = {
    "uno_env": (
        "The game and its environments. `import uno_env` has `Rules`, `Game`, `BatchedGames` and `env`.",
        {
            "Rules and games": [
                "uno_env.rules",
                "uno_env.game",
                "uno_env.batched",
                "uno_env.envs.device_games",
                "uno_env.player",
                "uno_env.text",
            ],
            "Environments": [
                "uno_env.envs.pettingzoo_env",
                "uno_env.envs.gym_env",
                "uno_env.envs.vector_env",
                "uno_env.sb3",
                "uno_env.envs.sb3",
                "uno_env.envs.sb3_player",
            ],
            "Cards, actions, observations, events": [
                "uno_env.cards",
                "uno_env.actions",
                "uno_env.observation",
                "uno_env.history",
                "uno_env.events",
                "uno_env.policy_columns",
                "uno_env.symmetry",
                "uno_env.editions",
                "uno_env.editions.edition",
                "uno_env.editions.classic",
                "uno_env.editions.no_mercy",
                "uno_env.editions.flip",
            ],
            "Looking at games": ["uno_env.render", "uno_env.render.frames", "uno_env.replay", "uno_env.invariants"],
            "Compiled functions and game trees": [
                "uno_env.core.jit.njit",
                "uno_env.core.jit.places",
                "uno_env.core.jit.cuda.requirements",
                "uno_env.core.step",
                "uno_env.core.packed_games",
                "uno_env.core.record",
                "uno_env.extensive_form.game_tree",
            ],
        },
    ),
    "agents": (
        "The players.",
        {
            "Agents": ["agents.loading", "agents.agent", "agents.custom_agents", "agents.zoo.shipped"],
            "Networks": [
                "agents.policy.policy_file",
                "agents.policy.policy_agent",
                "agents.policy.onnx_file",
                "agents.policy.downloaded",
            ],
            "Search": ["agents.search", "agents.search.search_options"],
        },
    ),
    "train": (
        "Learning and measuring. `studies/` is an example of a program that is built from these modules.",
        {
            "Measuring": [
                "train.evaluation.duplicate",
                "train.evaluation.estimate",
                "train.evaluation.luck.meter",
                "train.evaluation.luck.adjusted",
                "train.evaluation.luck.values",
                "train.evaluation.tournament",
                "train.evaluation.scores",
                "train.evaluation.aggregate",
                "train.evaluation.played_by",
                "train.evaluation.exact.measure",
                "train.evaluation.exact.probabilities",
                "train.evaluation.exact.solver",
                "train.common.suite",
                "train.benchmarks.measuring",
                "train.benchmarks.submission",
                "train.benchmarks.submitted_folder",
                "train.benchmarks.checked_scores",
                "train.benchmarks.measured_here",
            ],
            "Training": [
                "train.algorithms.registry",
                "train.runs.callbacks",
                "train.runs.learner",
                "train.runs.run_config",
                "train.algorithms.ppo",
                "train.algorithms.parts.config",
                "train.algorithms.parts.games",
                "train.algorithms.parts.trainer",
            ],
            "Programs of your own": [
                "train.cli.program",
                "train.cli.arguments",
                "train.cli.errors",
                "train.common.options",
                "train.common.processes",
                "train.common.progress",
                "train.common.job",
                "train.common.table",
                "train.plots.style",
            ],
        },
    ),
}
"""For each package its first sentence, and its modules by heading."""

_PARTS: Mapping[str, str] = {
    "uno_env.rules": """.. automodule:: uno_env.rules
   :no-members:
.. autoclass:: uno_env.Rules
.. autodata:: uno_env.rules.validation.RANGES""",
    "uno_env.game": ".. autoclass:: uno_env.Game",
    "uno_env.batched": ".. autoclass:: uno_env.BatchedGames\n   :inherited-members:",
    "uno_env.envs.device_games": ".. autoclass:: uno_env.DeviceGames\n   :inherited-members:",
    "uno_env.envs.pettingzoo_env": """.. autofunction:: uno_env.env
.. autofunction:: uno_env.raw_env
.. autofunction:: uno_env.parallel_env""",
    "uno_env.core.jit.njit": ".. automodule:: uno_env.core.jit.njit\n   :members: njit, njit_with_gil",
    "uno_env.core.step": ".. autofunction:: uno_env.core.step.step",
    "uno_env.core.packed_games": """.. automodule:: uno_env.core.packed_games
   :members: records, rows_of, game_at, whole, copy_game""",
    "uno_env.core.record": ".. autodata:: uno_env.core.record.WENT_OUT",
    "uno_env.extensive_form.game_tree": """.. automodule:: uno_env.extensive_form.game_tree
   :members: GameTree, grow, tree_of, save_tree, load_tree""",
    "agents.search": ".. automodule:: agents.search\n   :imported-members:",
}
"""Directives for the modules of which a page shows only a part."""


def directives(module: str) -> str:
    """The directives of Sphinx's autodoc on the page of a module."""
    return _PARTS.get(module, f".. automodule:: {module}")
