"""Launches in tokamax's own tests: each test that makes one, called as its runner calls it."""

import functools
from unittest import mock

import jax
import jax.numpy as jnp
from jax.sharding import AbstractDevice, AbstractMesh

from tokamax._src import hlo_utils_test, mosaic_tpu
from tokamax._src.ops.causal_conv1d_gated_delta_rule import gdn_attention_test
from tokamax._src.ops.experimental.tpu.splash_attention import splash_attention_kernel as splash
from tokamax._src.ops.experimental.tpu.splash_attention import splash_attention_kernel_test as splash_test
from tokamax._src.pallas import block_test

on_a_tpu = AbstractMesh((), (), abstract_device=AbstractDevice("TPU7x", 1, "tpu"))

of_blocks = block_test.BlockTest()
of_blocks.test_block_ref_bounds0()
of_blocks.test_block_ref_bounds_checked0()
of_blocks.test_block_ref_inbounds_mask0()
of_blocks.test_block_ref_inbounds_mask3()
of_blocks.test_block_ref_at_masks()

with mock.patch.object(jax, "default_backend", lambda: "tpu"):
    hlo_utils_test.DumpHloLibTest().test_pallas_tpu0()

with jax.sharding.use_abstract_mesh(on_a_tpu):
    gdn_attention_test.GDNAttentionTest().test_inner_kernel_explicit_p_id_matches_default()

config = splash.SplashConfig(
    block_q=256,
    block_kv=256,
    block_q_dkv=256,
    block_kv_dkv=256,
    dropout_rate=0.5,
    dropout_block_q=128,
    dropout_block_kv=128,
)
key = jax.random.key(0)
jax.eval_shape(functools.partial(splash_test._get_dropout_mask, 2, 512, 512, config), key)
jax.eval_shape(functools.partial(splash_test._restated_dropout_mask, 2, 512, 512, config), key)

with jax.sharding.use_abstract_mesh(on_a_tpu), mock.patch.object(jax, "devices", lambda: [on_a_tpu.abstract_device]):
    mosaic_tpu.poison_tpu_memory()
