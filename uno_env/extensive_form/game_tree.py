"""The whole tree of a tiny game in flat arrays: :func:`grow`, :class:`GameTree`.

It is kept in *sequence form*: the information states with their actions, and for each end of a hand the last action of
each seat, the probability of chance and the rewards. A sequence is an action in an information state; with perfect
recall it stands for all that its seat has done before. So best responses, values and counterfactual regrets are sums
over the ends of hands (:mod:`train.evaluation.exact`).
"""

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from threading import Event

import numpy as np
import numpy.typing as npt

from uno_env.actions import texts
from uno_env.common.files import check_file
from uno_env.common.memory import free_memory, in_gigabytes
from uno_env.core.arrays import Array, Bytes
from uno_env.core.jit.reach import reached_digest
from uno_env.core.packed_games import can_know
from uno_env.extensive_form.deals import all_deals
from uno_env.extensive_form.growing import ALL_BITS, LENGTH_OF, Growing, shows_discards, too_large
from uno_env.extensive_form.outcomes import deal_each
from uno_env.extensive_form.position import SHUFFLES, Position
from uno_env.extensive_form.tree_growth import HEAD, SEQUENCES, question_of, walk
from uno_env.extensive_form.workspace import Workspace
from uno_env.observation import number_of_columns
from uno_env.policy_columns import policy_columns
from uno_env.rules import Rules

FORMAT = 1
"""Version of the files of trees."""
MOST = 64 << 30
"""Bytes of the largest file of a tree that is read."""
END_BYTES = 8
"""Bytes that a node takes at the very least."""


