"""train/networks/policy_network.py: how a network begins, as a saved policy or with units for the sizes of hands."""

import re
from collections.abc import Sequence

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.policy.policy_agent import PolicyAgent  # noqa: E402
from agents.policy.policy_file import PolicyCard, load_policy  # noqa: E402
from agents.zoo.shipped import shipped_file, track_rules  # noqa: E402
from train.networks.policy_network import GAINS, Network, NetworkPlayer  # noqa: E402
from uno_env import BatchedGames, Rules  # noqa: E402
from uno_env.actions import SWAP  # noqa: E402
from uno_env.observation import LAYOUT, SCALES  # noqa: E402

TEN = Rules.preset("house", players=10)


def network(policy: str, hidden: Sequence[int], dtype: torch.dtype = torch.float32) -> Network:
    torch.manual_seed(0)
    return Network(track_rules(policy.removeprefix("zoo:")), hidden, dtype, symmetry=True)


def rows(of: Network, number: int = 500) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(0).integers(0, 12, (number, of.width), np.uint8))


def hands(of: Network, of_rows: torch.Tensor) -> torch.Tensor:
    """How many cards the nine others hold, int64 [N, 9]."""
    first = LAYOUT["hand_sizes"].start + 1
    return of_rows[:, np.flatnonzero(np.isin(of.columns, np.arange(first, first + 9)))].long()


def hidden_of(policy: str) -> list[int]:
    """The sizes of a shipped policy's two hidden layers."""
    return load_policy(shipped_file(policy.removeprefix("zoo:")))[1].hidden


