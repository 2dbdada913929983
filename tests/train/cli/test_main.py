"""The command ``uno``: every subcommand, and one sentence with exit code 2 for every mistake of a user."""

import contextlib
import gc
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.compiling import without_compiling
from tests.helpers.marks import thorough
from train.cli.arguments import make_rules, overrides
from train.cli.main import main
from train.evaluation.duplicate import BATCH, evaluate
from uno_env import Game, Rules
from uno_env import actions as catalogue
from uno_env.replay import Replay
from uno_table.hands import measuring
from uno_table.hands.review import costs_text
from uno_table.plain_text import PlainText, parse_move
from uno_table.replay_viewer import replay, step_through
from uno_table.table import Setup, Table


class Run:
    """What a command wrote, and its exit code."""

    def __init__(self, *arguments, capsys):
        capsys.readouterr()
        try:
            self.code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            self.code = stop.code
        self.out, self.err = capsys.readouterr()


@pytest.fixture
def uno(capsys):
    return lambda *arguments: Run(*arguments, capsys=capsys)


def assert_one_sentence(run, *parts):
    assert run.code == 2, run.err
    assert run.err.startswith("uno: ")
    assert run.err.count("\n") == 1, run.err
    assert "Traceback" not in run.err
    for part in parts:
        assert part in run.err


