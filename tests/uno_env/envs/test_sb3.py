"""uno_env/envs/sb3.py and the partial steps of BatchedGames that it stands on."""

import gymnasium
import numpy as np
import pytest
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

import agents
from uno_env import IllegalActionError, Rules
from uno_env.envs.sb3 import UnoVecEnv
from uno_env.observation import LAYOUT, SCALES, integer_form

pytestmark = pytest.mark.adapters

SHORT = Rules.preset("duel", hand_size=2, max_decisions=40)


def play(env, steps):
    """What steps return to a learner that plays as greedy does."""
    agent, returned = agents.load("greedy"), [(env.reset(),)]
    for _ in range(steps):
        returned.append(env.step(agent.act_batch(returned[-1][0], env.action_masks().astype(np.uint8))))
    return returned[1:]


def test_spaces_shapes_and_types():
    env = UnoVecEnv(5, "duel", ["random"])
    obs = env.reset()
    assert obs.shape == (5, *env.observation_space.shape)
    assert obs.dtype == env.observation_space.dtype == np.float32
    masks = env.action_masks()
    assert masks.shape == (5, env.action_space.n)
    assert masks.dtype == bool
    obs, rewards, dones, infos = env.step(masks.argmax(axis=1))
    assert env.observation_space.contains(obs[0])
    assert rewards.dtype == np.float32
    assert dones.dtype == bool
    assert [len(part) for part in (obs, rewards, dones, infos)] == [5, 5, 5, 5]


def test_seed_and_reset_begin_again():
    env = UnoVecEnv(4, "duel", ["greedy"])
    env.seed(7)
    first = env.reset()
    assert (env.reset() != first).any()
    env.seed(7)
    assert (env.reset() == first).all()


def test_after_a_seed_the_course_is_that_of_a_new_environment_with_it():
    """The opponents' chance included."""
    env = UnoVecEnv(6, SHORT, ["random"], seed=1)
    play(env, 10)
    assert env.seed(7) == list(range(7, 13))
    again, fresh = play(env, 25), play(UnoVecEnv(6, SHORT, ["random"], seed=7), 25)
    for ours, theirs in zip(again, fresh, strict=True):
        assert all((mine == other).all() for mine, other in zip(ours[:3], theirs[:3], strict=True))


@pytest.mark.parametrize(
    "options",
    [{"rules": Rules(players=3, hand_size=2)}, {"rules": Rules(players=4, hand_size=2, max_decisions=60), "seat": 1},
     {"rules": SHORT, "illegal_action": "penalty", "illegal_reward": -0.5}],
)  # fmt: skip
def test_rewards_and_observations_are_those_of_gymnasiums_view(options):
    """Which is compared with PettingZoo's; here hands end on others' moves as well, and some are cut off."""
    options = {"illegal_action": "raise", **options, "opponents": ["random-play"]}
    ours = UnoVecEnv(20, **options, seed=3)
    theirs = gymnasium.make_vec("uno_env/Uno-v0", 20, **options, autoreset_mode="SameStep")
    obs, (expected, infos) = ours.reset(), theirs.reset(seed=3)
    ended = 0
    for number in range(40):
        assert (obs == expected).all()
        assert (ours.action_masks() == infos["action_mask"]).all()
        actions = infos["action_mask"].argmax(axis=1)
        if options["illegal_action"] == "penalty":
            actions[number % 20] = infos["action_mask"][number % 20].argmin()
        obs, rewards, dones, told = ours.step(actions)
        expected, gained, terminations, truncations, infos = theirs.step(actions)
        assert (rewards == gained).all()
        assert (dones == (terminations | truncations)).all()
        assert [bool(info) for info in told] == dones.tolist()
        for game in np.flatnonzero(dones):
            assert (told[game]["terminal_observation"] == infos["final_obs"][game]).all()
            assert told[game]["TimeLimit.truncated"] == truncations[game]
            for name in ("is_success", "winner", "points", "end"):
                assert told[game][name] == infos["final_info"][name][game]
        ended += dones.sum()
    assert ended > 20


@pytest.mark.parametrize("history", [0, 3])
def test_the_mask_can_be_a_part_of_the_observation(history):
    env = UnoVecEnv(5, SHORT, mask_in_observation=True, history=history)
    obs = env.reset()
    seen = 0
    for _ in range(40):
        assert set(obs) == {"observation", "action_mask"} | ({"history"} if history else set())
        assert (obs["action_mask"] == env.action_masks()).all()
        assert env.observation_space.contains({part: rows[0] for part, rows in obs.items()})
        obs, _, dones, infos = env.step(obs["action_mask"].argmax(axis=1))
        for game in np.flatnonzero(dones):
            last = infos[game]["terminal_observation"]
            assert env.observation_space.contains(last)
            assert not last["action_mask"].any()
            seen += 1
    assert seen > 5


def test_vec_normalize_normalises_observations_and_rewards():
    env = VecNormalize(VecMonitor(UnoVecEnv(8, SHORT)), gamma=1.0, clip_obs=1e9)
    obs = env.reset()
    ended = 0
    for _ in range(60):
        obs, _, dones, infos = env.step(np.stack(env.env_method("action_masks")).argmax(axis=1))
        for game in np.flatnonzero(dones):
            original = integer_form(env.unnormalize_obs(infos[game]["terminal_observation"]))
            assert original[LAYOUT["hand"].columns].sum() == original[LAYOUT["hand_sizes"].start]
            ended += 1
    assert ended > 5
    assert env.get_original_obs().shape == obs.shape
    assert set(env.get_original_reward()) <= {-1.0, 0.0, 1.0}


