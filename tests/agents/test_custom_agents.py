"""agents/custom_agents.py: code of users and other packages plays wherever an agent can be named, and only there."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import agents
from agents import custom_agents
from agents.spoken_names import short_name
from tests.helpers.positions import asked
from train.cli.main import main
from train.evaluation.duplicate import evaluate
from train.evaluation.tournament_setup import new_tournament, saved_tournament
from uno_env import Rules
from uno_env.actions import name as action_name
from uno_env.observation import SCALES, float_form
from uno_env.player import PlayerError, as_player, checked_choices
from uno_table.table import Setup, Table
from uno_table.table.saved_table import read_table, restore, saved_table

DUEL = Rules.preset("duel")
CODE = """
import numpy as np
import sibling

def first(observation, mask):
    assert observation.dtype == np.float32 and mask.dtype == bool
    return np.flatnonzero(mask)[0]

class Careful:
    def __init__(self, seed=0, *, depth: int = 1, rules=None):
        self.seed, self.depth, self.rules = seed, depth, rules
        self.rng = np.random.default_rng(seed)
    def reset(self, seed):
        self.rng = np.random.default_rng(seed)
    def act_batch(self, observations, masks):
        return (self.rng.random(masks.shape) * masks).argmax(axis=1)
    def probabilities(self, observations, masks):
        return masks / masks.sum(axis=1, keepdims=True)

class Called:
    def __call__(self, observation, mask):
        return mask.argmax()

class Needy:
    def __init__(self, size): ...
    def act_batch(self, observations, masks): ...

class Broken:
    def __init__(self): raise RuntimeError("no weights here")

class Empty: ...