# --- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("trian", ["'trian'", "did you mean 'train'", "evaluate", "replay"]),
        ("rules jumpin", ["'jumpin'", "did you mean 'jump_in'"]),
        ("evaluate search:imcts --against random", ["'imcts'", "did you mean 'ismcts'"]),
        ("benchmark run duel2 --budget 1000", ["'duel2'", "did you mean 'duel-2p'"]),
        ("benchmark run duel-2p --budget 1000 --suite v0", ["'v0'", "there are v1"]),
        ("benchmark submit nowhere", ["'nowhere'", "submission.yaml"]),
        ("--foo", ["COMMAND"]),
        ("agents extra", ["'extra'", "uno agents --help"]),
        ("evaluate", ["AGENT", "--against"]),
        ("evaluate greedy", ["--against"]),
        ("evaluate greedy --against", ["--against"]),
        ("evaluate greedy random --against random", ["'random'"]),
        ("evaluate gredy --against random", ["'gredy'", "did you mean 'greedy'", "random-play"]),
        ("evaluate greedy --against rnd", ["'rnd'", "random"]),
        ("evaluate missing.safetensors --against random", ["missing.safetensors", "no such file"]),
        ("evaluate greedy --against random --delas 1", ["'--delas'", "did you mean '--deals'"]),
        ("evaluate zoo:duel2p --against random", ["did you mean 'duel-2p'"]),
        ("help nothing", ["'nothing'", "train"]),
        ("train nothing --help", ["nothing", "ppo_duel-2p"]),
        ("train --seed=1", ["name a config"]),
        ("train --rules duel --seed 1", ["--rules", "before the config", "uno train CONFIG --rules VALUE"]),
        ("train ppo_duel-2p --total-timestep 1", ["did you mean 'total_timesteps'"]),
        ("train ppo_duel-2p --lr 1e-3", ["'lr'", "did you mean 'learning_rate'"]),
        ("train ppo_duel-2p --n-envs 8", ["'n_envs'", "did you mean 'num_envs'"]),
        ("train sb3_ppo_duel-2p --batch_size=8", ["'batch_size'", "did you mean 'minibatch_size'"]),
        ("train ppo_duel --seed 1", ["ppo_duel", "did you mean 'ppo_duel-2p'"]),
        ("benchmark chatt", ["did you mean 'chat'"]),
        ("evaluate greedy --against random --foo 1", ["'--foo'", "uno evaluate --help"]),
        ("evaluate greedy --against random --deals many", ["'many'", "from 2 to 10000000"]),
        ("evaluate greedy --against random --deals 1", ["'1'", "from 2 to 10000000"]),
        ("evaluate greedy --against random --deals 1e23", ["'1e23'", "from 2 to 10000000"]),
        ("evaluate greedy --against random --games 1e12", ["'1e12'", "from 4 to 20000000"]),
        ("tournament greedy random --deals 1e18", ["'1e18'", "from 2 to 10000000"]),
        ("benchmark exploit greedy --deals 1e18", ["'1e18'", "from 2 to 10000000"]),
        ("benchmark run duel-2p --budget 1000 --deals 1e18", ["'1e18'", "from 0 to 10000000"]),
        ("benchmark chat greedy --hands 1e18", ["'1e18'", "from 1 to 10000000"]),
        ("evaluate greedy --against random --deals 10 --games 20", ["--games", "--deals"]),
        ("evaluate greedy --against random --games 7", ["7", "multiple of 2"]),
        ("evaluate greedy --against random --rules classic --games 4", ["4", "multiple of 4", "8 or more"]),
        ("evaluate greedy --against random --rules due", ["'due'", "did you mean 'duel'", "classic"]),
        ("evaluate greedy --against random --rules duel,stacking=3", ["stacking='3'", "'off'"]),
        ("evaluate greedy --against random --rules duel,hand_size=[", ["hand_size='['"]),
        ("evaluate greedy --against random --rules duel,hand_sise=3", ["'hand_sise'", "did you mean 'hand_size'"]),
        ("evaluate greedy --against random --rules duel,draw", ["'draw'", "field=value"]),
        ("evaluate greedy --against random --rules duel,draw=one,draw=one", ["duel,draw=one,draw=one", "'draw' twice"]),
        ("evaluate greedy --against random --rules duel,preset=house", ["duel,preset=house", "'preset' twice"]),
        ("evaluate greedy --against random --rules duel,players=3 --players 4", ["duel,players=3", "with 4 players"]),
        ("evaluate greedy --against random --players 11", ["players=11", "2 to 10"]),
        ("evaluate greedy --against random --players 1", ["'1'", "2 or more"]),
        ("rules chess", ["'chess'", "jump_in"]),
        ("evaluate greedy --against random --seed -1", ["'-1'", "0 to"]),
        ("evaluate greedy --against random --batch 0", ["'0'", "1 or more"]),
        ("evaluate greedy --against random --json /no/such/folder/x.json", ["/no/such/folder/x.json"]),
        ("evaluate greedy --against random --json .", ["'.'", "folder"]),
        ("play nobody", ["'nobody'", "greedy"]),
        ("play --players 11", ["11", "2 to 10"]),
        ("play greedy greedy --players 2", ["2", "3 to 10"]),
        ("play " + "greedy " * 10, ["10", "1 to 9"]),
        ("play --web --plain", ["--plain", "--web"]),
        ("play --web --port 65536", ["'65536'", "0 to 65535"]),
        ("play --web --port 0 --host 203.0.113.1", ["203.0.113.1", "--host"]),
        ("play --plain --host 0.0.0.0", ["--host is for --web", "leave --host out"]),
        ("play --plain --port 8000", ["--port is for --web"]),
        ("play --plain --allow-host example.org", ["--allow-host is for --web"]),
        ("play --plain --tables saved", ["--tables is for --web"]),
        ("play --rules hose", ["'hose'", "did you mean 'house'"]),
        ("play --rules duel,players=4", ["duel,players=4", "with 2 players", "--players"]),
        ("play --web --port 0 --rules duel,players=11", ["duel,players=11", "with 2 players"]),
        ("replay", ["FILE"]),
        ("replay missing.json", ["missing.json"]),
        ("replay missing.json --view 1", ["--view", "--html", "--adviser"]),
        ("replay missing.json --html x.html --view 10", ["'10'", "from 0 to 9"]),
        ("evaluate greedy --against random --save-games -1", ["'-1'", "from 0"]),
        ("plot", ["RUN"]),
        ("plot missing", ["missing: No such file"]),
        ("plot .", ["'.'", "config.yaml"]),
        ("benchmark", ["WHAT"]),
        ("benchmark nothing", ["'nothing'", "leaderboard"]),
        ("train missing.yaml", ["missing.yaml"]),
        ("evaluate tuned --against random --rules rlcard --luck-adjusted", ["luck", "dialect='rlcard'"]),
        ("evaluate tuned --against random --rules duel,hand_size=5 --luck-adjusted", ["luck", "by these rules: there"]),
        ("tournament greedy", ["1 agent cannot play a tournament"]),
        ("tournament greedy random greedy", ["agent 'greedy' is named twice"]),
        ("tournament greedy nobody", ["unknown agent 'nobody'"]),
        ("tournament greedy random --rules nothing", ["nothing"]),
        ("tournament greedy random --games 5", ["--games 5 is not allowed"]),
        ("tournament --resume nowhere", ["'nowhere' holds no tournament to go on with"]),
        ("tournament greedy --resume nowhere", ["--resume goes on with a tournament as it is"]),
    ],
)
def test_a_mistake_on_the_command_line_is_one_sentence_and_leaves_nothing(uno, line, parts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_one_sentence(uno(*line.split()), *parts)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "not JSON"),
        (b"{}", "format"),
        (b"[]", "format"),
        (b'{"format": "uno-game", "version": 99}', "99"),
        ("\0\xff".encode(), "not JSON"),
        (bytes(range(256)), ""),
    ],
)
def test_files_that_are_no_games(uno, tmp_path, data, part):
    file = tmp_path / "broken.json"
    file.write_bytes(data)
    assert_one_sentence(uno("replay", file), "broken.json", part)


