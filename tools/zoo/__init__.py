"""Shipped policies (:mod:`agents.zoo.shipped`): measured, stripped of what is private, and described.

``python -m tools.zoo add RUN --name duel-2p`` measures the policy of a run against every scripted agent and one that
searches, as on the ladder, and writes two files: ``agents/zoo/duel-2p.safetensors`` with the weights and a card that
holds what was measured, and ``agents/zoo/duel-2p.md``, which is made from that card and from what
``tools.exact_curves.zoo`` has saved (``python -m tools.zoo cards`` makes all anew). ``python -m tools.zoo
lengths`` measures the length of hands anew. What is played is saved in the run's folder, and the same command goes on
where it stopped.

The deals are those of :data:`tools.ladder.REPORT_SEED`: choose a candidate on others. ``python -m tools.zoo
add agents/zoo/duel-2p.safetensors --name duel-2p`` measures the card of a shipped policy anew. Then ``python -m
tools.docs.tables`` writes the tables, and the lines that say which pages were measured with a policy that has gone.
"""
