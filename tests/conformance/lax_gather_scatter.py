"""lax.gather and lax.scatter with their dimension numbers and modes."""
import jax, jax.numpy as jnp, numpy as np, functools
from jax import lax
import jax.scipy.special as sp
import warnings; warnings.simplefilter('ignore')
def t(name, f):
    try:
        r=f()
        def s(x):
            return f"{x.dtype}{x.shape} {[float('%.4g'%v) for v in np.asarray(x,np.float32).ravel()[:8]]}" if hasattr(x,'dtype') else repr(x)
        print(name, jax.tree.map(s, r))
    except Exception as e: print(name, type(e).__name__, str(e)[:160].replace('\n','|'))
x=jnp.arange(12.).reshape(3,4); y=jnp.arange(24,dtype=jnp.int32).reshape(2,3,4); v=jnp.array([3.,1.,2.,1.]); iv=jnp.array([3,1,2,1])
G=lax.GatherDimensionNumbers; S=lax.ScatterDimensionNumbers; M=lax.GatherScatterMode
print(G(offset_dims=(0,), collapsed_slice_dims=(0,), start_index_map=(0,)))
t('g1', lambda: lax.gather(x, jnp.array([[0],[2]]), G((1,),(0,),(0,)), (1,4)))
t('g2', lambda: lax.gather(x, jnp.array([[0],[9]]), G((1,),(0,),(0,)), (1,4)))
t('g3', lambda: lax.gather(x, jnp.array([[0],[9]]), G((1,),(0,),(0,)), (1,4), mode='clip'))
t('g4', lambda: lax.gather(x, jnp.array([[0],[9]]), G((1,),(0,),(0,)), (1,4), mode=M.PROMISE_IN_BOUNDS))
t('g5', lambda: lax.gather(x, jnp.array([[0],[9]]), G((1,),(0,),(0,)), (1,4), mode='fill', fill_value=-1))
t('g6', lambda: lax.gather(x, jnp.array([[0,1],[1,2]]), G((1,2),(),(0,1)), (2,2)))
t('g7', lambda: lax.gather(x, jnp.array([[0,1],[2,3],[1,1]]), G((),(0,1),(0,1)), (1,1)))
t('g8', lambda: lax.gather(y, jnp.array([[1],[0]]), G((0,1),(1,),(1,)), (2,1,4)))
t('g9', lambda: lax.gather(y, jnp.array([[[1],[0]],[[2],[2]]]), G((0,3),(1,),(1,)), (2,1,4)))
t('g10', lambda: lax.gather(x, jnp.array([[1],[0],[3]]), G((),(1,),(1,),operand_batching_dims=(0,),start_indices_batching_dims=(0,)), (1,1)))
t('g11', lambda: lax.gather(y, jnp.array([[2,1]]), G((1,2,3),(),(2,0)), (1,2,3)))
t('g12', lambda: lax.gather(iv, jnp.array([[9]]), G((),(0,),(0,)), (1,)))
t('g13', lambda: lax.gather(x, jnp.array([[0]]), G((1,),(0,),(0,)), (1,5)))
t('g14', lambda: lax.gather(x, jnp.array([[0]]), G((1,),(0,),(0,)), (1,)))
t('g15', lambda: lax.gather(x, jnp.array([[0]]), G((1,),(0,),(0,)), (1,4), mode='foo'))
t('s1', lambda: lax.scatter(x, jnp.array([[0],[2]]), jnp.ones((2,4)), S((1,),(0,),(0,))))
t('s2', lambda: lax.scatter_add(x, jnp.array([[0],[0]]), jnp.ones((2,4)), S((1,),(0,),(0,))))
t('s3', lambda: lax.scatter_add(x, jnp.array([[0],[7]]), jnp.ones((2,4)), S((1,),(0,),(0,))))
t('s4', lambda: lax.scatter_add(x, jnp.array([[0],[7]]), jnp.ones((2,4)), S((1,),(0,),(0,)), mode='clip'))
t('s5', lambda: lax.scatter_mul(v, jnp.array([[0],[0]]), jnp.array([2.,3.]), S((),(0,),(0,))))
t('s6', lambda: lax.scatter_min(v, jnp.array([[0],[1]]), jnp.array([2.,3.]), S((),(0,),(0,))))
t('s7', lambda: lax.scatter_max(v, jnp.array([[0],[1]]), jnp.array([2.,3.]), S((),(0,),(0,))))
t('s8', lambda: lax.scatter_sub(v, jnp.array([[0],[1]]), jnp.array([2.,3.]), S((),(0,),(0,))))
t('s9', lambda: lax.scatter(x, jnp.array([[1,1]]), jnp.full((1,2,2),9.), S((1,2),(),(0,1))))
t('s10', lambda: lax.scatter(x, jnp.array([[2,1]]), jnp.full((1,2,2),9.), S((1,2),(),(0,1))))
t('s11', lambda: lax.scatter(x, jnp.array([[2,1]]), jnp.full((1,2,2),9.), S((1,2),(),(0,1)),mode='clip'))
t('s12', lambda: lax.scatter(x, jnp.array([[1],[0],[3]]), jnp.array([7.,8.,9.]), S((),(1,),(1,),operand_batching_dims=(0,),scatter_indices_batching_dims=(0,))))
print(repr(lax.Precision.HIGHEST), lax.Precision.HIGHEST, lax.Precision.HIGHEST.value, lax.DotAlgorithmPreset.F16_F16_F32, repr(lax.GatherScatterMode.CLIP))
