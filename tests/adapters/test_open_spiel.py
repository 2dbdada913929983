"""UNO as a game of OpenSpiel: its own checks, its solvers and its search on it."""

import contextlib
import random

import numpy as np
import pytest

from tests.helpers.interrupts import Stop, at_instruction
from uno_env import Game, Rules

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install -c constraints.txt '.[bench]'")
pytestmark = pytest.mark.adapters

from open_spiel.python.algorithms import (  # noqa: E402
    generate_playthrough,
    get_all_states,
    ismcts,
    mcts,
)
from open_spiel.python.bots import uniform_random  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from uno_env.extensive_form.open_spiel_game import LONGEST_TENSOR, rules_of  # noqa: E402
from uno_env.observation import LAYOUT, OBSERVATION_SIZE, SCALES  # noqa: E402

TINY = "python_uno(rules=mini,deck=r1 r2 r3 b4,hand_size=1,dealer=fixed,dealer_seat=1,voluntary_draw=0,max_decisions=6)"
MERCY = "python_uno(rules=no_mercy,players=2,deck=r1 rda r2 b1 r+2,hand_size=2,mercy=3,max_decisions=3)"
MIXED = "python_uno(rules=mini,deck=r1 r2 b1 b2,hand_size=1,max_decisions=4,voluntary_draw=1)"


def random_state(game, seed: int, decisions: int):
    """A state after a number of random decisions, or the last one before the end."""
    chance = np.random.RandomState(seed)
    state = game.new_initial_state()
    while True:
        if state.is_chance_node():
            moves, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(chance.choice(moves, p=shares)))
            continue
        if decisions == 0:
            return state
        after = state.child(int(chance.choice(state.legal_actions())))
        while after.is_chance_node():
            after.apply_action(after.chance_outcomes()[0][0])
        if after.is_terminal():
            return state
        state, decisions = after, decisions - 1


@pytest.mark.parametrize(
    "name",
    [
        TINY,
        "python_uno(rules=mini)",
        "python_uno(max_decisions=60)",
        "python_uno(rules=house,players=3,max_decisions=40)",
        "python_uno(rules=edition_2018,max_decisions=30)",
        "python_uno(rules=no_mercy,players=3,max_decisions=40)",
    ],
)
def test_openspiels_own_checks_pass(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=True, verbose=False)


def test_long_games_have_no_tensor_of_information_states() -> None:
    duel = pyspiel.load_game("python_uno")
    observer = make_observation(duel, pyspiel.IIGObservationType(perfect_recall=True))
    assert (observer.tensor, observer.dict) == (None, {})
    assert observer.string_from(duel.new_initial_state(), 0) == duel.new_initial_state().information_state_string(0)
    with pytest.raises(ValueError, match=f"at most {LONGEST_TENSOR}"):
        observer.set_from(duel.new_initial_state(), 0)
    assert not duel.get_type().provides_information_state_tensor
    assert pyspiel.load_game(f"python_uno(max_decisions={LONGEST_TENSOR})").get_type().provides_information_state_tensor
    pyspiel.random_sim_test(duel, num_sims=1, serialize=False, verbose=False)


def test_parameters_are_those_of_rules() -> None:
    duel = Rules.preset("duel")
    assert rules_of({}) == duel
    assert rules_of(pyspiel.load_game("python_uno(rules=house,players=5,jump_in=0)").get_parameters()) == Rules.preset(
        "house", players=5, jump_in=False
    )
    given = {"deck": "r1 r2 b1 r6", "hand_size": 1, "six_smackdown": 1, "reflexes": "1 2", "draw": "until_playable"}
    assert rules_of(given) == duel.replace(
        deck="r1 r2 b1 r6", hand_size=1, six_smackdown=True, reflexes=(1, 2), draw="until_playable"
    )


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("python_uno(rules=mni)", "unknown preset 'mni'"),
        ("python_uno(rules=rlcard)", "dialect='rlcard'"),
        ("python_uno(players=11)", "players=11"),
        ("python_uno(mercy=9,six_smackdown=1)", "six_smackdown=True with mercy=9 has no extensive form"),
        ("python_uno(mercy=9,first_card=effects)", "mercy=9 with first_card='effects' has no extensive form"),
        ("python_uno(rules=flip)", "edition='flip' has no extensive form, since chance decides there when a card"),
        ("python_uno(jump_in=2)", "jump_in=2"),
        ("python_uno(reflexes=a b)", "reflexes='a b'"),
    ],
)
def test_a_parameter_that_is_not_allowed_is_named(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pyspiel.load_game(name)


def test_observations_are_ours() -> None:
    game = pyspiel.load_game("python_uno(rules=mini)")
    state = random_state(game, 3, 2)
    seat = state.current_player()
    observation = np.array(state.observation_tensor(seat), np.float32)
    assert observation.shape == (OBSERVATION_SIZE,)
    assert (observation == state.position.observe(seat) * SCALES).all()
    assert state.legal_actions() == state.position.legal_actions()
    assert "hand " in state.observation_string(seat)


@pytest.mark.parametrize("name", [MIXED, MERCY])
def test_equal_tensors_are_equal_texts(name: str) -> None:
    game = pyspiel.load_game(name)
    states = get_all_states.get_all_states(
        game, include_terminals=False, include_chance_states=False, to_string=lambda state: state.history_str()
    )
    for recalls in (True, False):
        observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=recalls))
        texts: dict[tuple[int, bytes], str] = {}
        tensors: dict[str, tuple[int, bytes]] = {}
        for state in states.values():
            seat = state.current_player()
            observation.set_from(state, seat)
            tensor, text = (seat, observation.tensor.tobytes()), observation.string_from(state, seat)
            assert texts.setdefault(tensor, text) == text
            assert tensors.setdefault(text, tensor) == tensor
        assert 10 < len(texts) < len(states)


