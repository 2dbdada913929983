"""The tree in arrays: that of the positions, with the same information states; what does not fit is refused."""

import random
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from tests.uno_env.extensive_form.test_position import OUTCOMES, SHORT_AND_LONG
from train.common.random_rules import random_switches
from uno_env import Rules
from uno_env.actions import NUM_ACTIONS
from uno_env.extensive_form import game_tree
from uno_env.extensive_form.game_tree import GameTree, grow, load_tree, save_tree, tree_key, tree_of
from uno_env.extensive_form.position import ExtensiveForm, Position

MIXED = Rules.preset("mini", deck="r1 r2 b1 b2 w", hand_size=1, voluntary_draw=True, max_decisions=3)
THREE = Rules.preset("mini", players=3, deck="r1 r1 r2 b1 b2 b2 w", hand_size=1, uno_call="declared", max_decisions=6)
CARDS = ["r1", "r2", "b1", "b2", "g1", "r+2", "b+2", "rs", "br", "r0", "b7", "r6", "b6", "w", "w+4", "wcu", "wd1"]


def decisions(position: Position, share: float = 1.0) -> Iterator[tuple[Position, float]]:
    """The positions of a tree where a seat decides, and their probability if all play uniformly."""
    if position.is_chance:
        for move, each in position.chance_moves():
            yield from decisions(position.move(move), share * each)
    elif not position.over:
        yield position, share
        legal = position.legal_actions()
        for action in legal:
            yield from decisions(position.move(action), share / len(legal))


def tiny_rules(seed: int, most: int = 1500) -> tuple[Rules, GameTree]:
    """Random rules with a small tree, with two players or three, and the tree."""
    rng = random.Random(seed)
    while True:
        players = 2 + seed % 2
        values = {
            **random_switches(rng), "players": players, "dealer_seat": rng.randrange(players), "dialect": "official",
            "hand_size": rng.choice((1, 1, 2)), "deck": " ".join(rng.choices(CARDS, k=rng.randrange(4, 8))),
            "max_decisions": rng.randrange(2, 6), "reflexes": rng.choice(((), (1, 2, 3)[:players])),
        }  # fmt: skip
        try:
            tree = grow(Rules.from_dict(values), memory=30_000_000)
        except ValueError:
            continue  # a deck too small for its table, or a tree too large
        if 40 < tree.nodes < most and tree.counts.max() > 1:
            return tree.rules, tree


def verify_states(tree: GameTree) -> int:
    """See to it that the tree's information states are those of the positions, one to one; how many there are."""
    texts: dict[int, str] = {}
    for position, _ in decisions(ExtensiveForm(tree.rules).root):
        seat, state = position.to_move, tree.find(position)
        text = f"{seat} {position.information_state(seat)}"
        assert texts.setdefault(state, text) == text
        first, last = tree.first[state : state + 2]
        assert tree.actions[first:last].tolist() == position.legal_actions()
        assert tree.seats[state] == seat
        assert (tree.observations(state, state + 1)[0] == position.observe(seat)).all()
    assert len(set(texts.values())) == len(texts) == len(tree)
    return len(texts)


@pytest.mark.parametrize("name", [each for each in SHORT_AND_LONG if each.values != ("shuffled",)])
def test_information_states_are_those_of_positions(name: str) -> None:
    assert verify_states(grow(OUTCOMES[name])) > 5


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(12))
def test_information_states_of_random_rules_are_those_of_positions(seed: int) -> None:
    assert verify_states(tiny_rules(seed)[1]) > 1


def test_mini_has_the_tree_that_it_always_had() -> None:
    tree = grow(Rules.preset("mini"))
    assert (tree.nodes, len(tree)) == (237_217, 69_664)


def test_parents_are_the_seats_own_sequences_and_come_first() -> None:
    tree = grow(Rules.preset("mini", max_decisions=6))
    seats = np.append(-1, np.repeat(tree.seats, tree.counts))
    acted = tree.parents > 0
    assert (seats[tree.parents[acted]] == tree.seats[acted]).all()
    assert (tree.parents < tree.first[:-1]).all()
    for seat in range(2):
        assert set(seats[tree.end_sequences[:, seat]].tolist()) <= {-1, seat}


def test_tables_come_back() -> None:
    tree = grow(MIXED)
    values = np.arange(len(tree.actions)) + 1.0
    table = tree.spread(values)
    assert table.shape == (len(tree), NUM_ACTIONS)
    assert ((table > 0) == (tree.masks() > 0)).all()
    assert (tree.gather(table) == values[1:]).all()
    assert (tree.spread(values, 5, 9) == table[5:9]).all()
    assert (tree.gather(table[5:9], 5) == values[tree.first[5] : tree.first[9]]).all()
    assert (tree.observations(5, 9) == tree.observations()[5:9]).all()


@pytest.mark.parametrize("mask", [0, 7])
def test_no_collision_of_hashes_goes_unseen(mask: int) -> None:
    """All views fall on the same few places of the table."""
    rules = Rules.preset("mini", max_decisions=4)
    tree, collided = grow(rules), grow(rules, hash_mask=mask)
    assert len(tree) > 1000
    for name in game_tree.ARRAYS:
        assert np.array_equal(getattr(tree, name), getattr(collided, name)), name


def test_arrays_that_are_full_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = OUTCOMES["catch"].replace(max_decisions=5)
    tree = grow(rules)
    for name, number in {"ROOM": 150, "TABLE": 64, "OUTCOMES": 1}.items():
        monkeypatch.setattr(f"uno_env.extensive_form.growing.{name}", number)
    small = grow(rules)
    for name in game_tree.ARRAYS:
        assert np.array_equal(getattr(tree, name), getattr(small, name)), name


