"""What tests of pallas derive from: on a CPU those run that interpret."""

from jax._src import test_util as jtu
from jax._src.pallas import pallas_call as pl_lib


@jtu.with_config(jax_traceback_filtering="off")
class PallasTest(jtu.JaxTestCase):
    """Subclasses say whether they interpret."""

    INTERPRET = False

    def setUp(self):
        if not self.INTERPRET:
            self.skipTest("On CPU the test works only in interpret mode")
        super().setUp()

    def pallas_call(self, *args, **kwargs):
        return pl_lib.pallas_call(*args, **kwargs, interpret=self.INTERPRET)


class PallasTPUTest(PallasTest):
    """Tests for TPUs, which a CPU can interpret."""

    def setUp(self):
        if not self.INTERPRET:
            self.skipTest("Test requires TPUs")
        super().setUp()