def test_observers_tell_what_one_player_knows() -> None:
    game = pyspiel.load_game("python_uno(rules=mini)")
    with pytest.raises(ValueError, match="SINGLE_PLAYER"):
        make_observation(
            game, pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
        )
    with pytest.raises(ValueError, match="no parameters"):
        make_observation(game, None, {"planes": 1})


@pytest.mark.parametrize("name", [TINY, "python_uno(rules=house,players=3,max_decisions=12)"])
def test_openspiels_playthrough_writes_a_hand(name: str) -> None:
    text = generate_playthrough.playthrough(name, action_sequence=[], seed=1)
    assert "PublicObservationString() = " in text
    assert "PrivateObservationString(1) = " in text
    assert "IsTerminal() = True" in text


@pytest.mark.parametrize("rules", ["duel", "classic", "house"])
def test_openspiels_playthrough_writes_a_hand_that_may_be_long(rules: str) -> None:
    """Such a hand may take more decisions than a tensor of information states has room for."""
    few = "deck=r1 r2 r3 b4 b5 g1 y2 y3,hand_size=1,players=2,voluntary_draw=0"
    text = generate_playthrough.playthrough(f"python_uno(rules={rules},{few})", action_sequence=[], seed=1)
    assert "InformationStateString(1) = " in text
    assert "InformationStateTensor" not in text
    assert "IsTerminal() = True" in text


@pytest.mark.parametrize("name", ["python_uno(max_decisions=60)", "python_uno(rules=house,players=3,max_decisions=60)"])
def test_public_and_private_parts_make_the_whole(name: str) -> None:
    game = pyspiel.load_game(name)
    nothing, own = pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.SINGLE_PLAYER
    whole, public, private = (
        make_observation(game, pyspiel.IIGObservationType(perfect_recall=False, public_info=told, private_info=secrets))
        for told, secrets in ((True, own), (True, nothing), (False, own))
    )
    for seed in range(8):
        state = random_state(game, seed, seed * 2)
        tensors = [(observer.set_from(state, 0), observer.tensor.copy())[1] for observer in (whole, public, private)]
        if not state.position.is_asked_alone(0):
            assert (tensors[0] == tensors[1] + tensors[2]).all()
            assert not (tensors[1] * tensors[2]).any()
        assert not any(tensors[1][LAYOUT[part].columns].any() for part in ("hand", "known"))
        public.set_from(state, 1)
        assert (public.tensor == tensors[1]).all()
        assert public.string_from(state, 0) == public.string_from(state, 1)
        private.set_from(state, 1)
        assert private.tensor[LAYOUT["hand"].columns].any()


def test_what_one_player_alone_is_asked_is_not_public() -> None:
    """Who could jump in is asked; the others do not see that."""
    game, secrets = pyspiel.load_game("python_uno(rules=house,players=3,max_decisions=200)"), 0
    public = make_observation(
        game, pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    )
    phase = LAYOUT["phase"].columns
    for seed in range(60):
        state = random_state(game, seed, seed)
        seat = state.current_player()
        if state.position.is_asked_alone(seat):
            secrets += 1
            public.set_from(state, seat)
            assert (public.tensor[phase] != state.position.observe(seat)[phase]).any()
    assert secrets > 0


def test_value_of_a_tiny_deck_is_that_found_by_hand() -> None:
    """Four cards r1 r2 r3 b4, one in each hand, one on top, one to draw; the blue 4 is in each place equally often.

    On top: nobody can ever play, 0. In seat 0's hand: it must draw, and seat 1 goes out, −1. In seat 1's hand or in the
    pile: seat 0 goes out at once, +1. So seat 0, which begins, has (0 − 1 + 1 + 1) / 4.
    """
    game = pyspiel.load_game(TINY)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    assert pyspiel.expected_returns(game.new_initial_state(), average, -1, True) == pytest.approx(
        [0.25, -0.25], abs=0.01
    )
    assert pyspiel.exploitability(game, average) < 0.01


