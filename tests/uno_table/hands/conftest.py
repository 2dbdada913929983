"""What tests of people's hands share."""

from tests.helpers.likely_hands import few_draws

__all__ = ["few_draws"]
