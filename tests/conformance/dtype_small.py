"""Floats of 8 and 4 bits and integers of 4 and 2 bits: casts, arithmetic, limits, promotion, bits."""
import jax, jax.numpy as jnp, numpy as np
for n in ['float8_e8m0fnu','float4_e2m1fn','float8_e3m4','float8_e4m3','int2','uint2','int4','uint4']:
    d=getattr(jnp,n)
    dt=jnp.dtype(d)
    print('==',n, dt, repr(dt), dt.itemsize, dt.kind, dt.str, jax.dtypes.itemsize_bits(dt))
    def t(f):
        try: print('  ',f())
        except Exception as e: print('  ',type(e).__name__, str(e)[:120])
    t(lambda: repr(jnp.zeros((2,),d)))
    t(lambda: repr(jnp.array([0.3,1.,2.5,-3,100,float('nan'),float('inf'),-0.0,1e-9],jnp.float32).astype(d)))
    t(lambda: repr(jnp.arange(4).astype(d)))
    t(lambda: repr(jnp.arange(4).astype(d)+jnp.ones((),d)))
    t(lambda: repr(jnp.arange(4).astype(d)*2))
    t(lambda: repr(jnp.arange(4).astype(d)+jnp.ones((),jnp.float32)))
    t(lambda: (jnp.finfo(d).max, jnp.finfo(d).min, jnp.finfo(d).eps, jnp.finfo(d).smallest_normal,jnp.finfo(d).tiny, jnp.finfo(d).bits, jnp.finfo(d).nmant, jnp.finfo(d).nexp))
    t(lambda: (jnp.iinfo(d).max, jnp.iinfo(d).min, jnp.iinfo(d).bits))
    t(lambda: [jnp.issubdtype(d,k) for k in (jnp.floating, jnp.integer, jnp.inexact, jnp.number, jnp.signedinteger, jnp.unsignedinteger, np.generic)])
    t(lambda: jnp.promote_types(d, jnp.float32)); t(lambda: jnp.promote_types(d, jnp.int8)); t(lambda: jnp.promote_types(d, d)); t(lambda: jnp.promote_types(d, jnp.bool_)); t(lambda: jnp.promote_types(d, float)); t(lambda: jnp.promote_types(d,int)); t(lambda: jnp.promote_types(d,jnp.bfloat16)); t(lambda: jnp.promote_types(d,jnp.float8_e4m3fn))
    t(lambda: np.arange(12).astype(d).astype(np.float32) if n not in() else 0)
    t(lambda: jax.lax.bitcast_convert_type(jnp.arange(4).astype(d), jnp.uint8))
    t(lambda: jnp.arange(8,dtype=jnp.uint8).view(d))
    t(lambda: jax.ShapeDtypeStruct((2,),d)); t(lambda: jax.typeof(jnp.zeros((2,),d))) 