@pytest.mark.parametrize("decisions", [0, 3, 8])
def test_resampled_states_look_the_same(decisions: int) -> None:
    game = pyspiel.load_game("python_uno(max_decisions=60)")
    state = random_state(game, decisions, decisions)
    seat = state.current_player()
    sampler = np.random.RandomState(1).random_sample
    others = [state.resample_from_infostate(seat, sampler) for _ in range(5)]
    for other in others:
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.information_state_tensor(seat) == state.information_state_tensor(seat)
        assert other.observation_tensor(seat) == state.observation_tensor(seat)
        assert (other.current_player(), other.legal_actions()) == (seat, state.legal_actions())
        assert other.history() == [], "a past that was not made up would tell of hidden cards"
    assert len({other.information_state_string(1 - seat) for other in others}) > 1
    with pytest.raises(ValueError, match="not to move"):
        state.resample_from_infostate(1 - seat, sampler)


def test_ismcts_plays_duel() -> None:
    game = pyspiel.load_game("python_uno(voluntary_draw=0,max_decisions=60)")
    rollout = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
    search = ismcts.ISMCTSBot(game, rollout, 1.4, 8, random_state=np.random.RandomState(2))
    bots = [search, uniform_random.UniformRandomBot(1, np.random.RandomState(3))]
    chance, state, searched = np.random.RandomState(4), game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            moves, shares = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(chance.choice(moves, p=shares)))
        else:
            player = state.current_player()
            searched += player == 0
            state.apply_action(bots[player].step(state))
    assert searched > 2
    assert sum(state.returns()) == 0


def test_a_state_is_a_game_of_ours() -> None:
    state = pyspiel.load_game("python_uno(rules=mini,dealer=fixed)").new_initial_state()
    game = Game(Rules.preset("mini", dealer="fixed"), deck="r1 b1 rs b2 r2")
    for card in ("r1", "b1", "rs", "b2", "r2"):
        state.apply_action(state.string_to_action(pyspiel.PlayerId.CHANCE, card))
    assert (state.current_player(), state.legal_actions()) == (game.to_move, game.legal_actions())
    state.apply_action(game.legal_actions()[0])
    game.step(game.legal_actions()[0])
    assert (state.position.observe(0) == game.observe(0, "uint8")).all()


def _told(state, player: int) -> dict[str, object]:
    """All that the observers of a player tell of a state, by the kind of observer."""
    one, nobody = pyspiel.PrivateInfoType.SINGLE_PLAYER, pyspiel.PrivateInfoType.NONE
    kinds = {"all": (True, one), "private": (False, one), "public": (True, nobody)}
    told = {}
    for name, (public, private) in kinds.items():
        for recall in (False, True) if name == "all" else (False,):
            kind = pyspiel.IIGObservationType(perfect_recall=recall, public_info=public, private_info=private)
            observer = make_observation(state.get_game(), kind)
            observer.set_from(state, player)
            told[f"{name}, {recall}"] = (observer.tensor.tobytes(), observer.string_from(state, player))
    return told


def test_no_observer_tells_who_was_asked_to_jump_in() -> None:
    """Both other players can jump in, or the second alone, or nobody: who is not asked sees the same."""
    name = (
        "python_uno(rules=classic,players=3,hand_size=2,dealer=fixed,dealer_seat=2,jump_in=1,uno_call=automatic,"
        "first_card=number,deck=r5 r5 r5 b1 b2 b3 y1 y2 r9 g1 g2,max_decisions=40)"
    )
    states = []
    for dealt in ("r5 r5 r5", "r5 y1 r5", "r5 y1 y2"):
        state = pyspiel.load_game(name).new_initial_state()
        for move in (*f"{dealt} b1 b2 b3 r9".split(), "r5"):
            legal = [state.action_to_string(state.current_player(), action) for action in state.legal_actions()]
            state.apply_action(state.legal_actions()[legal.index(move)])
        states.append(state)
    both, second, nobody = states
    assert [state.current_player() for state in states] == [1, 2, 1]
    for one, other, player in ((both, second, 2), (both, second, 0), (second, nobody, 0), (second, nobody, 1)):
        assert _told(one, player) == _told(other, player)


def _shown(state) -> list[str]:
    return [str(state), str(state.history()), str(state.legal_actions()), str(state.returns())]


def test_an_interrupted_move_was_done_or_was_not() -> None:
    chance, game = random.Random(0), pyspiel.load_game("python_uno(max_decisions=60)")
    for decisions in range(20):
        state = random_state(game, 7, decisions)
        action = chance.choice(state.legal_actions())
        after, interrupted = state.clone(), state.clone()
        with at_instruction(0) as count:
            after.apply_action(action)
        with contextlib.suppress(Stop), at_instruction(1 + chance.randrange(count[0])):
            interrupted.apply_action(action)
        assert _shown(interrupted) in (_shown(state), _shown(after))
