"""RLlib: the multi-agent environment, and its own PPO training on it (make test-adapters)."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers import ROOT
from tests.helpers.doors import Door, Seen, verify_door
from tests.helpers.foreign_programs import verify_program_trains
from tests.helpers.pages import run_section
from tests.helpers.playing import lively_action

pytest.importorskip("ray.rllib", reason="RLlib is not installed: make test-adapters", exc_type=ImportError)
from tools.rllib_ppo import POLICY, RLlibConfig, RLlibPPO, environment
from uno_env.rllib import UnoMultiAgentEnv

pytestmark = pytest.mark.adapters
CONFIG = ROOT / "tools" / "configs" / "rllib_duel.yaml"


def checked(env: UnoMultiAgentEnv, seen: dict[str, Any], movers: list[str]) -> None:
    """Fail unless exactly these agents see something, and it is in their space."""
    assert list(seen) == movers
    for agent, observation in seen.items():
        assert env.get_observation_space(agent).contains(observation)
        assert observation["action_mask"].dtype == np.float32
        assert observation["action_mask"].any() == (agent == env.env.agent_selection and not env.env.game.over)


@pytest.mark.parametrize(
    "config",
    [
        {"rules": "duel"},
        {"rules": "house", "players": 5, "history": 3},
        {"rules": "no_mercy", "players": 3, "history": 3},
        {"rules": "flip", "players": 3, "history": 3},
        {"rules": "rlcard", "encoding": "rlcard", "obs_dtype": "uint8"},
    ],
)
def test_a_hand_by_legal_actions(config: dict[str, Any]) -> None:
    env, chance = UnoMultiAgentEnv(config), random.Random(2)
    seen, infos = env.reset(seed=2)
    ended = {"__all__": False}
    while not ended["__all__"]:
        mover = env.env.agent_selection
        checked(env, seen, [mover])
        assert list(infos) == [mover]
        assert infos[mover] == {"points": 0, "winner": -1, "end": 0}
        seen, rewards, ended, cut, infos = env.step({mover: lively_action(env.env.game, chance)})
        assert not cut["__all__"]
        assert ended["__all__"] or not any(rewards.values())
    checked(env, seen, env.possible_agents)
    assert max(rewards.values()) == 1
    assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)
    assert {"winner", "points", "end"} <= set(infos["player_0"])


def test_the_door_is_as_the_page_says() -> None:
    def opened(**rules: Any) -> Door:
        env = UnoMultiAgentEnv(rules)
        told = {"seen": env.reset(seed=1)[0]}

        def seen() -> Any:
            return told["seen"].get(env.env.agent_selection) or env._observe(env.env.agent_selection)

        def step(action: int) -> Any:
            told["seen"], rewards, ended, _, _ = env.step({env.env.agent_selection: action})
            return [rewards.get(agent, 0.0) for agent in env.possible_agents], ended["__all__"]

        return Door(env.env.rules, lambda: {"observation": Seen(seen(), "observations")}, step)

    verify_door("uno_env.rllib.UnoMultiAgentEnv", opened)


def test_a_truncated_hand_shows_everybody_the_end() -> None:
    env = UnoMultiAgentEnv({"rules": {"preset": "duel", "max_decisions": 3}})
    env.reset(seed=1)
    for _ in range(3):
        mover = env.env.agent_selection
        seen, _, ended, cut, _ = env.step({mover: env.env.game.legal_actions()[0]})
    assert (ended["__all__"], cut["__all__"]) == (False, True)
    assert list(seen) == env.possible_agents


def test_an_illegal_action_ends_the_episode_with_minus_one() -> None:
    env = UnoMultiAgentEnv({"rules": "duel"})
    seen, _ = env.reset(seed=1)
    (mover,) = seen
    before = env.env.game.to_json()
    seen, rewards, ended, _, _ = env.step({mover: int(seen[mover]["action_mask"].argmin())})
    assert rewards == {**dict.fromkeys(env.possible_agents, 0.0), mover: -1.0}
    assert ended["__all__"]
    assert env.env.game.to_json() == before


def test_an_action_of_somebody_else_is_refused() -> None:
    env = UnoMultiAgentEnv({"rules": "duel"})
    seen, _ = env.reset(seed=1)
    other = next(agent for agent in env.possible_agents if agent not in seen)
    with pytest.raises(ValueError, match=f"is to move, and there are actions of {other}"):
        env.step({other: 0})


def test_rllibs_own_check() -> None:
    from ray.rllib.utils.pre_checks.env import check_multiagent_environments

    check_multiagent_environments(UnoMultiAgentEnv({"rules": "classic"}))


@pytest.mark.slow
@pytest.mark.parametrize("symmetry", [False, True])
def test_ppo_trains_on_the_config_and_its_policy_is_saved_like_any_other(tmp_path: Path, symmetry: bool) -> None:
    """Two iterations and a resumed one; what was saved computes what RLlib's module does."""
    import torch

    import agents
    from agents.policy.policy_file import load_policy
    from train.algorithms.registry import prepare_training

    short = {
        "folder": str(tmp_path),
        "batch": "256",
        "minibatch_size": "128",
        "games_per_worker": "2",
        "eval_deals": "20",
        "truncated_is_lost": "true",
        "symmetry": str(symmetry).lower(),
    }
    folder = prepare_training(CONFIG, {**short, "total_timesteps": "600", "eval_every": "256"})()
    assert {"config.yaml", "policy.safetensors", "table.json", "metrics.jsonl"} <= {
        file.name for file in folder.iterdir()
    }
    figures = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert len(figures) >= 2
    rates = [line["train/learning_rate"] for line in figures if "train/learning_rate" in line]
    assert rates[0] == 0.001
    assert rates[-1] < 0.6 * rates[0]
    first, card = load_policy(folder / "policy.safetensors")
    assert 500 < card.trained_by["decisions"] <= 600

    learner = _reopened(folder, RLlibPPO)
    chance = random.Random(1)
    full, env = (made({"rules": "duel", "symmetry": symmetry}) for made in (UnoMultiAgentEnv, environment(False)))
    seen, _ = env.reset(seed=1)
    every, _ = full.reset(seed=1)
    (module,) = [learner._algorithm.get_module(POLICY)]
    agent = agents.load(str(folder / "policy.safetensors"))
    compared = 0
    while not env.env.game.over:
        ((mover, observation),) = seen.items()
        batch = {key: torch.from_numpy(value)[None] for key, value in observation.items()}
        with torch.no_grad():
            logits = module.forward_inference({"obs": batch})["action_dist_inputs"][0].numpy()
        mask = observation["action_mask"]
        assert mask[logits.argmax()]
        best = np.sort(logits[mask > 0])[::-1]
        if len(best) == 1 or best[0] - best[1] > 1e-4:
            compared += 1
            assert agent.act(every[mover]["observations"], mask.astype(np.int8)) == logits.argmax()
        action = chance.choice(np.flatnonzero(mask).tolist())
        seen, every = env.step({mover: action})[0], full.step({mover: action})[0]
    assert compared > 10
    learner.__exit__()

    prepare_training(folder, {"total_timesteps": "900"})()
    second, _ = load_policy(folder / "policy.safetensors")
    assert set(second) == set(first)
    assert any((first[name] != second[name]).any() for name in first)


