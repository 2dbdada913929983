"""RLCard beside us: its own DMC and NFSP, trained by RLCard, and win rates at its table."""
