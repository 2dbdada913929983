"""A model behind an address: how it is asked, kept, resumed, counted and limited, also by servers that do wrong."""

import json
import stat
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.chat import chat_agent
from tests.agents.chat.chat_server import completion, first_move, last_move, new_process, serving
from train.cli.main import main
from train.evaluation.duplicate import evaluate
from uno_env import BatchedGames, Game, Rules
from uno_env.history import history_for
from uno_env.player import PlayerError
from uno_env.text import EVENTS, prompt_for, rules_text

QUICK = "duel,hand_size=2"


@pytest.fixture(autouse=True)
def forget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As in a new process, in a folder of its own."""
    new_process()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("UNO_CHAT_KEY", raising=False)


def rows(number: int, rules: str = "duel") -> tuple[Any, Any, Any]:
    """Observations, masks and histories of games in which several moves are legal."""
    batch = BatchedGames(64, rules, seed=3, obs_dtype="uint8", history=EVENTS)
    obs, mask, _ = batch.reset()
    chosen = np.flatnonzero(mask.sum(axis=1) > 1)[:number]
    return obs[chosen], mask[chosen], batch.history[chosen]


def load(address: str, **options: Any) -> Any:
    """The agent, with short waits."""
    given = {"model": "tiny", "retries": 0, "timeout": 3, **options}
    return agents.load(f"chat:{address}?{'&'.join(f'{name}={value}' for name, value in given.items())}")


def last_legal(mask: Any) -> Any:
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_it_plays_what_the_model_says(concurrency: int) -> None:
    with serving(last_move) as server:
        agent = load(server.address, concurrency=concurrency, temperature=0, max_tokens=99)
        obs, mask, history = rows(20)
        assert agent.act_batch(obs, mask, history).tolist() == last_legal(mask).tolist()
        assert len(server.requests) == 20
        sent = server.requests[0]
        assert (sent["path"], sent["model"]) == ("/v1/chat/completions", "tiny")
        assert (sent["temperature"], sent["max_tokens"]) == (0, 99)
        assert "Authorization" not in server.headers[0]


def test_it_is_told_what_the_seat_may_know() -> None:
    game = Game("classic", seed=4)
    with serving(first_move) as server:
        agent = load(server.address)
        seen = game.observe(game.to_move), game.action_mask(), *history_for(agent, game.events, game.to_move)
        assert agent.act(*seen) == game.legal_actions()[0]
        system, user = server.requests[0]["messages"]
    assert system["content"] == rules_text(game.rules)
    assert user["content"] == prompt_for(game)


def test_a_forced_move_is_not_asked_for() -> None:
    with serving(first_move) as server:
        obs, mask, history = rows(3)
        only = np.zeros_like(mask)
        only[:, 112] = 1
        assert load(server.address).act_batch(obs, only, history).tolist() == [112] * 3
        assert server.requests == []


def test_rethinks_and_moves_by_chance_are_counted() -> None:
    said = iter(["hm", "[77]", "[1]", *["r5 or r6"] * 3])
    with serving(lambda request: next(said)) as server:
        agent = load(server.address)
        obs, mask, history = rows(2)
        assert agent.act_batch(obs[:1], mask[:1], history[:1])[0] == mask[0].argmax()
        assert [each["role"] for each in server.requests[2]["messages"]] == [
            "system",
            *["user", "assistant"] * 2,
            "user",
        ]
        assert server.requests[1]["messages"][3]["content"].startswith("No clear move was found in the answer.")
        chosen = agent.act_batch(obs[1:], mask[1:], history[1:])[0]
        assert mask[1, chosen]
        (tally,) = chat_agent.TALLIES.values()
        assert (tally.decisions, tally.rethinks, tally.illegal, tally.unclear, tally.by_chance) == (2, 4, 1, 4, 1)
        assert "rethinks 4 (200.0 %), illegal 1 (50.0 %)" in tally.sentence("x")


def test_exchanges_are_saved_as_they_happen_and_not_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "kept.jsonl"
    obs, mask, history = rows(6)
    with serving(lambda request: completion(last_move(request), prompt_tokens=1000, completion_tokens=7)) as server:
        agent = load(server.address, save=file)
        first = agent.act_batch(obs, mask, history)
        assert len(file.read_text().splitlines()) == 6
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        spent = chat_agent.TALLIES[agent.name].tokens_in
        assert spent == 6000
        new_process()
        with open(file, "a") as cut:
            cut.write('{"key": "cut o')
        again = load(server.address, save=file)
        assert (again.act_batch(obs, mask, history) == first).all()
        assert len(server.requests) == 6
        assert (chat_agent.TALLIES[again.name].resumed, chat_agent.TALLIES[again.name].tokens_in) == (6, spent)
        again.act_batch(obs[:1], mask[:1], history[:1])  # a second time: another answer
        assert len(server.requests) == 7
        assert [json.loads(line)["read"] for line in file.read_text().splitlines()[:6]] == [str(each) for each in first]


def test_a_key_is_sent_and_neither_shown_nor_saved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret-123")
    obs, mask, history = rows(2)
    with serving(lambda request: "your key is sk-secret-123\n[1]") as server:
        load(server.address, key="MY_KEY", save=tmp_path / "kept").act_batch(obs, mask, history)
        assert server.headers[0]["Authorization"] == "Bearer sk-secret-123"
    assert "secret" not in (tmp_path / "kept").read_text()
    answers = [
        (401, {}, b"no such key: sk-secret-123"), b"sk-secret-123", b'{"error": "\\u0073k-SECRET-123"}',
        bytearray(b"HTTP/1.1 sk-secret-123\r\n\r\n"), bytearray(b"sk-secret-123 \x1b[31m\r\n\r\n"),
    ]  # fmt: skip
    for answer in answers:
        with serving(lambda request, answer=answer: answer) as server, pytest.raises(PlayerError) as refused:  # type: ignore[misc]
            load(server.address, key="MY_KEY", save=tmp_path / "other").act_batch(obs, mask, history)
        assert "secret" not in str(refused.value).lower()
        assert "(key)" in str(refused.value)
        assert str(refused.value).isprintable()


def test_a_lone_surrogate_of_a_model_is_neither_shown_nor_saved(tmp_path: Path) -> None:
    with serving(lambda request: "because \ud83d of\n[1]") as server:
        agent = load(server.address, save=tmp_path / "kept")
        agent.act_batch(*rows(2))
    assert agent.reasons == ["because ? of\n[1]"] * 2
    kept = [json.loads(line)["reply"]["text"] for line in (tmp_path / "kept").read_text().splitlines()]
    assert kept == agent.reasons


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("hang", "no answer in 0.4 seconds"),
        ("drip", "no answer in 0.4 seconds"),
        ("drip headers", "no answer in 0.4 seconds"),
        ("flood", "the answer has more than 1,048,576 bytes"),
        ("break off", "the answer is no chat completion"),
        (b"", "the answer is no chat completion: ''"),
        (b"[1]", "the answer is no chat completion: '[1]'"),
        (b"[" * 100_000, "the answer is no chat completion"),
        (b'{"choices": [{"message": {"content": 7}}]}', "the answer is no chat completion"),
        (b"\xff\x00", "the answer is no chat completion"),
        (
            (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b\x08"),
            "the answer is compressed ('gzip'), which was not asked for",
        ),
        ((500, {"Content-Encoding": "br"}, b"xyz"), "status 500, the answer is compressed ('br')"),
        (b"\x1f\x8b\x08\x00", "the answer is compressed ('gzip')"),
        (bytearray(b"HTTP/1.1 \x1b]0;owned\x07 \xc2\x9b31m\r\n\r\n"), "gave no answer: HTTP/1.1 ]0;owned"),
        ((404, {}), "status 404, 'busy'"),
        ((503, {}), "status 503, 'busy'"),
        ((302, {"Location": "/elsewhere"}), "status 302, 'busy'"),
    ],
)
def test_servers_that_do_wrong_end_in_a_sentence(answer: Any, sentence: str) -> None:
    began = time.monotonic()
    with serving(lambda request: answer) as server:
        with pytest.raises(PlayerError) as refused:
            load(server.address, timeout=0.4).act_batch(*rows(1))
        assert str(refused.value).startswith(f"{server.address} gave no answer: ")
        assert sentence in str(refused.value)
        assert str(refused.value).isprintable()
        assert len(server.requests) == 1
        assert time.monotonic() - began < 3


def test_what_passes_is_tried_again_and_what_does_not_is_not() -> None:
    said = iter([(429, {"Retry-After": "0"}), "break off", "[1]"])
    with serving(lambda request: next(said)) as server:
        assert load(server.address, retries=2).act_batch(*rows(1)).size == 1
        assert len(server.requests) == 3
    with serving(lambda request: (400, {})) as server:
        with pytest.raises(PlayerError, match="status 400"):
            load(server.address, retries=5).act_batch(*rows(1))
        assert len(server.requests) == 1


@pytest.mark.parametrize("lie", [{"prompt_tokens": -5}, {"prompt_tokens": "9"}, {"prompt_tokens": True}, {}])
def test_a_budget_holds_whatever_a_server_tells(lie: dict[str, Any]) -> None:
    with serving(lambda request: completion("[1]", **lie)) as server:
        agent = load(server.address, tokens=2000, max_tokens=50, concurrency=4)
        with pytest.raises(PlayerError, match=r"^the budget tokens=2000 is spent: [0-9,]+ were used\. The "):
            agent.act_batch(*rows(30))
        tally = chat_agent.TALLIES[agent.name]
        assert 1000 < tally.tokens_in + tally.tokens_out <= 2000
        assert len(server.requests) == tally.decisions < 10


def test_a_budget_of_money_holds() -> None:
    with serving(lambda request: completion("[1]", prompt_tokens=400, completion_tokens=10)) as server:
        agent = load(server.address, cost=0.002, price_in=1, price_out=2, max_tokens=10, concurrency=1)
        with pytest.raises(PlayerError, match=r"^the budget cost=0\.002 is spent: 0\.00[0-9]+ was\."):
            agent.act_batch(*rows(30))
        assert 0 < chat_agent.TALLIES[agent.name].cost <= 0.002


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("chat:http://localhost:1/v1", "model is missing: give a text"),
        ("chat:localhost?model=a", "'localhost' is no address: write http://HOST:PORT/v1 or https://HOST/v1"),
        ("chat:ftp://localhost?model=a", "'ftp://localhost' is no address"),
        ("chat:http://me:pw@localhost?model=a", "'http://me:pw@localhost' is no address"),
        ("chat:http://localhost:x?model=a", "'http://localhost:x' is no address"),
        ("chat:http://localhost?model=a&tokens=0", "tokens='0' is not allowed"),
        ("chat:http://localhost?model=a&nonsense=1", "agent 'chat:http://localhost?model=a&nonsense=1' has no option"),
    ],
)
def test_a_spec_that_is_not_allowed_is_named(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:
        agents.load(spec)
    assert sentence in str(refused.value)


def test_the_whole_of_an_evaluation_and_its_resumption(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with serving(first_move) as server:
        spec = f"chat:{server.address}?model=tiny"
        line = ["evaluate", spec, "--against", "greedy", "--deals", "3", "--rules", QUICK, "--json", "out.json"]
        assert main(line) == 0
        asked, told = len(server.requests), capsys.readouterr().out
        assert "rethinks 0 (0.0 %)" in " ".join(told.split())
        measured = json.loads((tmp_path / "out.json").read_text())
        assert measured["chat"][spec]["decisions"] == asked
        new_process()
        assert main(line) == 0
        assert len(server.requests) == asked
        again = json.loads((tmp_path / "out.json").read_text())
        assert again["evaluations"][0]["win_rate"] == measured["evaluations"][0]["win_rate"]
        assert again["chat"][spec]["resumed"] == asked
        new_process()
        rules = Rules.preset("duel", hand_size=2)
        direct = evaluate(lambda observation, mask: int(mask.argmax()), "greedy", rules, 3)
        assert direct.win_rate == measured["evaluations"][0]["win_rate"]


def test_a_tournament_and_an_end_of_the_budget(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(first_move) as server:
        spec = f"chat:{server.address}?model=tiny"
        assert main(["tournament", spec, "greedy", "--deals", "2", "--rules", QUICK]) == 0
        assert "rethinks 0" in " ".join(capsys.readouterr().out.split())
        line = ["evaluate", f"{spec}&tokens=3000&save=x.jsonl", "--against", "greedy", "--deals", "9"]
        assert main([*line, "--rules", QUICK]) == 2
        assert "the budget tokens=3000 is spent" in capsys.readouterr().err


def test_it_sits_at_a_table_and_says_why() -> None:
    with serving(first_move) as server:
        lines = iter(["1"] * 200)
        from uno_table.plain_text import PlainText
        from uno_table.table import Setup, Table

        spec = f"chat:{server.address}?model=tiny"
        table = Table(Setup.against([spec], Rules.preset("duel"), seed=3))
        said: list[str] = []
        PlainText(table, lambda prompt: next(lines), said.append).play_hand()
        assert "player_1 (tiny) wrote: I take the first one. [1]" in "\n".join(said)


def test_a_server_that_is_not_there_is_said_and_nothing_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["evaluate", "chat:http://127.0.0.1:9/v1?model=tiny&retries=0", "--against", "random", "--rules", QUICK]
    assert main([*line, "--games", "4"]) == 2
    said = capsys.readouterr()
    assert "gave no answer: [Errno" in said.err
    assert "decisions" not in said.out, "no row of zeros"
