"""`jax.ad_checkpoint`: rematerialisation, and names for what it may keep."""
import jax


def checkpoint_name(x, name):
    return x


checkpoint = remat = getattr(jax, "checkpoint", None)
checkpoint_policies = getattr(jax, "checkpoint_policies", None)


def print_saved_residuals(f, *args, **kwargs):
    raise NotImplementedError("print_saved_residuals is not provided by the workbench yet")
