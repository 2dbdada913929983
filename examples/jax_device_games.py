"""Actor-critic in JAX beside games on a GPU: PyTorch and JAX share the memory by DLPack, and nothing leaves the GPU.

:class:`uno_env.DeviceGames` plays; ``jax.jit`` compiles the network, which is that of ``jax_ppo.py``, and its learning.
The rules have two players, so values are those of seat 0, and count the other way round for seat 1. Tested with
device="cpu", never run on a GPU. It needs JAX: pip install 'uno-env[gpu,train]' 'jax[cuda13]'
"""

import time

import jax
import jax.numpy as jnp
import torch
from jax.dlpack import from_dlpack
from jax.example_libraries import optimizers
from jax_ppo import Learnt, apply, make_network

from train.evaluate import evaluate
from uno_env import DeviceGames

OPPONENTS, STEPS = ("random-play", "greedy"), 32
LEARNING_RATE, GAE_LAMBDA, ENTROPY_COEF, VALUE_COEF, MAX_GRAD_NORM = 1e-3, 0.9, 0.01, 0.5, 0.5


@jax.jit
def act(params, key, obs, mask, seat):
    """Actions, and what is kept to learn from: copies, since the next step overwrites the observations."""
    logits, value = apply(params, obs, mask)
    action, sign = jax.random.categorical(key, logits), 1.0 - 2.0 * seat
    kept = {"obs": jnp.copy(obs), "mask": jnp.copy(mask), "action": action, "sign": sign, "value": sign * value}
    return action, kept


def advantages(kept, reward, done, last_value):
    """Generalised advantage estimates for seat 0, [STEPS, N], backwards in time."""

    def back(carry, step):
        (advantage, next_value), goes_on = carry, 1.0 - step["done"]
        advantage = step["reward"] + goes_on * (next_value + GAE_LAMBDA * advantage) - step["value"]
        return (advantage, step["value"]), advantage

    first = jnp.zeros_like(last_value), last_value
    return jax.lax.scan(back, first, {"value": kept["value"], "reward": reward, "done": done}, reverse=True)[1]


def loss(params, kept, advantage):
    """Policy gradient, value error and entropy of a rollout."""
    flat = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), kept)
    logits, values = apply(params, flat["obs"], flat["mask"])
    every = jax.nn.log_softmax(logits)
    chosen = jnp.take_along_axis(every, flat["action"][:, None], axis=1)[:, 0]
    own = flat["sign"] * advantage.reshape(-1)  # of the player who acted
    target = own + flat["sign"] * flat["value"]
    own = (own - own.mean()) / (own.std() + 1e-8)
    entropy = -(jnp.exp(every) * every).sum(1).mean()
    return -(own * chosen).mean() + VALUE_COEF * ((values - target) ** 2).mean() - ENTROPY_COEF * entropy


begin, update, params_of = optimizers.adam(LEARNING_RATE, eps=1e-5)


@jax.jit
def learn(number, state, steps, rewards, dones, obs, mask, seat):
    """A step of Adam with the rollout; ``steps`` are what :func:`act` kept, ``obs`` and so on what came after it."""
    params, kept = params_of(state), jax.tree.map(lambda *each: jnp.stack(each), *steps)
    last_value = (1.0 - 2.0 * seat) * apply(params, obs, mask)[1]
    advantage = advantages(kept, jnp.stack(rewards), jnp.stack(dones), last_value)
    return update(number, optimizers.clip_grads(jax.grad(loss)(params, kept, advantage), MAX_GRAD_NORM), state)


def main(iterations=400, num_games=16_384, device="cuda", deals=2_000, seed=0):
    """Train on duel, and measure."""
    games = DeviceGames(num_games, "duel", seed=seed, device=device, obs_dtype="uint8")
    seen = [*map(from_dlpack, games.reset())]  # arrays of JAX in the same memory
    key, own = jax.random.split(jax.random.key(seed))
    state, started = begin(make_network(own, width=256)), time.perf_counter()
    for number in range(iterations):
        params, steps, rewards, dones = params_of(state), [], [], []
        for _ in range(STEPS):
            key, own = jax.random.split(key)
            action, kept = act(params, own, *seen)
            *seen, reward, done = games.step(torch.from_dlpack(action))
            seen = [*map(from_dlpack, seen)]
            steps.append(kept)
            rewards.append(from_dlpack(reward[:, 0].clone()))  # copies, since the next step overwrites both
            dones.append(from_dlpack(done.float()))
        state = learn(number, state, steps, rewards, dones, *seen)
        jax.block_until_ready(state)  # the next step overwrites what it reads
        played = (number + 1) * STEPS * num_games
        print(f"{played:,} decisions, {played / (time.perf_counter() - started):,.0f} a second", flush=True)
    player = Learnt(params_of(state), "jax-device-games")
    results = [evaluate(player, opponent, "duel", deals) for opponent in OPPONENTS]
    print(*(f"{result.win_rate:.1%} against {result.opponent}" for result in results), sep="\n")
    return results


if __name__ == "__main__":
    main()