@pytest.mark.parametrize(("threads", "workers", "of_each"), [(1, 0, 1), (2, 0, 2), (1, 1, 1), (4, 2, 2)])
def test_what_plays_and_what_learns_share_the_threads_of_the_config(threads: int, workers: int, of_each: int) -> None:
    import torch

    from train.common.processes import torch_threads

    config = RLlibConfig(threads=threads, workers=workers, games_per_worker=2, batch=64, minibatch_size=32)
    with torch_threads(config.threads), RLlibPPO(config) as learner:
        assert learner._learners(lambda each: torch.get_num_threads()) == [threads]
        playing = learner._algorithm.env_runner_group.foreach_env_runner(
            lambda each: torch.get_num_threads(), local_env_runner=not workers
        )
        assert playing == [of_each] * max(1, workers)


def test_the_network_reads_the_columns_that_vary() -> None:
    """With those that the rules fix, values begin at about -1, and hands under classic rules may never end."""
    from uno_env.policy_columns import policy_columns

    env, full = environment(False)({"rules": "classic"}), UnoMultiAgentEnv({"rules": "classic"})
    seen, every = env.reset(seed=2)[0], full.reset(seed=2)[0]
    for mover, observation in seen.items():
        assert env.observation_spaces[mover].contains(observation)
        columns = policy_columns(full.env.game.rules)
        assert observation["observations"].tolist() == every[mover]["observations"][columns].tolist()


def test_the_heads_begin_near_0() -> None:
    with RLlibPPO(RLlibConfig(threads=1, games_per_worker=2, batch=64, minibatch_size=32)) as learner:
        weights = learner.network.weights()
        assert 0 < np.abs(weights["policy.weight"]).max() < 0.001
        assert 0 < np.abs(weights["value.weight"]).max() < 0.001
        playing = learner._algorithm.get_module(POLICY).pi.parameters()
        assert max(weight.abs().max().item() for weight in playing) < 0.001


def test_truncated_hands_are_lost_by_all_if_asked_for() -> None:
    config = {"rules": {"preset": "house", "max_decisions": 6}, "players": 4, "symmetry": True}
    for lost in (False, True):
        env = environment(lost)(config)
        seen, _ = env.reset(seed=3)
        ended = cut = {"__all__": False}
        while not (ended["__all__"] or cut["__all__"]):
            ((mover, observation),) = seen.items()
            seen, rewards, ended, cut, _ = env.step({mover: int(observation["action_mask"].argmax())})
        assert (ended["__all__"], cut["__all__"]) == (lost, not lost)
        assert rewards == pytest.approx(dict.fromkeys(env.possible_agents, -1 / 3 if lost else 0.0))


def _reopened(folder: Path, learner_class: Any) -> Any:
    """The learner of a run as of its last checkpoint."""
    from train.runs.checkpoint import load_checkpoint
    from train.runs.config import make_config, read_yaml

    learner = learner_class(make_config(RLlibConfig, read_yaml(folder / "config.yaml")))
    learner.set_state(*load_checkpoint(max((folder / "checkpoints").glob("*.safetensors"))))
    return learner


def test_the_code_of_the_page_runs() -> None:
    run_section("docs/howto/libraries.md", "RLlib")


@pytest.mark.slow
def test_the_ppo_whose_curve_the_page_shows_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An iteration takes half a minute."""
    verify_program_trains("PPO (RLlib)", tmp_path, monkeypatch)
