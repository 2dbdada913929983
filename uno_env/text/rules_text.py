"""The rules in force, in words for a language model: :func:`rules_text`."""

from collections.abc import Iterator

from uno_env.actions import catalogue
from uno_env.cards import WILD_CUSTOMIZABLE, WILD_DOWNPOUR_ONE, WILD_DRAW_FOUR, WILD_SHUFFLE_HANDS
from uno_env.editions import EDITIONS
from uno_env.editions.classic import CLASSIC
from uno_env.editions.edition import NO_COLOUR, NO_NUMBER, Edition
from uno_env.guide import field_texts
from uno_env.policy_columns import can_leave_two
from uno_env.rules import Rules
from uno_env.text.rules_words import BACKS, CUSTOMIZABLE, DECLARES, EFFECTS, MERCY, MERCY_POINTS, SIDES, words_of

ANSWER = "Answer with one move in square brackets, by its number in the list or its short text: [2] or [r5]."


def rules_text(rules: Rules, full: bool = False) -> str:
    """The rules in force, how cards are written, and how to answer; the reader is "you". With ``full``, all switches
    follow, with their values and what the guide says about each.
    """
    words = words_of(rules.edition).switches
    others = "P1" if rules.players == 2 else f"P1 to P{rules.players - 1}, in order to your left"
    lines = [
        f"You play UNO with {others}. Whoever lays their last card first wins.",
        *(_cards(rules) if rules.edition == CLASSIC.name else _cards_of_others(rules)),
        *(words[name].get(getattr(rules, name), "") for name in words if _matters(rules, name)),
        MERCY if rules.mercy else "",
        MERCY_POINTS if rules.mercy and rules.scoring != "hand" else "",
    ]
    numbers = {name: getattr(rules, name) for name in ("uno_penalty", "target", "special_wild_points", "mercy")}
    body = " ".join(filter(None, lines)).format(**numbers)
    switches = [f"- {name} = {value}: {field_texts()[name].replace('``', '')}" for name, value in _values(rules)]
    return "\n".join([body, *(("All rules:", *switches) if full else ()), codes(EDITIONS[rules.edition]), ANSWER])


def codes(edition: Edition) -> str:
    """The form of the short texts of an edition's cards, by examples: a number, each other symbol, and each wild."""
    if edition.sides > 1:
        return _codes_of_sides(edition)
    count, faces = len(edition.colours), edition.kinds
    first = range(edition.per_colour)
    numbers = [kind for kind in first if faces[kind].number != NO_NUMBER]
    others = [kind for kind in first if faces[kind].number == NO_NUMBER]
    coloured = [
        numbers[len(numbers) // 2],
        *(kind + edition.per_colour * (at % count) for at, kind in enumerate(others, 1)),
    ]
    told = [f"{faces[kind].text} a {faces[kind].name}" for kind in coloured]
    deck = next(iter(edition.decks.values()))
    wilds = [face for face, number in zip(faces, deck, strict=True) if face.colour == NO_COLOUR and number]
    for at, face in enumerate(wilds, 1):
        colour = 2 * at % count
        end = f":{edition.letters[colour]}" if face.declared else ""
        declares = f" that declares {edition.colours[colour]}" if face.declared else ""
        told.append(f"{face.text}{end} a {face.name}{declares}")
    return f"Short texts: {', '.join(told).replace(' a ', ' is a ', 1)}."


def _codes_of_sides(edition: Edition) -> str:
    """The same for cards with two sides."""
    of = catalogue(edition)
    kind, play = 5, of.first.play_wild
    light, dark = edition.kinds[kind].name, edition.other_side[kind].name
    return (
        f"Short texts: {edition.texts[kind]} is a card with {light} on its light side and {dark} on its dark side, "
        f"{of.texts[play]} a {edition.kinds[of.kinds[play]].name} that declares {of.declares[play]}."
    )


def _matters(rules: Rules, name: str) -> bool:
    """Return whether a switch has an effect under the other rules."""
    if name == "late_call":
        return rules.uno_call == "declared" and not rules.call_before
    if name == "call_before":
        return rules.uno_call == "declared"
    return name != "first_reverse" or (rules.first_card != "number" and rules.players > 2)


def _reverse(rules: Rules) -> str:
    skips = rules.two_player_reverse == "skip"
    if skips and rules.players == 2:
        return "Reverse: acts as a Skip."
    later = "; with two players left it acts as a Skip" if skips and can_leave_two(rules) else ""
    return f"Reverse: the direction turns{later}."


def _cards(rules: Rules) -> Iterator[str]:
    """The cards of the first edition."""
    yield (
        "A card matches the top card by colour, number or symbol. A Wild always matches, and its player declares the "
        f"colour. Skip: the next player misses a turn. {_reverse(rules)} "
        f"Draw Two: {words_of(rules.edition).draw_two[rules.draw_two_turn]}"
    )
    yield from _wilds(rules)


def _cards_of_others(rules: Rules) -> Iterator[str]:
    """The cards of other editions, each effect once."""
    words, edition = words_of(rules.edition), EDITIONS[rules.edition]
    held = dict.fromkeys(
        face._replace(text="", name=face.symbol, colour=min(face.colour, 0))
        for face, number in zip(edition.faces, rules.deck_counts * edition.sides, strict=True)
        if number and face.number == NO_NUMBER
    )
    if edition.sides > 1:
        yield SIDES
        yield BACKS[rules.backs]
    yield "A card matches the top card by colour, number or symbol; a wild always matches."
    draws = [face.name for face in held if face.effect == "draw" and face.colour != NO_COLOUR]
    effects = {face.effect for face in held}
    yield "Skip: the next player misses a turn." if "skip" in effects else ""
    yield _reverse(rules) if "reverse" in effects else ""
    yield f"{' and '.join(draws)}: {words.draw_two[rules.draw_two_turn]}" if draws else ""
    for face in held:
        if face.effect in EFFECTS and face.name not in draws:
            does = EFFECTS[face.effect].format(demands=face.demands)
            yield f"{face.name}: {does if face.colour == NO_COLOUR else does.removeprefix(DECLARES)}"
    if any(face.demands for face in held if face.colour == NO_COLOUR):
        yield words.wild_draw[rules.wild_draw_four]
        if rules.wild_is_match and rules.wild_draw_four != "free":
            yield _WILD_IS_MATCH


_WILD_IS_MATCH = "Another kind of wild in the hand counts as a card of the active colour for this."


def _wilds(rules: Rules) -> list[str]:
    held = rules.deck_counts
    lines = []
    if held[WILD_DRAW_FOUR]:
        four = words_of(rules.edition).wild_draw[rules.wild_draw_four]
        lines.append(f"Wild Draw Four: declares the colour; the next player draws four and misses a turn. {four}")
        if rules.wild_is_match and rules.wild_draw_four != "free":
            lines.append(_WILD_IS_MATCH)
    if held[WILD_SHUFFLE_HANDS]:
        lines.append("Wild Shuffle Hands (wsh): declares the colour; all hands are shuffled and dealt out again.")
    if held[WILD_CUSTOMIZABLE]:
        lines.append(f"Wild Customizable (wcu): declares the colour and {CUSTOMIZABLE[rules.customizable_effect]}.")
    if any(held[WILD_DOWNPOUR_ONE:]):
        lines.append("Wild Downpour One (wd1) and Two (wd2): declare the colour; all others draw one or two cards.")
    return lines


def _values(rules: Rules) -> list[tuple[str, object]]:
    return [(name, value) for name, value in rules.to_dict().items() if name in field_texts()]