@dataclass(frozen=True)
class GameTree:
    """The tree of one hand by tiny rules, with K information states, S sequences and E ends.

    The states of all seats come in the order in which they are reached, each after the states before it of its seat.
    The sequences of a state are its legal actions, ascending. Sequence 0 is that of a seat that has not acted.
    """

    rules: Rules
    nodes: int
    """Nodes of the tree; chance moves that follow each other are one, and chance with the same outcome one branch."""
    seats: npt.NDArray[np.int8]
    """The seat that decides in each state, int8 [K]."""
    first: npt.NDArray[np.int32]
    """The first sequence of each state, and S at the end, int32 [K + 1]."""
    parents: npt.NDArray[np.int32]
    """The last sequence of its seat before each state, int32 [K]."""
    actions: npt.NDArray[np.int16]
    """The action of each sequence, int16 [S]; −1 for sequence 0."""
    end_sequences: npt.NDArray[np.int32]
    """The last sequence of each seat, int32 [E, players]."""
    end_shares: npt.NDArray[np.float64]
    """Probability that chance moves so, float64 [E]."""
    end_rewards: npt.NDArray[np.int32]
    """Row of :attr:`rewards`, int32 [E]."""
    rewards: npt.NDArray[np.float64]
    """Rewards of all seats that there are, float64 [R, players]."""
    observed: Bytes
    """The columns :attr:`columns` of the observation of each state, uint8 [K, C]."""
    columns: npt.NDArray[np.int64]
    """Columns of observations that vary."""
    constant: Bytes
    """An observation; all others have its values in the other columns, uint8 [D]."""
    views: npt.NDArray[np.uint64]
    """See :mod:`uno_env.extensive_form.tree_growth`."""
    view_of: npt.NDArray[np.int32]
    """The view of each state, int32 [K]."""
    questions: npt.NDArray[np.int32]
    """Phase and drawn card of each state, int32 [K]."""

    def __len__(self) -> int:
        return len(self.seats)

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """Number of legal actions in each state, int64 [K]."""
        return np.diff(self.first).astype(np.int64)

    def observations(self, start: int = 0, stop: int | None = None) -> Bytes:
        """The observations of some states, by default of all, uint8 [N, D]."""
        part = self.observed[start:stop]
        rows = np.repeat(self.constant[None], len(part), axis=0)
        rows[:, self.columns] = part
        return rows

    def masks(self, start: int = 0, stop: int | None = None) -> Bytes:
        """The legal actions of some states, by default of all, uint8 [N, A]."""
        return self.spread(np.ones(len(self.actions), np.uint8), start, stop)

    def spread(self, values: Array, start: int = 0, stop: int | None = None) -> Array:
        """Values of sequences [S] by state and action, [N, A]. Illegal actions have 0."""
        first = self.first[start : (len(self) if stop is None else min(stop, len(self))) + 1]
        table = np.zeros((len(first) - 1, len(texts(self.rules))), values.dtype)
        here = slice(first[0], first[-1])
        table[np.repeat(np.arange(len(table)), np.diff(first)), self.actions[here]] = values[here]
        return table

    def gather(self, table: Array, start: int = 0) -> Array:
        """The inverse of :meth:`spread`: values [N, A] of the states from ``start`` on, for each of their sequences."""
        first = self.first[start : start + len(table) + 1]
        return table[np.repeat(np.arange(len(table)), np.diff(first)), self.actions[first[0] : first[-1]]]

    def find(self, position: Position) -> int:
        """The number of the information state of the seat to move. Raises ValueError if there is none."""
        seat = position.to_move
        if seat < 0:
            raise ValueError("no seat is to move")
        if position.form.rules != self.rules:
            raise ValueError("the position is not in the tree: it was made by other rules")
        kinds = np.flatnonzero(self.rules.deck_counts).tolist()
        words = np.zeros(self.views.shape[1], np.uint64)
        entry, view, out = words[1:].view(np.uint8), seat, 0
        for seen in reversed(list(position.visible_entries(seat))):
            event, moved = seen.event, seen.event.hands_moved
            done = (0, event.top) if event.action is None else (event.action + 1, 0)
            out |= sum(1 << other for other in event.put_out)
            entry[:HEAD] = event.seat, *done, moved, seen.asked + 1, out & 255, out >> 8
            values = [*(event.held if moved else event.growth), *seen.hands[seat][kinds].tolist()]
            if shows_discards(position.form):
                values += seen.discards[kinds].tolist()
            known = seen.known_to(seat)
            if can_know(self.rules.record):
                values += [known.count((owner, kind)) for owner in range(self.rules.players) for kind in kinds]
            entry[HEAD : HEAD + len(values)] = values
            words[0] = view
            view = self._view_numbers[words.tobytes()]
        phase, drawn = position.question_to(seat) or (0, 0)
        return self._state_numbers[view, int(question_of(phase, drawn))]

    @cached_property
    def _view_numbers(self) -> dict[bytes, int]:
        return {words.tobytes(): number for number, words in enumerate(self.views)}

    @cached_property
    def _state_numbers(self) -> dict[tuple[int, int], int]:
        keys = zip(self.view_of.tolist(), self.questions.tolist(), strict=True)
        return {key: number for number, key in enumerate(keys)}


ARRAYS = tuple(each.name for each in fields(GameTree) if each.name not in ("rules", "nodes"))

SURVEYED, SAMPLED = 500_000, 64
"""Nodes after which the size of the tree is estimated, and the number of deals that it is estimated from."""
STEP = 100_000
"""Nodes from one call of ``progress`` to the next."""
PARTS = 4
"""Parts of the deals of a large tree for each thread: the threads end at about the same time."""
PAUSE = 0.2
"""Seconds from one call of ``progress`` to the next in threads."""


