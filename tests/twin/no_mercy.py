"""The naive twin of No Mercy: where it differs from the classic game (GUIDE.md 13.2).

Mercy itself is a switch that any edition takes, and so are the answers by value: those are in the classic twin.
"""

from tests.twin.cards import COLOURS, WITHOUT_COLOUR, is_wild
from tests.twin.naive import ILLEGAL, Playing, Twin


def is_discard_all(card: str) -> bool:
    return card[1:] == "da"


def is_skip_everyone(card: str) -> bool:
    return card[1:] == "se"


class NoMercyTwin(Twin):
    """A hand, or a match, of No Mercy."""

    def see_what_follows(self, seat: int, card: str, guilty: bool) -> Playing:
        """Colour, direction, swap or pass; the race for a missing call; who jumps in; then answers, roulette, missed
        turns, and the second turn of Skip Everyone.
        """
        self.clockwise ^= card == "wr+4" or (card[1:] == "r" and not self.reverse_skips())
        if self.rules.seven_zero and not self.has_gone_out(seat):
            if card[1:] == "7":
                yield from self.choose_partner(seat)
            elif card[1:] == "0":
                self.pass_hands_on(seat)
        self.lapse_call(seat)
        yield from self.catch(seat)
        jumper = yield from self.offer_jump_in(seat)
        if jumper is not None:
            return (yield from self.lay(jumper, card, more=True))
        if self.penalty:
            return (yield from self.demand_penalty(seat, guilty))
        if card == WITHOUT_COLOUR:
            return (yield from self.spin_roulette(seat))
        if card[1:] == "s" or (card[1:] == "r" and self.reverse_skips()):
            return self.finish(seat, self.after(seat, 2))
        if is_skip_everyone(card):
            return self.finish(seat, self.turn_of(seat))
        if card[1:] == "6" and self.rules.six_smackdown and not self.has_gone_out(seat):
            self.draw(self.slap(), 2)
        return self.finish(seat)

    def laid_under(self, seat: int, card: str) -> list[str]:
        """Discard All takes all other cards of its colour along."""
        if not is_discard_all(card):
            return []
        of_colour = [held for held in self.hands[seat].cards if held[0] == card[0]]
        of_colour.remove(card)
        return of_colour

    def may_go_down_to_one(self, seat: int, options: set[str]) -> bool:
        """As in the classic game, and whenever a Discard All that may be laid leaves one card."""
        laid = {self.top if option == "jump_in" else option for option in options}
        leaves_one = (
            len(self.hands[seat].cards) - 1 - len(self.laid_under(seat, card)) == 1
            for card in laid
            if is_discard_all(card)
        )
        return super().may_go_down_to_one(seat, options) or any(leaves_one)

    def spin_roulette(self, seat: int) -> Playing:
        """The next player names a colour, and takes cards until one of it comes; nobody is asked after a last card."""
        victim = self.after(seat)
        if not self.has_gone_out(seat):
            answer = yield from self.ask("roulette", victim, {f"colour:{colour}" for colour in COLOURS})
            self.colour = self.chance.colour() if answer == ILLEGAL else answer[-1]
        self.turn_up(victim)
        return self.finish(seat, self.after(victim))

    def turn_up(self, victim: int) -> None:
        """Cards that all see are taken until one of the active colour comes."""
        while (got := self.draw(victim, 1)) and victim not in self.out:
            for viewer in range(self.rules.players):
                self.hands[victim].seen_by.setdefault(viewer, []).append(got[0])
            if not is_wild(got[0]) and got[0][0] == self.colour:
                return

    def move_hands(self, receiver: dict[int, int], mover: int) -> None:
        """The call of the player who moves them stands if that player then holds one card."""
        stands = mover in self.called
        super().move_hands(receiver, mover)
        if stands:
            self.called.add(mover)