@pytest.mark.parametrize("policy", ["zoo:duel-2p", "zoo:house-4p"])
@pytest.mark.parametrize("more", [(0, 0), (16, 44)])
def test_a_network_as_wide_as_a_saved_policy_or_wider_begins_as_it(policy: str, more: tuple[int, int]) -> None:
    first, second = hidden_of(policy)
    sizes = (first, second), (first + more[0], second + more[1])
    saved, begun = (network(policy, each, torch.float64) for each in sizes)  # logits may be small sums of large terms
    saved.load_weights_from(policy)
    begun.load_weights_from(policy)
    with torch.no_grad():
        for theirs, ours in zip(saved(rows(saved)), begun(rows(begun)), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("less", [(0,), (0, 1), (200, 0), (0, 0, 0)])
def test_a_network_with_narrower_or_other_layers_does_not(less: tuple[int, ...]) -> None:
    saved = hidden_of("zoo:house-4p")
    with pytest.raises(ValueError, match=re.escape(f"its hidden layers of {saved} are not in hidden=[")):
        network("zoo:house-4p", [saved[min(layer, 1)] - fewer for layer, fewer in enumerate(less)]).load_weights_from(
            "zoo:house-4p"
        )


def test_new_units_of_a_wider_network_can_be_learnt_from() -> None:
    """Nothing comes from them at first, but they say something, and so their weights get gradients."""
    saved = hidden_of("zoo:house-4p")
    begun = network("zoo:house-4p", [size + 44 for size in saved])
    begun.load_weights_from("zoo:house-4p")
    logits, _ = begun(rows(begun))
    logits.square().sum().backward()
    assert begun.policy.weight.grad is not None
    assert (begun.policy.weight[:, saved[1] :] == 0).all()
    assert (begun.policy.weight.grad[:, saved[1] :] != 0).any(dim=0).sum() > 40  # of 44; a unit can be off for all rows


def test_hand_sizes_reach_the_last_layer_where_hands_are_swapped() -> None:
    net = Network(TEN, (128, 96), symmetry=True)
    x = rows(net).float()
    for weight, bias in net.prepared_layers()[:-1]:
        x = torch.relu(x @ weight.T + bias)
    torch.testing.assert_close(x[:, -9:], hands(net, rows(net)).float())
    assert (net.policy.weight[:, -9:] == 0).all()


@pytest.mark.thorough
def test_the_smallest_of_nine_hands_is_soon_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few steps of supervised learning: with units for the hand sizes, and without."""
    found = {}
    for units in (8, 1_000):
        monkeypatch.setattr("train.networks.policy_network.UNITS_A_HAND_SIZE", units)
        torch.manual_seed(0)
        net = Network(TEN, (128, 128), symmetry=True)
        swaps = np.flatnonzero((net.actions >= SWAP) & (net.actions < SWAP + 9))
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
        seen = rows(net, 30_000)
        smallest = hands(net, seen) * 9 + torch.arange(9)  # of equal ones the first
        for batch in torch.arange(len(seen) - 2_000).split(200):
            logits = net(seen[batch])[0][:, swaps]
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(logits, smallest[batch].argmin(dim=1)).backward()
            optimizer.step()
        with torch.no_grad():
            chosen = net(seen[-2_000:])[0][:, swaps].argmax(dim=1, keepdim=True)
        sizes = hands(net, seen[-2_000:])
        found[units] = float((sizes.gather(1, chosen)[:, 0] == sizes.min(dim=1).values).float().mean())
    assert found[8] > found[1_000] + 0.2, found


@pytest.mark.parametrize("seed", range(3))
def test_values_begin_at_about_0(seed: int) -> None:
    """Rewards add up to 0 over the seats; who begins with higher values does not want a hand to end."""
    torch.manual_seed(seed)
    net = Network(Rules(players=4), (256, 256), symmetry=True)
    seen = rows(net) % 3
    with torch.no_grad():
        assert net(seen)[1].abs().max() < 0.1


def test_a_network_learns_from_larger_numbers_than_a_saved_policy_reads() -> None:
    """What it saves computes the same, but for the order of sums in matrix products."""
    rules = Rules.preset("classic")
    own = Network(rules, (32, 32))
    gains = np.ones(len(own.columns))
    for name, gain in GAINS.items():
        gains[np.isin(own.columns, np.arange(1_000)[LAYOUT[name].columns])] = gain
    assert len(set(gains)) == 4
    assert np.array_equal(own.scales.numpy(), SCALES[own.columns] * gains)

    saved = own.weights()
    own.load_weights(saved)
    assert all(np.array_equal(weight, saved[name]) for name, weight in own.weights().items())
    card = PolicyCard(
        rules=rules.to_dict(), columns=own.columns.tolist(), actions=own.actions.tolist(), hidden=own.hidden
    )
    batch = BatchedGames(200, rules, obs_dtype="uint8")
    rows, _, _ = batch.reset()
    for _ in range(40):
        rows, *_ = batch.step(batch.sample_actions())
    logits, values = NetworkPlayer(own).logits_and_value(rows)
    theirs = PolicyAgent("saved", saved, card, 0).logits_and_value(rows)
    assert logits == pytest.approx(theirs[0], abs=1e-6)
    assert values == pytest.approx(theirs[1], abs=1e-6)


@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16])
def test_a_network_for_several_rules_reads_them_from_their_means_on(precision: torch.dtype) -> None:
    """So the mean of what they add is 0, however large their weights; a saved policy computes the same."""
    few = Rules.preset("duel", deck="r1 r2 r3 g1 g2 g3 b1 b2 b3 w", hand_size=2)
    several = [few, Rules.preset("duel"), Rules.preset("house", players=4)]
    own = Network(several, (32, 32), dtype=precision)
    shown = np.concatenate([BatchedGames(1, each, obs_dtype="uint8").reset()[0] for each in several])
    rows = torch.from_numpy(own.canonical.rows(shown, np.zeros(len(several), np.int64)))
    is_rule = own.columns >= LAYOUT["deck"].start
    assert is_rule.sum() > 50
    assert torch.equal(own.centre != 0, torch.from_numpy(is_rule) & (rows > 0).any(dim=0))

    def means() -> torch.Tensor:
        weight, bias = own.prepared_layers()[0]
        return torch.nn.functional.linear(rows.to(precision), weight, bias).float().mean(dim=0)

    before = means()
    with torch.no_grad():
        own.trunk[0].weight[:, is_rule] += 1.0  # type: ignore[index, operator]
    assert torch.allclose(means(), before, atol=1e-4 if precision == torch.float32 else 0.3)

    card = PolicyCard(
        rules=several[0].to_dict(),
        columns=own.columns.tolist(),
        actions=own.actions.tolist(),
        hidden=own.hidden,
        random_rules=3,
    )
    if precision == torch.float32:
        logits, values = PolicyAgent("saved", own.weights(), card, 0).logits_and_value(shown)
        ours = NetworkPlayer(own).logits_and_value(shown)
        assert ours[0] == pytest.approx(logits, abs=1e-5)
        assert ours[1] == pytest.approx(values, abs=1e-5)


def test_a_checkpoint_has_the_network_as_it_is_whatever_its_rules_were_then() -> None:
    """A run goes on to the last bit; and where its rules have other means now, as the policy that it was."""
    several = [Rules.preset("duel"), Rules.preset("house", players=4)]
    own, others = Network(several, (8,)), Network([*several, several[1]], (8,))
    with torch.no_grad():
        own.trunk[0].bias += 0.1  # type: ignore[union-attr, operator]
    state = own.state()
    own.load_weights(state)
    assert all(np.array_equal(array, state[name]) for name, array in own.state().items())
    assert not np.array_equal(own.centre, others.centre)
    for given in (state, own.weights()):
        others.load_weights(given)
        for name, array in others.weights().items():
            assert array == pytest.approx(own.weights()[name], abs=1e-6), name


def test_networks_for_one_table_read_no_means() -> None:
    one = Rules.preset("duel")
    for rules in (one, [one]):
        network = Network(rules, (8,))
        assert not network.centre.any()
        assert network.state().keys() == network.weights().keys()
