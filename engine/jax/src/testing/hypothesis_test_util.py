"""How JAX's tests use hypothesis: the same examples in every run. There is one shard."""

import hypothesis as hp
from jax._src import config
from jax._src import test_util as jtu
from jax._src.test_loader import JaxTestLoader

HYPOTHESIS_PROFILE = config.string_flag("hypothesis_profile", "deterministic", help="The profile.")


class HypothesisShardedTestCase(jtu.JaxTestCase):
    """Tests whose examples may be run in shards."""


class HypothesisShardedTestLoader(JaxTestLoader):
    """Finds them."""


def hypothesis_is_thread_safe():
    return True


def setup_hypothesis(max_examples=30):
    """At most so many examples."""
    hp.settings.register_profile(
        "deterministic", database=None, derandomize=True, deadline=None, max_examples=max_examples, print_blob=True
    )
    hp.settings.load_profile(HYPOTHESIS_PROFILE.value)
