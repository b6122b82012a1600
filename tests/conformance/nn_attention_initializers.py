"""jax.nn: attention, sums of exponentials, initializers."""
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
q=jnp.arange(2*3*2*4,dtype=jnp.float32).reshape(2,3,2,4)/10; kk=q[:,:,:1]
t('att', lambda: jax.nn.dot_product_attention(q,q,q)); t('att2', lambda: jax.nn.dot_product_attention(q,kk,kk,is_causal=True)); t('att3', lambda: jax.nn.dot_product_attention(q[0],q[0],q[0],scale=.5,bias=jnp.ones((1,1,3,3)))); t('att4', lambda: jax.nn.dot_product_attention(q,q,q,mask=jnp.tril(jnp.ones((3,3),bool))[None,None],return_residual=True)); t('att5', lambda: jax.nn.dot_product_attention(q,q,q,query_seq_lengths=jnp.array([1,2]),key_value_seq_lengths=jnp.array([2,3]))); t('att6', lambda: jax.nn.dot_product_attention(q,q,q,local_window_size=1)); t('att7', lambda: jax.nn.dot_product_attention(q,q[:,:,:,:2],q)); t('att8', lambda: jax.nn.dot_product_attention(q.astype(jnp.bfloat16),q.astype(jnp.bfloat16),q.astype(jnp.bfloat16))); t('att9', lambda: jax.nn.dot_product_attention(q,q,q,local_window_size=(1,0),is_causal=True))
t('nn', lambda: (jax.nn.identity(v), jax.nn.log1mexp(v), jax.nn.logmeanexp(v), jax.nn.sparse_plus(v-2), jax.nn.sparse_sigmoid(v-2), jax.nn.squareplus(v,b=2.)))
t('lse', lambda: (jax.nn.logsumexp(v,b=v), jax.nn.logsumexp(v,where=v>1), jax.nn.logsumexp(v,return_sign=True), jax.nn.logsumexp(v,b=-v,return_sign=True), jax.nn.logsumexp(v,b=-v), jax.nn.logsumexp(x,axis=0,b=jnp.array([1.,0.,2.,3.]),keepdims=True)))
key=jax.random.key(1)
I=jax.nn.initializers
for n in ('zeros','ones'): t(n, lambda: getattr(I,n)(key,(2,2)))
for n in ('uniform','normal','truncated_normal','glorot_uniform','glorot_normal','xavier_uniform','lecun_normal','lecun_uniform','he_normal','he_uniform','kaiming_normal'): t(n, lambda: getattr(I,n)()(key,(2,3)))
t('const', lambda: I.constant(3.)(key,(2,))); t('vs', lambda: I.variance_scaling(1.,'fan_geo_avg','normal')(key,(2,3))); t('vs2', lambda: I.variance_scaling(1.,'foo','normal')(key,(2,3))); t('vs3', lambda: I.he_normal()(key,(3,)))
t('lazy', lambda: jax.jit(lambda a: jax.nn.dot_product_attention(a,a,a))(q))