def test_a_page_does_not_replace_the_game_that_it_shows(uno, tmp_path):
    saved = tmp_path / "game.json"
    saved.write_text(Game("duel", seed=1).to_json())
    (tmp_path / "link.html").symlink_to(saved)
    for page in (saved, tmp_path / "." / "game.json", tmp_path / "link.html"):
        assert_one_sentence(uno("replay", saved, "--html", page), "is the saved game itself", "another file")
    assert saved.read_text() == Game("duel", seed=1).to_json()


def test_an_empty_host_is_no_address(uno, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_one_sentence(uno("play", "--web", "--port", "0", "--host", ""), "--host ''", "127.0.0.1")


def test_a_policy_that_is_none(uno, tmp_path):
    file = tmp_path / "policy.safetensors"
    file.write_bytes(b"x" * 100)
    for line in (("evaluate", file, "--against", "random"), ("evaluate", "random", "--against", file), ("play", file)):
        assert_one_sentence(uno(*line), "policy.safetensors")


def test_bugs_keep_their_traceback(monkeypatch):
    def broken(*_args, **_options):
        raise ValueError("a bug")

    monkeypatch.setattr("train.evaluation.duplicate.play_deals", broken)
    with pytest.raises(ValueError, match="a bug"):
        main(["evaluate", "greedy", "--against", "random", "--deals", "2"])


def test_ctrl_c_is_one_line(uno, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("train.evaluation.duplicate.evaluate", interrupted)
    run = uno("evaluate", "greedy", "--against", "random", "--deals", 2)
    assert (run.code, run.err.strip()) == (130, "Interrupted.")
    assert gc.get_freeze_count(), "or the end of the process takes a second more"
    gc.unfreeze()


def test_ctrl_c_keeps_what_was_measured(uno, monkeypatch):
    measure = evaluate

    def interrupted_on_greedy(agent, opponent, *args, **options):
        if opponent == "greedy":
            raise KeyboardInterrupt
        return measure(agent, opponent, *args, **options)

    monkeypatch.setattr("train.evaluation.duplicate.evaluate", interrupted_on_greedy)
    run = uno("evaluate", "greedy", "--against", "random", "greedy", "--deals", 2)
    assert run.code == 130
    assert "95 % interval" in run.out


# --- help and lists ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["", "train", "evaluate", "tournament", "play", "replay", "plot", "benchmark", "agents", "rules"]
)
def test_every_command_says_how_it_is_used(uno, command):
    run = uno(*command.split(), "--help")
    assert run.code == 0
    assert run.out.startswith(f"usage: uno {command}".rstrip())
    assert len(run.out.splitlines()) > 5
    assert run.err == ""


def test_help_is_quick():
    script = (
        "import sys; from train.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'numba', 'numpy', 'rich', 'matplotlib', 'yaml'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.thorough
def test_evaluate_and_play_load_no_torch(tmp_path):
    script = (
        "import sys; from train.cli.main import main\n"
        "main(['evaluate', 'greedy', '--against', 'random-play', '--deals', '2'])\n"
        "main(['play', '--seed', '1'])\n"
        "heavy = {'torch', 'matplotlib', 'stable_baselines3', 'tensorboard'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


def test_rules_are_listed_and_explained_by_name(uno):
    assert "jump_in         10.3  Jump-in" in uno("rules").out.splitlines()
    page = uno("rules", "stacking")
    assert page.code == 0
    assert "| `stacking` | `off`, `same`, `any`, `both`, `value` |" in page.out


def test_a_rule_is_shown_for_a_terminal(uno, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    text = uno("rules", "stacking").out
    assert "\x1b[1m" in text
    lines = re.sub(r"\x1b\[[\d;]*m", "", text).splitlines()
    assert not any(mark in line for line in lines for mark in ("`", "###", "| "))
    assert max(map(len, lines)) <= 80
    assert any(line.strip().startswith("switch") and "default" in line for line in lines)
    assert any(line.startswith(" • off: a player who is hit") for line in lines)


@pytest.mark.parametrize("name", ["train", *thorough("agents")])
def test_a_file_called_as_one_of_the_packages_is_one_sentence(name, tmp_path):
    (tmp_path / f"{name}.py").write_text("")
    line = [sys.executable, "-m", "uno_command", "agents"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.getcwd()])}
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 2
    assert done.stderr.startswith("uno: ")
    assert done.stderr.count("\n") == 1
    assert "something else is called as one of the packages uno_env, agents, train, uno_table" in done.stderr


@pytest.mark.thorough
def test_the_package_is_a_command_too():
    line = [sys.executable, "-m", "train.cli", "evaluate", "greedy", "--against", "nobody"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == done.stderr.splitlines()[0] + "\n"
    assert done.stderr.startswith("uno: unknown agent 'nobody'")


# --- evaluate ---------------------------------------------------------------------------------------------------------


def test_evaluate_prints_a_table_and_writes_json(uno, tmp_path):
    file = tmp_path / "measured.json"
    file.write_text("old")
    run = uno("evaluate", "random-play", "--against", "random", "greedy", "--games", 100, "--seed", 7, "--json", file)
    assert (run.code, run.err) == (0, "")
    written = json.loads(file.read_text())
    assert written["command"].startswith("uno evaluate random-play --against random greedy")
    assert [each["opponent"] for each in written["evaluations"]] == ["random", "greedy"]
    for each in written["evaluations"]:
        assert (each["deals"], each["games"], each["players"], each["seed"]) == (50, 100, 2, 7)
        assert each["low"] <= each["win_rate"] <= each["high"]
        assert each["rules"] == Rules.preset("duel").to_dict()
        assert f"{each['win_rate']:.2%}" in run.out
        assert f"{each['low']:.2%} – {each['high']:.2%}" in run.out
    for heading in ("opponent", "win rate", "95 % interval", "par", "deals", "decisions/s"):
        assert heading in run.out
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(
    ("line", "prints"),
    [
        ("evaluate random-play --against random --games 4", "train.cli.evaluating.print_evaluations"),
        ("tournament random random-play --games 4 --workers 1", "train.evaluation.tournament_report.show"),
    ],
)
def test_what_was_measured_is_saved_before_it_is_printed(uno, tmp_path, monkeypatch, line, prints):
    def cannot_print(*_arguments):
        raise RuntimeError("the terminal has gone")

    monkeypatch.setattr(prints, cannot_print)
    with pytest.raises(RuntimeError, match="has gone"):
        uno(*line.split(), "--json", tmp_path / "measured.json")
    assert json.loads((tmp_path / "measured.json").read_text())["command"].startswith("uno")


def test_costs_of_choices_in_positions_are_written_as_json(uno, tmp_path):
    file = tmp_path / "regret.json"
    run = uno("benchmark", "positions", "greedy", "--tracks", "duel-2p", "--slow", "--json", file)
    assert (run.code, run.err) == (0, "")
    written = json.loads(file.read_text())
    assert written["command"].startswith("uno benchmark positions greedy")
    measured = written["positions"]["duel-2p"]["all"]
    assert measured["n"] == 200
    assert measured["low"] <= measured["regret"] <= measured["high"]
    assert f"{100 * measured['regret']:.2f}" in run.out


def test_evaluate_at_a_larger_table(uno, tmp_path):
    file = tmp_path / "measured.json"
    line = "evaluate random-play --against random-play --rules classic,wild_draw_four=free --players 3 --deals 20"
    assert uno(*line.split(), "--json", file).code == 0
    (evaluation,) = json.loads(file.read_text())["evaluations"]
    assert (evaluation["players"], evaluation["games"], evaluation["par"]) == (3, 60, 1 / 3)
    assert evaluation["rules"]["wild_draw_four"] == "free"


# --- luck -------------------------------------------------------------------------------------------------------------


LUCK = ("--rules", "duel", "--luck-adjusted")


@pytest.mark.thorough
def test_evaluate_takes_luck_out(uno, tmp_path):
    file = tmp_path / "measured.json"
    run = uno("evaluate", "tuned", "--against", "zoo", "random", "--deals", 60, *LUCK, "--json", file)
    assert (run.code, run.err) == (0, "")
    for part in ("without the luck of drawn cards, by duel-2p", "deals saved", "hands saved"):
        assert part in run.out
    assert re.search(r"random +left off +0\.\d\d ×", run.out), "who never wins has no luck"
    evaluation, hopeless = json.loads(file.read_text())["evaluations"]
    assert evaluation["luck"]["values"] == "duel-2p"
    assert 0 <= evaluation["luck"]["low"] < evaluation["luck"]["high"] <= 1
    assert evaluation["luck"]["gain"] > 1.2 > hopeless["luck"]["gain"]


def test_where_little_is_gained_luck_stays_in(uno, monkeypatch):
    from train.evaluation.luck import values

    network = replace(values.values_for(Rules.preset("duel")), gain=1.1)
    monkeypatch.setattr("train.cli.evaluating.values_for", lambda rules: network)
    run = uno("evaluate", "tuned", "--against", "random", "--deals", 4, *LUCK)
    assert run.code == 0
    assert "Luck stays in: to take it out by duel-2p saves only a factor of 1.10 of the deals" in run.out
    assert "without the luck" not in run.out


# --- tournament -------------------------------------------------------------------------------------------------------


def test_a_tournament_is_played_kept_and_gone_on_with(uno, tmp_path):
    file, folder = tmp_path / "measured.json", tmp_path / "kept"
    line = ("random-play", "greedy", "random", "--games", 80, "--seed", 3, "--workers", 1)
    run = uno("tournament", *line, "--save", folder, "--json", file)
    assert (run.code, run.err) == (0, "")
    written = json.loads(file.read_text())
    told = written["tournament"]
    assert written["command"].startswith("uno tournament random-play greedy random")
    assert (told["games"], told["players"], told["seed"], told["deals"]) == (240, 2, 3, 40)
    assert told["ranking"][0] == "greedy"
    for part in ("Elo", "win rate", "decisions/s", "Duplicate deals: independent ones would take"):
        assert part in run.out
    more = uno("tournament", "--resume", folder, "--deals", 50, "--workers", 1, "--json", file)
    assert (more.code, more.err) == (0, "")
    assert json.loads(file.read_text())["tournament"]["games"] == 300


def test_rules_of_the_command_line():
    assert make_rules(None, None, ["greedy"], "duel") == Rules.preset("duel")
    assert make_rules(None, 5, ["greedy"], "classic") == Rules.preset("classic", players=5)
    assert make_rules("duel,stacking=off", None, [], "classic") == Rules.preset("duel")
    assert make_rules("duel,deck=r1 r2 b3 w w,hand_size=1", None, [], "duel").hand_size == 1
    assert make_rules("duel,draw=until_playable,voluntary_draw=false", 3, [], "duel") == Rules.preset(
        "duel", players=3, draw="until_playable", voluntary_draw=False
    )


# --- play and replay --------------------------------------------------------------------------------------------------


def type_in(monkeypatch, *lines):
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(line + "\n" for line in lines)))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--rules", "duel", "--seed", "5"),
        ("random-play", "greedy", "highest-points", "--seed", "6"),
        ("greedy", "--players", "10", "--seed", "7"),
    ],
)
def test_play_to_the_end_of_a_hand(uno, monkeypatch, arguments):
    type_in(monkeypatch, *["1"] * 2000)
    run = uno("play", *arguments)
    assert (run.code, run.err) == (0, "")
    assert "Another hand? [y/n]" in run.out
    assert "Won of 1 hand: player_0 (you)" in run.out
    assert "Goodbye." in run.out


