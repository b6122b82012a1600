"""Launches."""

from jax.experimental.pallas import pallas_call