def grow(
    rules: Rules,
    progress: Callable[[int], object] | None = None,
    tell: Callable[[str], object] | None = None,
    memory: int | None = None,
    hash_mask: int = ALL_BITS,
    threads: int = 1,
    seers: Sequence[int] = (),
) -> GameTree:
    """The tree of one hand by tiny rules, such as the preset ``mini``.

    A tree that cannot be grown leaves nothing behind.

    Args:
        rules: the rules.
        progress: is called now and then with the number of nodes so far.
        tell: is called with a sentence about how large a large tree will be.
        memory: bytes that the tree may take; by default, those that are free.
        hash_mask: see :class:`uno_env.extensive_form.growing.Growing`.
        threads: how many threads share the deals of a large tree. The tree is the same for any number.
        seers: see :class:`uno_env.extensive_form.growing.Growing`.

    Raises:
        ValueError: the tree is too large, or the rules have chance that cannot be spelled out.
        KeyboardInterrupt: after Ctrl-C.
    """
    form = Workspace(rules)
    for face, number in zip(form.edition.kinds, rules.deck_counts, strict=True):
        if number and face.effect == SHUFFLES:
            text = f"the tree of rules with a {face.name} ({face.text}) cannot be grown: leave it out of the deck"
            raise ValueError(text)
    memory = free_memory() if memory is None else memory
    deals, shares = all_deals(form)
    columns = policy_columns(rules)
    growing = Growing(form, deals, shares, columns, memory, hash_mask, seers)
    while not (done := growing.grow(growing.nodes + STEP)) and growing.nodes < SURVEYED:
        if progress is not None:
            progress(growing.nodes)
    if not done:
        nodes = _estimated_nodes(form, deals, columns)
        needed = nodes * growing.bytes_used / growing.nodes
        if memory is not None and nodes * END_BYTES > memory:
            raise ValueError(too_large(rules, nodes, needed, memory))
        if tell is not None:
            tell(f"The tree will have about {nodes:,.0f} nodes and take about {in_gigabytes(needed)} of memory.")
        rest = growing.split(PARTS * threads - 1 if threads > 1 else 0)
        growing.parts += [Growing(form, *each, columns, memory, hash_mask, seers) for each in rest]
        _grow_parts(growing.parts, threads, progress)
    names = [each.name for each in fields(GameTree) if each.name in LENGTH_OF]
    arrays = {name: growing.filled(name) for name in names}
    arrays["first"] = np.append(arrays["first"], np.int32(growing.grown.number[SEQUENCES]))
    constant = growing.fixed.row.copy()
    constant[columns] = 0
    constant[len(constant) - len(form.rules_columns) :] = form.rules_columns
    return GameTree(rules, growing.nodes, columns=columns, constant=constant, **arrays)


def _grow_parts(parts: list[Growing], threads: int, progress: Callable[[int], object] | None) -> None:
    """Grow the parts of a tree in threads, and merge them into the first."""
    stopped = Event()

    def work(part: Growing) -> None:
        part.parts = parts
        while not stopped.is_set() and not part.grow(part.nodes + STEP):
            pass

    with ThreadPoolExecutor(threads) as pool:
        try:
            working = {pool.submit(work, part) for part in parts}
            while working:
                done, working = wait(working, PAUSE, FIRST_EXCEPTION)
                for each in done:
                    each.result()
                if progress is not None:
                    progress(sum(part.nodes for part in parts))
        finally:
            stopped.set()
    while len(parts) > 1:
        parts[0].merge(parts.pop(1))


def _estimated_nodes(form: Workspace, deals: Array, columns: Array) -> float:
    """About how many nodes the tree will have, by some deals drawn at random."""
    drawn = np.random.default_rng(0).choice(len(deals), min(SAMPLED, len(deals)), replace=False)
    sample = Growing(form, deals[drawn], np.ones(len(drawn)), columns, None)
    sample.grow(SURVEYED)
    return sample.nodes / max(sample.deals_done, 1) * len(deals)


def tree_key(rules: Rules) -> str:
    """A name for the tree of rules as this version grows it: other rules, or another engine, give another one."""
    engine = reached_digest(getattr(walk, "py_func", walk)) + reached_digest(getattr(deal_each, "py_func", deal_each))
    said = json.dumps([FORMAT, rules.to_dict(), engine])
    return hashlib.sha256(said.encode()).hexdigest()[:16]