def test_play_ends_with_the_input(uno, monkeypatch):
    type_in(monkeypatch)
    run = uno("play", "--seed", 1)
    assert (run.code, run.err) == (0, "")
    assert run.out.rstrip().endswith("Goodbye.")


def test_play_takes_commands_and_asks_again(uno, monkeypatch, tmp_path):
    saved = tmp_path / "hand.json"
    type_in(monkeypatch, "?", "nonsense", "9999", "", "swap1", f"s {saved}", f"s {saved}", "s", "s /no/folder/x", "q")
    run = uno("play", "--rules", "duel", "--seed", 3)
    assert run.code == 0
    for part in ("Type the number", "'nonsense' is no move: choose 1 to", "there is no move 9999: choose 1 to",
                 "'' is no move", "'swap1' cannot be done now", "Saved.", "exists already", "name a file",
                 "'/no/folder/x' cannot be written", "Goodbye."):  # fmt: skip
        assert part in run.out
    assert Game.from_json(saved.read_text()).players == 2
    shown = uno("replay", saved)
    assert (shown.code, shown.err) == (0, "")
    assert "[0/" in shown.out
    assert "Hand of player_1:" in shown.out


def test_the_deal_passes_to_the_left():
    dealers = []

    class Greedy:
        history = state_size = 0

        def act(self, observation, action_mask):
            return int(action_mask.argmax())

    answers = iter(["1"] * 20000)
    texts = []
    setup = Setup.against(["a", "b"], Rules.preset("duel", players=3, dealer="high_card"), match=False, seed=11)
    table = Table(setup, ([None, Greedy(), Greedy()], {}))

    def ask_until_three(prompt):
        if prompt.startswith("Another"):
            dealers.append(int(table.game.record.dealer))
            return "y" if len(dealers) < 3 else "n"
        return next(answers)

    PlainText(table, ask_until_three, texts.append).play()
    assert [(dealer - dealers[0]) % 3 for dealer in dealers] == [0, 1, 2]
    assert table.series.standing.hands == 3
    assert sum(table.series.standing.won) == 3
    assert any(text.startswith("Won of 3 hands:") for text in texts)