@pytest.mark.thorough
@pytest.mark.parametrize("rules", [Rules.preset("mini"), THREE])
def test_threads_grow_the_same_tree(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = grow(rules)
    for name, number in {"SURVEYED": whole.nodes // 20, "STEP": whole.nodes // 100}.items():
        monkeypatch.setattr(game_tree, name, number)
    for threads in (2, 3):
        told: list[str] = []
        tree = grow(rules, tell=told.append, threads=threads)
        assert len(told) == 1, "it is large enough for threads"
        assert tree.nodes == whole.nodes
        for name in game_tree.ARRAYS:
            close = np.allclose if name == "end_shares" else np.array_equal
            assert close(getattr(tree, name), getattr(whole, name)), name


def test_an_error_in_a_thread_stops_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in {"SURVEYED": 10_000, "STEP": 1_000}.items():
        monkeypatch.setattr(game_tree, name, number)
    with pytest.raises(ValueError, match="nodes or more and takes"):
        grow(Rules.preset("mini"), memory=30_000_000, threads=2)


def test_who_sees_all_hands_tells_more_states_apart_and_wins_more() -> None:
    rules = Rules.preset("mini", max_decisions=6)
    tree, sees = grow(rules), grow(rules, seers=(0,))
    assert sees.nodes == tree.nodes
    own, theirs = ((each.seats == 0).sum() for each in (tree, sees))
    assert theirs > own
    assert (sees.observed[sees.seats == 1] == tree.observed[tree.seats == 1]).all(), "the other's are the same"
    assert (grow(rules, seers=(0, 1)).seats == 1).sum() > (tree.seats == 1).sum()


@pytest.mark.thorough
def test_memory_is_told_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = Rules.preset("mini")
    with pytest.raises(ValueError, match=r"nodes or more and takes 0\.\d+ GB of memory or more, and 0\.02 GB are free"):
        grow(rules, memory=20_000_000)
    monkeypatch.setattr(game_tree, "SURVEYED", 10_000)
    told: list[str] = []
    seen: list[int] = []
    tree = grow(rules, seen.append, told.append)
    assert len(told) == 1
    said = float(told[0].split("about ")[1].split()[0].replace(",", ""))
    assert 0.7 < said / tree.nodes < 1.4
    assert seen == sorted(seen)
    monkeypatch.setattr(game_tree, "STEP", 10_000)
    with pytest.raises(ValueError, match="nodes or more"):
        grow(rules.replace(max_decisions=40), memory=100_000_000)


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (Rules.preset("rlcard"), "dialect='rlcard'"),
        (OUTCOMES["shuffled"], "Wild Shuffle Hands"),
        (Rules.preset("duel"), "more than 1,000 deals"),
    ],
)
def test_rules_without_a_tree_are_refused(rules: Rules, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uno_env.extensive_form.deals.MAX_DEALS", 1_000)
    with pytest.raises(ValueError, match=sentence):
        grow(rules)


def test_a_saved_tree_is_found_and_a_torn_one_is_grown_anew(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_tree, "SAVED_FROM", 100)
    told: list[str] = []
    tree = tree_of(MIXED, tmp_path, tell=told.append)
    (path,) = tmp_path.iterdir()
    assert path.name == f"{tree_key(MIXED)}.npz"
    found = load_tree(MIXED, tmp_path)
    assert found is not None
    assert (found.rules, found.nodes) == (tree.rules, tree.nodes)
    for name in game_tree.ARRAYS:
        assert np.array_equal(getattr(tree, name), getattr(found, name)), name
    assert load_tree(MIXED.replace(max_decisions=2), tmp_path) is None
    whole = path.read_bytes()
    for damaged in (b"", whole[:-100], whole[:1000] + b"x" + whole[1001:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="is damaged"):
            load_tree(MIXED, tmp_path)
    assert not told
    assert len(tree_of(MIXED, tmp_path, tell=told.append)) == len(tree)
    assert "is damaged" in told[0]
    assert load_tree(MIXED, tmp_path) is not None


def test_arrays_of_another_tree_are_refused(tmp_path) -> None:
    """Compiled code does not check its indices."""
    tree = grow(MIXED)
    for name, value in (("end_sequences", 10**6), ("parents", -1), ("seats", 2), ("end_rewards", 99)):
        getattr(tree, name).flat[3] = value
        save_tree(tree, tmp_path)
        with pytest.raises(ValueError, match="do not fit"):
            load_tree(MIXED, tmp_path)
        tree = grow(MIXED)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("when", ["grow", "save"])
def test_ctrl_c_ends_growing(threads: int, when: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the threads, too; and in the middle of saving, which leaves no half a file."""
    for name, number in {"SURVEYED": 10_000, "STEP": 1_000, "SAVED_FROM": 0, "PAUSE": 0.001}.items():
        monkeypatch.setattr(game_tree, name, number)

    def interrupt(file, **arrays) -> None:
        file.write(b"half")
        raise KeyboardInterrupt

    def interrupt_late(nodes: int) -> None:
        if nodes > 20_000 and when == "grow":
            raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez", interrupt)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt, match="Nothing of the tree is saved yet; the same command grows it again"):
        tree_of(Rules.preset("mini"), tmp_path, interrupt_late, threads=threads)
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]
    assert threading.active_count() == before


def test_positions_of_other_games_are_not_found() -> None:
    tree, other = grow(MIXED), ExtensiveForm(MIXED.replace(deck="r1 r2 b1 b2 g5", hand_size=2))
    with pytest.raises(ValueError, match="no seat"):
        tree.find(other.root)
    position = next(position for position, _ in decisions(other.root))
    with pytest.raises(ValueError, match="other rules"):
        tree.find(position)
