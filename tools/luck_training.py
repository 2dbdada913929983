"""The training of the value functions: ``tuned`` plays itself, and a small network learns who goes out first.

``tuned`` plays hands in compiled code, and some of the positions are kept. What the network gains is measured on
duplicate deals of ``tuned`` against ``greedy``, which it was not trained on, and is saved with it. All of it is seeded.
"""

import itertools
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from agents.scripted.dispatch import decide
from agents.search.playout import SearchScratch, new_search_scratch, only_marked, set_rules
from agents.zoo.shipped import track_rules
from train.common.processes import torch_threads
from train.evaluation.duplicate import evaluate
from train.evaluation.luck.draws import check_rules, describe, num_columns
from train.evaluation.luck.values import FOLDER, ValueNetwork
from uno_env.cards import NUM_COLOURS
from uno_env.common.numbers import checked_seed, checked_whole
from uno_env.core.arrays import Array
from uno_env.core.jit.njit import njit
from uno_env.core.legal import legal_actions
from uno_env.core.observe.encode import encode
from uno_env.core.observe.layout import columns_of
from uno_env.core.record import OVER, WENT_OUT
from uno_env.core.rng import stream
from uno_env.core.rules.deal import deal_hand
from uno_env.core.step import step

PLAYER, OPPONENT = "tuned", "greedy"
EVERY = 3
"""Decisions from one kept position to the next."""
HIDDEN = (192, 64)
EPOCHS, BATCH, RATE = 5, 1024, 2e-3
HELD_OUT = 20
"""One hand of this number is not trained on."""


@njit
def collect(
    scratch: SearchScratch, starts: Any, order: Any, rows: Any, seats: Any, winners: Any, hands: Any, every: int
) -> int:
    """Play hands, and keep every so-manieth position; how many are kept.

    Args:
        scratch: has the rules and the players.
        starts: uint64 [hands], their seeds.
        order: int64 [8], room to work in.
        rows: uint8 [M, columns], written.
        seats: int8 [M, players], written: the seat at each place.
        winners: int8 [M], written: the place that went out; positions of hands that nobody won are dropped.
        hands: int64 [M], written: the hand of each position.
        every: distance of positions.
    """
    game, rules, row, mask = scratch.game[0], scratch.rules[0], scratch.row, scratch.mask
    count = 0
    for hand in range(len(starts)):
        game.rng = starts[hand]
        deal_hand(game, rules)
        first, clock = count, hand % every
        while game.phase != OVER:
            if clock % every == 0 and count < len(rows):
                describe(game, rules, order, rows[count], seats[count])
                hands[count] = hand
                count += 1
            clock += 1
            legal_actions(game, rules, mask)
            action = only_marked(mask)
            if action < 0:
                row[columns_of(rules).known : columns_of(rules).seats] = 0
                encode(game, rules, game.to_move, row)
                action = decide(scratch.strategies[0], rules, row, mask, scratch.playing[0])
            step(game, rules, action)
        row[columns_of(rules).known : columns_of(rules).seats] = 0
        if game.end != WENT_OUT:
            count = first
        for index in range(first, count):
            for place in range(rules.players):
                if seats[index, place] == game.winner:
                    winners[index] = place
    return count


def positions(track: str, hands: int, seed: int) -> tuple[Array, Array, Array]:
    """Columns uint8 [M, columns], places of the winners int64 [M], and numbers of the hands int64 [M]."""
    rules = track_rules(track)
    scratch = new_search_scratch(PLAYER, PLAYER, (seed, seed + 1))
    set_rules(scratch, rules)
    starts = np.array([stream(np.uint64(seed), np.uint64(index)) for index in range(hands)], np.uint64)
    room = hands * 40 * rules.players // (2 * EVERY)
    rows, seats = np.zeros((room, num_columns(rules.players)), np.uint8), np.zeros((room, rules.players), np.int8)
    winners, numbers = np.zeros(room, np.int8), np.zeros(room, np.int64)
    order = np.zeros(2 * NUM_COLOURS, np.int64)
    count = collect(scratch, starts, order, rows, seats, winners, numbers, EVERY)
    return rows[:count], winners[:count].astype(np.int64), numbers[:count]


def train(track: str, hands: int, deals: int, seed: int, folder: Path = FOLDER) -> Path:
    """Train a value function, measure what it gains, and save it; prints how far it is.

    Args:
        track: a preset and a number of players, such as ``duel-2p``.
        hands: hands to learn from.
        deals: deals to measure the gain.
        seed: of all random numbers.
        folder: where the file goes.

    Raises:
        ValueError: an argument is not allowed.
    """
    check_rules(track_rules(track))
    checked_whole("hands", hands, HELD_OUT)
    checked_whole("deals", deals, 2)
    network, path = fit(track, hands, checked_seed(seed)), folder / f"{track}.safetensors"
    network.save(path)
    measured = evaluate(PLAYER, OPPONENT, network.rules, deals, seed + 1, luck=ValueNetwork.load(path)).luck
    assert measured is not None
    replace(network, gain=round(measured.gain, 2)).save(path)
    print(f"{track}: {measured.gain:.2f} times fewer deals, {measured.fewer_hands:.2f} times fewer hands", flush=True)
    return path


@torch_threads(1)
def fit(track: str, hands: int, seed: int) -> ValueNetwork:
    """A network trained on some hands; its gain is not measured yet."""
    torch.manual_seed(seed)
    rules, began = track_rules(track), time.perf_counter()
    rows, winners, numbers = positions(track, hands, seed)
    print(f"{track}: {len(rows):,} positions of {hands:,} hands, {time.perf_counter() - began:.0f} s", flush=True)
    mean, scale = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64) + 0.05
    sizes = [rows.shape[1], *HIDDEN, rules.players]
    linear = [nn.Linear(inputs, outputs) for inputs, outputs in itertools.pairwise(sizes)]
    net = nn.Sequential(*[part for layer in linear for part in (layer, nn.ReLU())][:-1])
    x, y = torch.from_numpy(rows), torch.from_numpy(winners)
    shift, factor = (torch.from_numpy(each.astype(np.float32)) for each in (mean, 1 / scale))
    held_out = torch.from_numpy(numbers % HELD_OUT == 0)
    learnt, tested = (torch.nonzero(which)[:, 0] for which in (~held_out, held_out))
    steps = EPOCHS * -(-len(learnt) // BATCH)
    optimizer = torch.optim.Adam(net.parameters(), RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps)
    for epoch in range(EPOCHS):
        for batch in learnt[torch.randperm(len(learnt))].split(BATCH):
            loss = nn.functional.cross_entropy(net((x[batch] - shift) * factor), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            likely = torch.cat([net((x[batch] - shift) * factor).softmax(1) for batch in tested.split(BATCH)])
        won = nn.functional.one_hot(y[tested], rules.players)
        explained = 1 - float(((likely - won) ** 2).mean() / (1 / rules.players - 1 / rules.players**2))
        print(f"epoch {epoch + 1}: {explained:.1%} explained, {time.perf_counter() - began:.0f} s", flush=True)
    layers = [(layer.weight.detach().numpy().T.copy(), layer.bias.detach().numpy().copy()) for layer in linear]
    weight = (layers[0][0] / scale[:, None]).astype(np.float32)
    layers[0] = weight, layers[0][1] - mean.astype(np.float32) @ weight
    return ValueNetwork(track, rules, 1.0, tuple(layers))
