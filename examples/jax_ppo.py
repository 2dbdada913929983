"""PPO by self-play in JAX, in the style of PureJaxRL: a whole iteration, the games included, is one compiled function.

JAX calls the games back at each decision, which takes about 0.1 ms: so play many side by side. The rules have two
players, and one wins what the other loses. So values and advantages are those of seat 0, and count the other way round
for seat 1. It needs JAX: pip install 'jax[cpu]'
"""

import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.example_libraries import optimizers
from jax.experimental import io_callback

from train.evaluate import evaluate
from uno_env import BatchedGames
from uno_env.actions import NUM_ACTIONS
from uno_env.observation import OBSERVATION_SIZE, SCALES

OPPONENTS, GAMES, STEPS, MINIBATCHES, EPOCHS = ("random-play", "greedy"), 256, 64, 8, 2
LEARNING_RATE, GAE_LAMBDA, CLIP, ENTROPY_COEF, VALUE_COEF, MAX_GRAD_NORM = 5e-4, 0.95, 0.2, 0.01, 0.5, 0.5


def step_of(batch, seen):
    """The batch's step for jax.jit and jax.lax.scan; ``seen`` is what its reset returned, copies that JAX may keep."""
    reward, done = np.zeros((batch.num_games, batch.rules.players), np.float32), np.zeros(batch.num_games, bool)
    forms = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in (*seen, reward, done)]
    return lambda actions: io_callback(lambda given: batch.step(np.asarray(given)), forms, actions, ordered=True)


def make_network(key, width=128):
    sizes = [(OBSERVATION_SIZE, width), (width, width), (width, NUM_ACTIONS), (width, 1)]
    keys = jax.random.split(key, len(sizes))
    layers = zip(keys, sizes, (1.0, 1.0, 0.01, 1.0), strict=True)  # the policy is nearly uniform at first
    return [(gain * jax.random.normal(k, size) / size[0] ** 0.5, jnp.zeros(size[1])) for k, size, gain in layers]


def apply(params, obs, mask):
    """Logits of the legal actions, and the value for the player to move."""
    first, second, policy, value = params
    hidden = jax.nn.relu(jax.nn.relu((obs * SCALES) @ first[0] + first[1]) @ second[0] + second[1])
    logits = hidden @ policy[0] + policy[1]
    return jnp.where(mask > 0, logits, -1e9), (hidden @ value[0] + value[1])[:, 0]


def log_prob(logits, actions):
    return jnp.take_along_axis(jax.nn.log_softmax(logits), actions[:, None], axis=1)[:, 0]


def loss(params, batch):
    logits, values = apply(params, batch["obs"], batch["mask"])
    ratio = jnp.exp(log_prob(logits, batch["action"]) - batch["log_prob"])
    advantage = (batch["advantage"] - batch["advantage"].mean()) / (batch["advantage"].std() + 1e-8)
    policy_loss = -jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * advantage).mean()
    value_loss = ((values - batch["return"]) ** 2).mean()
    entropy = -(jax.nn.softmax(logits) * jax.nn.log_softmax(logits)).sum(1).mean()
    return policy_loss + VALUE_COEF * value_loss - ENTROPY_COEF * entropy


begin, update, params_of = optimizers.adam(LEARNING_RATE, eps=1e-5)


def make_iteration(step):
    def play(carry, key):
        params, (obs, mask, seat) = carry
        logits, value = apply(params, obs, mask)
        action = jax.random.categorical(key, logits)
        *seen, reward, done = step(action)
        sign = 1.0 - 2.0 * seat  # of the player who has acted
        kept = {"obs": obs, "mask": mask, "action": action, "log_prob": log_prob(logits, action), "sign": sign}
        kept |= {"value": sign * value, "reward": reward[:, 0], "done": done}  # for seat 0
        return (params, tuple(seen)), kept

    def advantages(carry, kept):
        (advantage, next_value), goes_on = carry, 1.0 - kept["done"]
        delta = kept["reward"] + goes_on * next_value - kept["value"]
        advantage = delta + goes_on * GAE_LAMBDA * advantage
        return (advantage, kept["value"]), advantage

    def learn(carry, batch):
        count, state = carry
        value, grads = jax.value_and_grad(loss)(params_of(state), batch)
        return (count + 1, update(count, optimizers.clip_grads(grads, MAX_GRAD_NORM), state)), value

    @jax.jit
    def iteration(learner, seen, key):
        params = params_of(learner[1])
        keys = jax.random.split(key, STEPS + EPOCHS)
        (_, seen), kept = jax.lax.scan(play, (params, seen), keys[:STEPS])
        last = (1.0 - 2.0 * seen[2]) * apply(params, *seen[:2])[1]
        _, advantage = jax.lax.scan(advantages, (jnp.zeros(GAMES), last), kept, reverse=True)
        data = {name: kept[name] for name in ("obs", "mask", "action", "log_prob")}
        data |= {"advantage": kept["sign"] * advantage, "return": kept["sign"] * (advantage + kept["value"])}
        data = jax.tree.map(lambda x: x.reshape(STEPS * GAMES, *x.shape[2:]), data)
        for shuffle in keys[STEPS:]:
            order = jax.random.permutation(shuffle, STEPS * GAMES)
            shuffled = {name: x[order].reshape(MINIBATCHES, -1, *x.shape[1:]) for name, x in data.items()}
            learner, _ = jax.lax.scan(learn, learner, shuffled)
        return learner, seen, 1 / kept["done"].mean()

    return iteration


class Learnt:
    """The player that was learnt: it takes the most probable action."""

    obs_dtype = "uint8"

    def __init__(self, params, name="jax-ppo"):
        self.name = name
        self.act = jax.jit(lambda obs, mask: apply(params, obs, mask)[0].argmax(1))

    def act_batch(self, observations, masks):
        """Ids of actions [N] for observations uint8 [N, D] and masks bool [N, A]."""
        missing = -len(masks) % 256  # so that few shapes are compiled
        rows = np.pad(observations, ((0, missing), (0, 0)))
        return np.asarray(self.act(rows, np.pad(masks, ((0, missing), (0, 0)))))[: len(masks)]


def main(iterations=100, deals=2_000, seed=0):
    """Train on duel, and measure."""
    batch = BatchedGames(GAMES, "duel", seed=seed, obs_dtype="uint8", copy=True)
    key, own = jax.random.split(jax.random.key(seed))
    seen = batch.reset()
    learner, iteration = (0, begin(make_network(own))), make_iteration(step_of(batch, seen))
    started = time.perf_counter()
    for number in range(1, iterations + 1):
        key, own = jax.random.split(key)
        learner, seen, value = iteration(learner, seen, own)
        if number % 10 == 0:
            done, seconds = number * GAMES * STEPS, time.perf_counter() - started
            print(f"{done:,} decisions, {done / seconds:,.0f} a second, hands {value:.0f} decisions long", flush=True)
    results = [evaluate(Learnt(params_of(learner[1])), opponent, "duel", deals) for opponent in OPPONENTS]
    print(*(f"{result.win_rate:.1%} against {result.opponent}" for result in results), sep="\n")
    return results


if __name__ == "__main__":
    main()
