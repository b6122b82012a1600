"""jax.random: distributions composed of uniform and normal numbers."""
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
key=jax.random.key(1)
for n in ('laplace','logistic','cauchy','rademacher','maxwell'): t(n, lambda: getattr(jax.random,n)(key,(5,)))
t('pareto', lambda: jax.random.pareto(key,2.,(4,))); t('ray', lambda: jax.random.rayleigh(key,2.,(4,))); t('logn', lambda: jax.random.lognormal(key,.5,(4,))); t('weib', lambda: jax.random.weibull_min(key,1.,2.,(4,))); t('dsm', lambda: jax.random.double_sided_maxwell(key,0.,1.,(4,))); t('mvn', lambda: jax.random.multivariate_normal(key,jnp.zeros(2),jnp.array([[2.,.5],[.5,1.]]),(3,)))