class Stub:
    """Draws, and lets everything go by."""

    history = state_size = 0

    def act(self, observation, action_mask):
        for action in (catalogue.DRAW, catalogue.PASS, catalogue.ACCEPT):
            if action_mask[action]:
                return action
        return int(action_mask.argmax())


def test_play_shows_nothing_hidden():
    """Two games that differ only in what the person may not know look the same."""

    def shown(swap):
        texts = []
        lines = iter(["draw", "pass"])
        setup = Setup.against(["a", "b"], Rules.preset("duel", players=3), match=False, seed=4)
        table = Table(setup, ([None, Stub(), Stub()], {}))
        record = table.game._array[0]
        if swap:
            one, other = record.seats["hand"][1].copy(), record.seats["hand"][2].copy()
            record.seats["hand"][1], record.seats["hand"][2] = other, one
        PlainText(table, lambda prompt: next(lines, None), texts.append).play()
        return texts

    assert shown(False) == shown(True)


def test_moves_by_number_and_text():
    legal = [catalogue.parse(text) for text in ("r5", "w:g", "draw")]
    assert parse_move("1", legal) == legal[0]
    assert parse_move("3", legal) == catalogue.DRAW
    assert parse_move("W:G", legal) == legal[1]
    for text in ("0", "4", "r6", "w", "5" * 5000, "٣x", "-1"):
        with pytest.raises(ValueError):
            parse_move(text, legal)