def save_tree(tree: GameTree, folder: Path) -> Path:
    """Write a tree into a folder, under its key. Returns the path of the file."""
    path = folder / f"{tree_key(tree.rules)}.npz"
    folder.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            np.savez(file, **{name: getattr(tree, name) for name in ARRAYS}, nodes=np.int64(tree.nodes))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def open_arrays(path: Path) -> np.lib.npyio.NpzFile:
    """A file of :func:`numpy.savez`, to be used in a ``with`` block.

    Raises ValueError if it is not whole, and OSError if it is too large or cannot be read.
    """
    check_file(path, MOST)
    if not zipfile.is_zipfile(path):
        raise ValueError("it is not whole")
    return np.load(path, allow_pickle=False)


def load_tree(rules: Rules, folder: Path) -> GameTree | None:
    """The tree that :func:`save_tree` wrote into a folder, or None if there is none of this version. Raises ValueError
    if the file is damaged.
    """
    path = folder / f"{tree_key(rules)}.npz"
    if not path.exists():
        return None
    try:
        with open_arrays(path) as file:
            arrays = {name: file[name] for name in ARRAYS}
            tree = GameTree(rules, int(file["nodes"]), **arrays)
            _verify(tree)
    except (OSError, EOFError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise ValueError(f"{str(path)!r} is damaged ({error}): the tree is grown anew") from None
    return tree


def _verify(tree: GameTree) -> None:
    """Raise :class:`ValueError` if an array names what is not there: compiled code would read other memory."""
    states, players = len(tree.seats), tree.rules.players
    counts, sequences = tree.counts, len(tree.actions)
    inside = (
        (tree.seats, players), (tree.actions[1:], len(texts(tree.rules))), (tree.parents, sequences),
        (tree.columns, number_of_columns(tree.rules)), (tree.end_sequences, sequences),
        (tree.end_rewards, len(tree.rewards)),
    )  # fmt: skip
    shapes = tree.end_sequences.shape == (len(tree.end_shares), players) and tree.rewards.shape[1:] == (players,)
    if not (
        shapes
        and len(tree.first) == states + 1
        and len(tree.parents) == len(tree.observed) == states
        and len(tree.end_rewards) == len(tree.end_shares)
        and tree.first[0] == 1
        and tree.first[-1] == sequences
        and (counts > 0).all()
        and (tree.parents < tree.first[:-1]).all()
        and all(((values >= 0) & (values < number)).all() for values, number in inside)
    ):
        raise ValueError("its arrays do not fit each other")


SAVED_FROM = 1_000_000
"""Nodes from which on a tree is saved; a smaller one is grown as quickly as it is read."""


def tree_of(
    rules: Rules,
    folder: Path,
    progress: Callable[[int], object] | None = None,
    tell: Callable[[str], object] | None = None,
    threads: int = 1,
) -> GameTree:
    """The tree of some rules: found in a folder, or grown (:func:`grow`) and saved there if it is large.

    A damaged file, or one that cannot be saved, is reported in a sentence, and the work continues. Raises ValueError as
    :func:`grow` does, and KeyboardInterrupt after Ctrl-C before the tree is saved; its text says so.
    """
    say = tell or (lambda sentence: None)
    try:
        tree = load_tree(rules, folder)
    except ValueError as error:
        say(f"{error}.")
        tree = None
    if tree is not None:
        return tree
    try:
        tree = grow(rules, progress, tell, threads=threads)
        if tree.nodes >= SAVED_FROM:
            save_tree(tree, folder)
    except OSError as error:
        say(f"The tree cannot be saved in {str(folder)!r}: {error.strerror}.")
    except KeyboardInterrupt:
        raise KeyboardInterrupt("Nothing of the tree is saved yet; the same command grows it again.") from None
    assert tree is not None, "only saving meets the system's errors"
    return tree
