"""Known signs come out: what every card player knows, the study finds."""

import pytest

from studies import deal, variants
from studies.house_rules import BASE, HOUSE
from studies.question import Row, StudyPart, StudyPlan, pick

pytestmark = pytest.mark.adapters

PLAN = StudyPlan(deals=600, players=(3,))


def measured(part: StudyPart) -> list[Row]:
    return deal.measure(part) if part.question == "deal" else variants.measure(part)


@pytest.fixture(scope="module")
def house_rows() -> list[Row]:
    chosen = (BASE, "draw until a card fits")
    parts = variants.parts(PLAN, "house_rules", {name: HOUSE[name] for name in chosen})
    return [row for part in parts if part["table"] in ("tuned", variants.SKILL) for row in measured(part)]


def test_to_draw_until_a_card_fits_makes_hands_longer(house_rows: list[Row]) -> None:
    lengths = {row["variant"]: row for row in pick(house_rows, measure="decisions")}
    assert lengths["draw until a card fits"]["low"] > lengths[BASE]["high"]
    cells = variants.compared(house_rows, "decisions", BASE, True, players=3, table="tuned")
    assert cells["draw until a card fits"].startswith("+")


def test_a_strong_player_wins_among_weak_ones_and_two_cards_behind_is_behind(house_rows: list[Row]) -> None:
    for row in pick(house_rows, measure="skill"):
        assert row["low"] > 1 / 3
    for row in pick(house_rows, measure="comeback"):
        assert row["mean"] < 1 / 3


def test_wilds_and_fewer_cards_are_worth_something() -> None:
    (part,) = [part for part in deal.parts(PLAN) if part["edition"] == "1971" and part["spec"] == "tuned"]
    worth = pick(measured(part), measure="worth", outcome="wins")
    signs = {(row["moment"], row["card"]): row for row in worth}
    assert signs["start", "Wild Draw Four"]["low"] > 0
    assert signs["middle", "one card fewer"]["low"] > 0
    assert signs["middle", "one card more with each other"]["low"] > 0


def test_the_seats_share_all_hands() -> None:
    (part,) = [part for part in deal.parts(PLAN) if part["edition"] == "2022" and part["spec"] == "random-play"]
    seats = pick(measured(part), measure="seat")
    assert [row["seat"] for row in seats] == [1, 2, 3]
    assert sum(row["mean"] for row in seats) == pytest.approx(1)