@pytest.mark.thorough
def test_replay_shows_what_choices_cost(uno, tmp_path, monkeypatch):
    monkeypatch.setattr(measuring, "BUDGET", 200)
    game, file, page = Game("duel", seed=5), tmp_path / "game.json", tmp_path / "game.html"
    while not game.over:
        game.step(game.legal_actions()[0])
    file.write_text(game.to_json())
    *_, last = measuring.measure_choices(game, 1, 0)
    advice = last.advice
    run = uno("replay", file, "--costs", "--view", 1)
    assert f"Player 2: {costs_text(Replay.of(game), 1, advice, 0)}\n" in run.out
    number, note = next((number, note) for number, note in enumerate(advice.notes) if note is not None)
    lost, error = note.costs[game.history[number]]
    assert re.search(rf"\n▶ [▼=] +{lost:.1%} ± {error:.1%}  ", run.out)
    both = uno("replay", file, "--costs", "--html", page)
    assert [line.partition(":")[0] for line in both.out.splitlines() if ", choices" in line] == ["Player 1", "Player 2"]
    assert '"costly":' in page.read_text()
    assert_one_sentence(uno("replay", file, "--costs", "--adviser", "greedy"), "--costs", "--adviser")


def test_replay_on_a_pipe_tells_everything(uno, tmp_path):
    game = Game("duel", seed=1)
    while not game.over:
        game.step(game.legal_actions()[0])
    file = tmp_path / "game.json"
    file.write_text(game.to_json())
    run = uno("replay", file)
    assert run.code == 0
    assert run.out.count("Hand of player_0:") == len(game.history) + 1
    assert f"[{len(game.history)}/{len(game.history)}]" in run.out


