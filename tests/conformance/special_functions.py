"""jax.scipy.special, jax.ops and what else is composed."""
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
p=jnp.array([.1,.5,.9]); 
for n in ('entr','ndtr','ndtri','gamma','gammasgn','factorial','loggamma','softmax','log_softmax','logit','expit','erf','gammaln'): t(n, lambda: getattr(sp,n)(p))
for n in ('xlogy','xlog1py','rel_entr','kl_div','beta','betaln','comb','poch','boxcox','boxcox1p'): t(n, lambda: getattr(sp,n)(p,jnp.array([.3,0.,.2])))
t('mg', lambda: sp.multigammaln(p+3,2)); t('ndtr', lambda: sp.ndtr(jnp.array([-5.,0.,3.])))
t('seg', lambda: (jax.ops.segment_sum(v,iv), jax.ops.segment_max(v,iv,5), jax.ops.segment_min(iv,iv,5), jax.ops.segment_prod(x,jnp.array([0,0,1]),3)))
t('np', lambda: (jnp.vectorize(lambda a:a+1)(v), jnp.put_along_axis(x,jnp.array([[0],[1],[2]]),9.,axis=1,inplace=False), jnp.trim_zeros(jnp.array([0,1,0,2,0])), jnp.polyadd(v,v[:2]), jnp.polymul(v,v), jnp.polyder(v), jnp.polyint(v)))
t('la', lambda: (jnp.linalg.matrix_norm(x), jnp.linalg.cross(v[:3],x[0,:3]), jnp.linalg.diagonal(x), jnp.linalg.trace(x), jnp.linalg.matmul(x,x.T), jnp.linalg.vecdot(v,v), jnp.linalg.tensordot(x,x,axes=([1],[1]))))
