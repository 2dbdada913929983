"""Examples for language models in TRL, TextArena and OpenEnv, played by scripted models; TRL's GRPO on a tiny one."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import ROOT
from uno_env import Game
from uno_env.common.importing import import_object
from uno_env.text import TextEnv, prompt_for, read_answer

for library in ("trl", "textarena", "openenv"):
    pytest.importorskip(library, reason=f"{library} is not installed: make test-adapters")
pytestmark = pytest.mark.adapters


def example(name: str, attribute: str = "main") -> Any:
    """A part of an example."""
    return import_object(f"{ROOT}/examples/{name}.py:{attribute}")


def last_move(text: str) -> str:
    """The number of the last move that a prompt, or a refusal, lists."""
    return re.findall(r"(?m)(?:^|: |, )([0-9]+) \S+", text)[-1]


def expected(seed: int) -> float:
    """The reward of a hand in which the last move is always taken."""
    env = TextEnv("duel", opponents="greedy")
    text, done, reward = env.reset(seed), False, 0.0
    while not done:
        text, reward, done, _ = env.step(f"[{last_move(text)}]")
    return reward


@pytest.mark.parametrize("seed", range(6))
def test_trl_and_openenv_play_the_hand_that_text_env_plays(seed: int) -> None:
    assert example("trl_environment")(last_move, seed) == expected(seed)
    assert example("openenv_environment")(lambda text: f"[{last_move(text)}]", seed) == expected(seed)


def test_a_model_that_only_talks_loses_and_an_unfinished_hand_is_told_apart() -> None:
    assert example("trl_environment")(lambda text: "hm") == -1
    assert example("openenv_environment")(lambda text: "hm") == -1
    env = example("trl_environment", "UnoEnvironment")()
    assert "Answer with one of these moves" in (env.reset(seed=1), env.play("99"))[1]
    assert env.get_reward() == -0.5
    while not env.play("1").startswith("The hand is"):
        pass
    assert (env.play("1"), abs(env.get_reward())) == ("The hand is over.", 1)


def test_trl_finds_the_tool_and_what_it_takes() -> None:
    from transformers.utils import get_json_schema

    kind = example("trl_environment", "UnoEnvironment")
    assert [name for name in vars(kind) if not name.startswith("_")] == ["reset", "play", "get_reward"]
    schema = get_json_schema(kind().play)["function"]
    assert (schema["name"], schema["parameters"]["required"]) == ("play", ["move"])


@pytest.mark.parametrize("players", [2, 3, 6])
def test_textarena_tells_each_seat_only_its_own(players: int) -> None:
    told: list[str] = []

    def play(text: str) -> str:
        told.append(text)
        return f"[{last_move(text)}]"

    rewards = example("textarena_env")(play, players, 5)
    game, text_of = Game("duel", seed=5, players=players), iter(told)
    while not game.over:
        assert prompt_for(game) in next(text_of)
        game.step(game.legal_actions()[-1])
    assert list(rewards.values()) == pytest.approx(game.rewards())


def test_textarena_ends_a_hand_of_answers_without_a_move() -> None:
    answers: list[str] = []
    rewards = example("textarena_env")(lambda text: answers.append(text) or "hm", 2, 5)
    assert sorted(rewards.values()) == [-1, 0]
    assert len(answers) == 3
    assert "attempted an invalid move" in answers[1]


def test_openenv_serves_it_over_a_socket() -> None:
    from starlette.testclient import TestClient

    with TestClient(example("openenv_environment", "app")).websocket_connect("/ws") as line:
        line.send_json({"type": "reset", "data": {"seed": 3}})
        seen = line.receive_json()["data"]["observation"]["text"]
        assert seen == TextEnv("duel", opponents="greedy").reset(3)
        line.send_json({"type": "step", "data": {"text": "hm"}})
        assert line.receive_json()["data"]["observation"]["text"].startswith("No clear move was found")


def test_grpo_teaches_a_tiny_model_to_name_legal_moves(tmp_path: Path) -> None:
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    words = ["<pad>", "<end>", "<other>", "Moves", *map(str, range(10)), "red", "green", "draw", "pass"]
    base = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, "<other>"))
    base.pre_tokenizer = pre_tokenizers.Whitespace()
    tokens = PreTrainedTokenizerFast(tokenizer_object=base, pad_token="<pad>", eos_token="<end>", unk_token="<other>")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(words), hidden_size=8, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        tie_word_embeddings=True, pad_token_id=0, eos_token_id=1, bos_token_id=None, max_position_embeddings=1024,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    assert sum(weight.numel() for weight in model.parameters()) < 1000
    games = [game for game in (Game("duel", seed=seed) for seed in range(64)) if len(game.legal_actions()) > 1]
    rows = [{"prompt": prompt_for(game), "legal": game.legal_actions()} for game in games]

    def reward(completions: list[str], legal: list[list[int]], **_: Any) -> list[float]:
        return [
            float(read_answer(text, moves).action is not None) for text, moves in zip(completions, legal, strict=True)
        ]

    options = GRPOConfig(
        str(tmp_path), per_device_train_batch_size=32, num_generations=8, max_completion_length=1, learning_rate=0.03,
        max_steps=30, use_cpu=True, bf16=False, report_to=[], logging_steps=1, save_strategy="no", disable_tqdm=True,
        lr_scheduler_type="constant",
    )  # fmt: skip
    trainer = GRPOTrainer(model, reward, options, Dataset.from_list(rows), processing_class=tokens)
    trainer.train()
    rewards = [each["reward"] for each in trainer.state.log_history if "reward" in each]
    print(rewards)
    assert sum(rewards[-5:]) / 5 > sum(rewards[:5]) / 5 + 0.3