def one(observation): return 0
def illegal(observation, mask): return int(mask.argmin())
def nothing(observation, mask): return None
def fails(observation, mask): return {}["key"]
def real(observation, mask): return 0.5
NUMBER = 3
"""


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a file of a user's agents, which imports another one beside it."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "sibling.py").write_text("")
    (tmp_path / "theirs.py").write_text(CODE)
    return str(tmp_path / "theirs.py")


@pytest.mark.parametrize("name", ["first", "Careful", "Careful?depth=3", "Called"])
def test_code_plays_as_an_agent(code: str, name: str) -> None:
    observations, masks = (array[:50] for array in asked("duel", 2))
    agent = agents.load(f"{code}:{name}", seed=4, rules="duel")
    assert agent.name == f"{code}:{name}"
    chosen = agent.act_batch(observations, masks)
    assert masks[np.arange(50), chosen].all()
    agent.reset(4)
    assert agent.act_batch(observations * SCALES, masks).tolist() == chosen.tolist()
    assert agent.act(observations[0], masks[0]) in np.flatnonzero(masks[0])


def test_a_class_gets_seed_rules_and_options(code: str) -> None:
    made: Any = agents.load(f"{code}:Careful?depth=3", seed=7, rules="duel")
    inner = made.player.actor
    assert (inner.seed, inner.depth, inner.rules) == (7, 3, DUEL)
    observations, masks = (array[:5] for array in asked("duel", 2))
    probabilities = made.probabilities(observations, masks)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert made.values(observations) is None


def test_modules_are_found_in_the_current_folder(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(code).parent)
    assert evaluate("theirs:first", "random", deals=4).games == 8
    assert custom_agents.code_of("theirs:first?x=1") == Path(code)


def test_installed_packages_offer_agents(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [EntryPoint("calm", f"{code}:Careful", custom_agents.ENTRY_POINTS)]
    monkeypatch.setattr(
        custom_agents, "entry_points", lambda group: entries if group == custom_agents.ENTRY_POINTS else []
    )
    custom_agents.offered.cache_clear()
    try:
        assert "calm" in agents.names()
        assert agents.load("calm?depth=2", trusted=False).name == "calm?depth=2"
        assert custom_agents.code_of("calm") == Path(code)
    finally:
        custom_agents.offered.cache_clear()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Frist", r"'.*theirs.py' has no 'Frist' \(did you mean 'first'\?\)"),
        ("Careful?deph=3", r"has no option 'deph' \(did you mean 'depth'\?\): options are depth"),
        ("Careful?depth=many", "depth='many' is not allowed: choose a whole number"),
        ("first?x=1", "has no option 'x': it takes none"),
        ("Needy", "size is missing: give a text"),
        ("Broken", r"cannot be made: RuntimeError: no weights here \(theirs.py, line \d+\)"),
        ("Empty", r"is no agent: give one with act\(\) or act_batch"),
        ("one", r"one\(observation\) is no agent: give a function of \(observation, mask\)"),
        ("NUMBER", "3 is no agent"),
        ("np", "is no agent"),
    ],
)
def test_what_cannot_play_is_refused_in_a_sentence(code: str, name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        agents.load(f"{code}:{name}")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("raise KeyError('x')", r"importing 'bad.py' fails: KeyError: 'x' \(bad.py, line 1\)"),
        ("def f(:", r"importing 'bad.py' fails: SyntaxError: invalid syntax \(bad.py, line 1\)"),
        ("import nowhere_at_all", "importing 'bad.py' fails: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("raise SystemExit(3)", "importing 'bad.py' fails: SystemExit: 3"),
    ],
)
def test_code_that_cannot_be_imported(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.py").write_text(text)
    with pytest.raises(ValueError, match=message):
        agents.load(f"{tmp_path}/bad.py:f")


def test_there_is_no_such_module_or_file() -> None:
    with pytest.raises(ValueError, match="there is no module 'nowhere_at_all'"):
        agents.load("nowhere_at_all:f")
    with pytest.raises(ValueError, match=r"there is no module 'json\.nowhere'"):
        agents.load("json.nowhere:f")
    with pytest.raises(ValueError, match=r"there is no file 'no/such\.py'"):
        agents.load("no/such.py:f")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("illegal", "chose an action that is not legal: "),
        ("nothing", "returned something else: it must return"),
        ("real", r"returned an array of float64 \[\d+\]"),
        ("fails", r"failed: KeyError: 'key' \(theirs.py, line \d+\)"),
    ],
)
def test_what_it_may_not_do_ends_in_a_sentence(
    code: str, name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = f"{code}:{name}"
    with pytest.raises(PlayerError, match=message):
        evaluate(spec, "random", deals=2)
    assert main(["evaluate", spec, "--against", "random", "--deals", "2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"uno: agent '{spec}'")
    assert error.count("\n") == 1


def test_anything_that_chooses_can_be_given_in_python(code: str) -> None:
    def first(observation: Any, mask: Any) -> int:
        return int(mask.argmax())

    assert evaluate(first, "random", deals=4).agent == "first"
    assert as_player(first).name == "first"
    env = gymnasium.make("uno_env/Uno-v0", rules="duel", opponents=first)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="Empty is a class: give an instance of it"):
        as_player(type("Empty", (), {}))
    for wrong in ([1.0], [[1]], [[1], [1, 2]], None, [132], [-1]):
        with pytest.raises(PlayerError):
            checked_choices("x", wrong, np.ones((1, 132), np.uint8))


@pytest.mark.thorough
def test_it_plays_tournaments_over_processes_and_goes_on(code: str, tmp_path: Path) -> None:
    specs, folder = [f"{code}:first", f"{code}:Careful", "greedy"], tmp_path / "saved"
    one = new_tournament(specs, DUEL, deals=20).play(workers=1)
    two = new_tournament(specs, DUEL, deals=20, folder=folder).play(workers=2)
    assert one["cross"] == two["cross"]
    assert new_tournament(specs, DUEL, deals=20, folder=folder).play(workers=1)["cross"] == two["cross"]
    with pytest.raises(ValueError, match="is code, and names of code are taken from the command line"):
        saved_tournament(folder)
    Path(code).write_text(CODE + "# changed\n")
    with pytest.raises(ValueError, match="the file of a policy or an agent has changed since"):
        new_tournament(specs, DUEL, deals=20, folder=folder)


@pytest.mark.parametrize("spec", ["{code}:first", "os:system", "search:flat?policy={code}:first"])
def test_files_and_messages_name_no_code(code: str, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("uno_env.common.importing.import_object", lambda text: pytest.fail(f"{text} was imported"))
    monkeypatch.setattr(custom_agents, "import_object", lambda text: pytest.fail(f"{text} was imported"))
    with pytest.raises(ValueError, match=r"is code, and names of code|has no option"):
        agents.load(spec.format(code=code), trusted=False)


def test_a_browser_may_seat_what_the_server_was_started_with_alone(code: str) -> None:
    pytest.importorskip("starlette")
    from uno_table.web.lobby import Lobby

    given, other = f"{code}:first", f"{code}:Careful"
    lobby = Lobby({"agents": [given]})
    setup = Setup.against([given], DUEL, hints=False)
    assert lobby._make_table(setup).seats[1].name == "first"
    saved = Table(Setup.against([other], DUEL, hints=False))
    with pytest.raises(ValueError, match="is code, and names of code"):
        restore(read_table(json.loads(json.dumps(saved_table(saved)))), lobby._trusted)
    saved = Table(Setup.against([given], DUEL, hints=False))
    assert restore(read_table(json.loads(json.dumps(saved_table(saved)))), lobby._trusted).seats[1].name == "first"
    for refused in (
        Setup.against([other], DUEL, hints=False),
        Setup.against(["greedy"], DUEL, adviser=other),
        Setup.against([f"{given}?x=1"], DUEL, hints=False),
    ):
        with pytest.raises(ValueError, match="is code, and names of code"):
            lobby._make_table(refused)


def test_at_a_table_a_failing_agent_makes_a_quiet_move_and_says_so(code: str) -> None:
    table = Table(Setup.against([f"{code}:fails"], DUEL, adviser=f"{code}:fails"))
    table.sit(table.seats[0].invitation, "Ann", 0.0)
    now = 0.0
    while not (questions := table.questions(now)):
        assert now < 100, "the agent is never asked"
        if legal := table.choices(0):
            advice = table.hint_question(0, now)
            assert advice is not None
            assert advice.hints().shares == {}
            table.move(0, action_name(legal[0]), table.ticket(0), now)
        now += 1
        table.tick(now)
    (question,) = questions
    assert question.choose() == -1
    assert table.answer(question, -1, now)
    table.tick(now + 60)
    assert table.seats[1].has_failed
    assert short_name(f"{code}:Careful?depth=2") == "Careful"
    assert short_name("my_package.players:Best") == "Best"


def test_games_of_it_are_kept_with_what_it_thought(code: str, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    line = ["evaluate", f"{code}:Careful", "--against", "greedy", "--deals", "2", "--save-games", "1"]
    assert main([*line, "--save-to", str(folder)]) == 0
    (file,) = folder.iterdir()
    notes = json.loads(file.read_text())["notes"]
    assert any(note and sum(note["probabilities"].values()) == pytest.approx(1, abs=0.01) for note in notes)
    assert main(["replay", str(file), "--html", str(tmp_path / "game.html")]) == 0


@pytest.mark.thorough
def test_it_can_be_a_member_of_a_league(code: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from train.algorithms.ppo import PPOConfig
    from train.algorithms.registry import train

    config = PPOConfig(
        folder=str(tmp_path), num_envs=8, num_steps=16, hidden=(8,), minibatch_size=64, total_timesteps=256,
        eval_every=0, threads=1, precision="float32", league_share=0.5, league_size=0, eval_against=(),
        league_scripted=(f"{code}:first",),
    )  # fmt: skip
    folder = train(config)
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert any(f"league/win_rate_vs_{code}:first" in line for line in lines)


def test_float_and_integer_form_are_each_others() -> None:
    observations = asked("duel", 2)[0][:9]
    assert (float_form(observations) == observations * SCALES).all()
    assert float_form(float_form(observations)).dtype == np.float32
    with pytest.raises(ValueError, match="an observation has"):
        float_form(np.zeros(3))


def test_threads_that_name_the_same_file_wait_until_it_is_loaded(tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text("import time\ntime.sleep(0.3)\ndef first(observation, mask):\n    return int(mask.argmax())\n")
    with ThreadPoolExecutor(2) as pool:
        loaded = list(pool.map(agents.load, [f"{file}:first"] * 2))
    assert [agent.name for agent in loaded] == [f"{file}:first"] * 2
