"""ShapeDtypeStruct and ShapedArray: what they print, compare and answer."""
import jax, jax.numpy as jnp
def t(f):
    try: r=f(); print(type(r), r, repr(r))
    except Exception as e: print(type(e).__name__, str(e)[:300])
S=jax.ShapeDtypeStruct
t(lambda: S((2,3),jnp.float32)); t(lambda: S((2,3),'int8',weak_type=True)); t(lambda: S((2,),jnp.float32)==S((2,),jnp.float32)); t(lambda: S((2,),jnp.float32)==S((3,),jnp.float32)); t(lambda: hash(S((2,),jnp.float32))==hash(S((2,),jnp.float32)))
t(lambda: S((2,3),jnp.float32).size); t(lambda: S((2,3),jnp.float32).ndim); t(lambda: len(S((2,3),jnp.float32))); t(lambda: S((2,3),jnp.float32).update(shape=(4,))); t(lambda: S((2,3),jnp.float32).update(dtype=jnp.int8))
t(lambda: S((2,3),jnp.float32, manual_axis_type=None)); t(lambda: S((2,3),jnp.float32).weak_type)
t(lambda: S((2,),None))
t(lambda: jax.typeof(jnp.ones((2,3)))); t(lambda: jax.typeof(1)); t(lambda: jax.typeof(1.5).weak_type); t(lambda: jax.typeof(jnp.ones((2,3))).shape); t(lambda: jax.typeof(jnp.ones((2,3)))==jax.typeof(jnp.zeros((2,3))))
t(lambda: jax.core.ShapedArray((2,3),jnp.float32)); t(lambda: jax.core.ShapedArray((2,3),jnp.float32).str_short()); t(lambda: jax.core.ShapedArray((2,3),jnp.float32).update(shape=(1,))); t(lambda: jax.core.ShapedArray((2,3),jnp.float32).size); t(lambda: jax.core.ShapedArray((2,3),jnp.float32).ndim)
t(lambda: jnp.ones(3).aval); t(lambda: jax.typeof('a')); t(lambda: isinstance(jax.typeof(1), jax.core.ShapedArray)); t(lambda: jax.eval_shape(lambda x:(x+1,{'a':x.sum()}), S((2,),jnp.int32)))
t(lambda: S.like(jnp.ones(3)) if hasattr(S,'like') else 0); t(lambda: jnp.zeros_like(S((2,),jnp.int8)))