def test_evaluate_keeps_games_that_become_pages(uno, tmp_path):
    folder, page = tmp_path / "games", tmp_path / "game.html"
    line = ("evaluate", "greedy", "--against", "random", "highest-points", "--deals", 4, "--save-games", 2)
    run = uno(*line, "--save-to", folder)
    assert run.code == 0, run.err
    files = sorted(file.name for file in folder.iterdir())
    assert files == [f"greedy-v-{name}-{number}.json" for name in ("highest-points", "random") for number in (1, 2)]
    assert "Saved 4 games. To look at one: uno replay " in run.out
    run = uno("replay", folder / files[0], "--html", page, "--view", 1)
    assert (run.code, run.out) == (0, f"Wrote {page}: open it in a browser\n")
    assert page.read_text().startswith("<!DOCTYPE html>")
    assert_one_sentence(uno("replay", folder / files[0], "--html", page, "--view", 2), "seat=2", "2 players")
    assert_one_sentence(uno("replay", folder / files[0], "--html", tmp_path), "folder")
    file = tmp_path / "file"
    file.write_text("")
    assert_one_sentence(uno(*line, "--save-to", file), str(file))


def test_replay_to_and_fro():
    game = Game("duel", seed=2)
    for _ in range(6):
        game.step(game.legal_actions()[0])
    lines = iter(["", "b", "b", "5", "99", "what", "9" * 5000, "e", "", "q"])
    texts = []
    step_through(Replay.of(game), lambda prompt: next(lines), texts.append)
    frames = [text.split("]")[0].strip().strip("[") for text in texts if text.strip().startswith("[")]
    assert frames == ["0/6", "1/6", "0/6", "5/6", "6/6"]
    assert any("no place 99" in text for text in texts)
    assert any("'what' is no command" in text for text in texts)
    assert any("This is the end" in text for text in texts)


def test_replay_of_an_unfinished_game():
    texts = []
    replay(Replay.of(Game("classic", seed=3)), write=texts.append)
    assert texts[0].startswith("[0/0] ")


def run_into(output, line, folder):
    """Run ``uno`` in a process and a folder, with ``output`` as its standard output: the exit code, and what it wrote
    to the standard error, but for the line that tells of a first compile.
    """
    command = [sys.executable, "-m", "train.cli", *line.split()]
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, cwd=folder, check=False)
    return done.returncode, without_compiling(done.stderr)


@pytest.mark.parametrize("line", ["agents", *thorough("--version", "evaluate greedy --against random --deals 4")])
def test_an_output_that_nobody_reads(tmp_path, line):
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as output:
        assert run_into(output, line, tmp_path) == (0, "")