def test_observations_stay_as_they_were_returned():
    env = UnoVecEnv(4, "duel", ["random-play"])
    first = env.reset()
    kept = first.copy()
    env.step(env.action_masks().argmax(axis=1))
    assert (first == kept).all()


def test_opponents_sit_by_place_to_the_learners_left():
    class Noting:
        def __init__(self):
            self.seats = set()

        def act_batch(self, obs, masks):
            asking = env.tables[0]._lists[self.place, : len(obs)]
            self.seats.update(env.tables[0]._games["to_move"][asking].tolist())
            return masks.argmax(axis=1)

    opponents = [Noting(), Noting()]
    for place, opponent in enumerate(opponents, 1):
        opponent.place = place
    env = UnoVecEnv(6, Rules(players=3), opponents, seat=1)
    env.reset()
    for _ in range(10):
        env.step(env.action_masks().argmax(axis=1))
    assert opponents[0].seats == {2}
    assert opponents[1].seats == {0}


def test_lists_of_opponents_share_the_games():
    """Games of each list are those of an environment of its own."""
    lists = [["greedy", "random-play"], ["random"], ["greedy"]]
    env = UnoVecEnv(7, Rules(players=3), lists, seed=5)
    assert [games.num_games for games in env.tables] == [3, 2, 2]
    assert [len(games.opponents.agents) for games in env.tables] == [2, 1, 1]
    seeds = env._table_seeds(5)
    assert len(set(seeds)) == 3
    alone = [
        UnoVecEnv(size, Rules(players=3), opponents, seed=seed)
        for size, opponents, seed in zip((3, 2, 2), lists, seeds, strict=True)
    ]
    assert (env.reset() == np.concatenate([each.reset() for each in alone])).all()
    ended = 0
    for _ in range(60):
        actions = env.action_masks().argmax(axis=1)
        observations, rewards, dones, infos = env.step(actions)
        parts = [each.step(chosen) for each, chosen in zip(alone, np.split(actions, [3, 5]), strict=True)]
        assert (observations == np.concatenate([part[0] for part in parts])).all()
        assert (rewards == np.concatenate([part[1] for part in parts])).all()
        assert [info.get("winner") for info in infos] == [info.get("winner") for part in parts for info in part[3]]
        assert [bool(info) for info in infos] == dones.tolist()
        ended += int(dones.sum())
    assert ended > 5
    assert env.decisions == sum(each.decisions for each in alone)


def test_games_continue_from_a_saved_state():
    """The state of the opponents' random generators is not part of it: they begin anew in both."""
    first, second = (UnoVecEnv(6, SHORT, [["greedy"], ["random"]], seed=seed) for seed in (1, 2))
    first.reset()
    for _ in range(10):
        first.step(first.action_masks().argmax(axis=1))
    second.set_state(first.get_state())
    for games in (*first.tables, *second.tables):
        games.opponents.reset(7)
    assert (second.reset() == first.observe()).all()
    for _ in range(20):
        ours, theirs = (env.step(env.action_masks().argmax(axis=1)) for env in (first, second))
        assert all((one == other).all() for one, other in zip(ours[:3], theirs[:3], strict=True))
    with pytest.raises(ValueError, match="the state does not fit"):
        UnoVecEnv(8, SHORT, [["greedy"], ["random"]]).set_state(first.get_state())


def test_an_illegal_action_is_refused_and_nothing_stepped():
    env = UnoVecEnv(3, "duel", ["greedy"])
    before = env.reset()
    actions = env.action_masks().argmax(axis=1)
    actions[1] = env.action_masks()[1].argmin()
    with pytest.raises(IllegalActionError, match="illegal in game 1: legal are"):
        env.step(actions)
    assert (env.tables[0].rows * SCALES == before).all()


def test_maskable_ppo_trains_on_it():
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    env = VecMonitor(UnoVecEnv(8, SHORT, ["random-play"]))
    assert is_masking_supported(env)
    env.reset()
    assert (get_action_masks(env) == env.env_method("action_masks")).all()
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=64, n_epochs=1, policy_kwargs={"net_arch": [16]})
    model.learn(2 * 8 * 32)
    assert model.num_timesteps == 2 * 8 * 32
    assert len(model.ep_info_buffer) > 5
    assert {episode["r"] for episode in model.ep_info_buffer} <= {1.0, -1.0, 0.0}
    assert 0 <= np.mean(model.ep_success_buffer) <= 1


def test_attributes_as_sb3_asks_for_them():
    env = UnoVecEnv(3, "duel", ["greedy"])
    assert env.render_mode is None
    assert env.get_attr("rules") == [env.rules] * 3
    assert env.get_attr("rules", [1]) == [env.rules]
    assert env.has_attr("action_masks")
    assert not env.has_attr("shoe_size")
    with pytest.raises(AttributeError):
        env.get_attr("shoe_size")
    env.set_attr("note", 5)
    assert env.get_attr("note", 0) == [5]
    with pytest.raises(ValueError, match="'note' cannot be set for games 1 alone"):
        env.set_attr("note", 6, 1)
    assert env.get_attr("note", [0, 1]) == [5, 5]
    assert [row.shape for row in env.env_method("action_masks", indices=[2, 0])] == [env.action_masks()[0].shape] * 2
    assert env.env_is_wrapped(object) == [False] * 3
    env.close()