@pytest.mark.thorough
def test_training_goes_on_when_nobody_reads_its_lines(tmp_path):
    line = "train ppo_duel-2p --name one --total-timesteps 2000 --num-envs 16 --num-steps 16 --minibatch-size 128 "
    line += "--hidden [8] --eval-every 1000 --eval-deals 4 --threads 1"
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as output:
        code, written = run_into(output, line, tmp_path)
    assert code == 0, written
    assert (tmp_path / "runs" / "one" / "policy.safetensors").is_file()


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("line", ["agents", "--version", "rules", "evaluate greedy --against random --deals 4"])
def test_an_output_on_a_full_disk(tmp_path, line):
    with open("/dev/full", "w") as output:
        written = run_into(output, line, tmp_path)
    assert written == (2, "uno: the output cannot be written (No space left on device)\n")


@pytest.mark.thorough
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("line", ["agents", "play greedy --plain", "evaluate greedy --against random --deals 4"])
def test_streams_that_are_closed(tmp_path, line, closed):
    command = f"{shlex.join([sys.executable, '-m', 'train.cli', *line.split()])} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, without_compiling(done.stderr)) == (0, "")


@pytest.mark.thorough
def test_replay_into_a_closed_pipe(tmp_path):
    game = Game("duel", seed=1)
    for _ in range(30):
        game.step(game.legal_actions()[0])
    file = tmp_path / "game.json"
    file.write_text(game.to_json())
    command = f"{sys.executable} -m train.cli replay {file} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("[0/30]")
    assert done.stderr == ""


@pytest.mark.thorough
def test_ctrl_c_of_a_process():
    process = subprocess.Popen(
        [sys.executable, "-m", "train.cli", "play"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell ignores Ctrl-C on behalf of what it runs in the background, these tests perhaps.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    while not process.stdout.readline().startswith("Moves:"):
        assert process.poll() is None
    for _ in range(3):  # as from a terminal and a launcher
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.strip() == "Interrupted."


@pytest.mark.thorough
def test_a_terminal_gets_a_progress_bar():
    """Under a pseudo-terminal the bar is drawn; the other tests see none."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "train.cli", "evaluate", "random", "--against", "random", "--deals", "50"],
        stdout=subprocess.PIPE,
        stderr=follower,
    )
    os.close(follower)
    drawn: list[bytes] = []

    def read() -> None:  # as a terminal does, which has room for some seconds of a bar only
        with contextlib.suppress(OSError):
            while chunk := os.read(leader, 65536):
                drawn.append(chunk)

    reader = threading.Thread(target=read)
    reader.start()
    out, _ = done.communicate(timeout=60)
    reader.join()
    os.close(leader)
    assert done.returncode == 0
    assert b"random against random" in b"".join(drawn)
    assert b"95 % interval" in out


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("library", "extra", "command"),
    [
        ("torch", "train", "train x.yaml"),
        ("matplotlib", "train", "benchmark leaderboard"),
        ("uvicorn", "play", "play --web"),
        ("wandb", "wandb", "train x.yaml --wandb"),
        ("mlflow", "mlflow", "train x.yaml --mlflow"),
        ("optuna", "sweep", "sweep x.yaml"),
    ],
)
def test_a_missing_extra_is_named(tmp_path, library, extra, command):
    (tmp_path / "x.yaml").write_text("rules: duel")
    script = f"import sys; sys.modules[{library!r}] = None\n"
    script += f"from train.cli.main import main\nsys.exit(main({command.split()}))"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr == f"uno: this command needs {library}: pip install 'uno-env[{extra}]'\n"


def test_help_tells_the_default_batch(uno):
    assert f"games side by side (default {BATCH})" in " ".join(uno("evaluate", "--help").out.split())


def test_options_of_a_config_are_read_in_both_spellings():
    assert overrides(["--seed", "3", "--name=x"]) == {"seed": "3", "name": "x"}


def test_version_names_what_results_depend_on(uno):
    run = uno("--version")
    assert (run.code, run.err) == (0, "")
    assert re.fullmatch(r"uno-env 0\.\d+\.\d+, python 3\.\S+, numpy 2\.\S+, numba 0\.\S+(, torch 2\.\S+)?\n", run.out)


def test_agents_are_listed_with_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    main(["agents"])
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "greedy watches the table and looks one card ahead; strong" in lines
    assert {"random", "random-play", "highest-points"} <= {line.partition(" ")[0] for line in lines}
    assert {"zoo:any a trained policy for all rules", "zoo:duel-2p a trained policy for the track duel-2p"} <= {*lines}
