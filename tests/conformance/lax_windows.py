"""lax: folds, windows, convolutions, joins, ragged products, precisions."""
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
t('top_k', lambda: lax.top_k(x,2,axis=0)); t('reshape', lambda: lax.reshape(x,(4,3),dimensions=(1,0)))
t('prec', lambda: lax.dot(x,v,precision='foo')); t('prec2', lambda: lax.dot(x,v,precision=('high','x')));t('prec3', lambda: jnp.dot(x,v,precision='foo')); t('prec4', lambda: jnp.einsum('ij,j',x,v,precision='foo')); t('prec5', lambda: jnp.matmul(x,v,precision=lax.Precision.HIGH))
t('split', lambda: lax.split(x,(1,2),axis=0)); t('split2', lambda: lax.split(x,(1,1),axis=0)); t('tile', lambda: lax.tile(v,(2,))); t('b2r', lambda: lax.broadcast_to_rank(v,3)); t('bs', lambda: lax.broadcast_shapes((1,3),(2,1)))
t('amk', lambda: lax.approx_max_k(v,2)); t('amk2', lambda: lax.approx_min_k(x,1,reduction_dimension=0)); t('duid', lambda: lax.dynamic_update_index_in_dim(x, jnp.ones(4), 1, 0))
t('rd', lambda: lax.ragged_dot(x, jnp.arange(16.).reshape(2,4,2), jnp.array([1,2]))); t('rd2', lambda: lax.ragged_dot(x, jnp.arange(16.).reshape(2,4,2), jnp.array([1,1])))
t('red', lambda: lax.reduce(x,0.,lax.add,(0,))); t('red2', lambda: lax.reduce(x,-jnp.inf,lax.max,(0,1))); t('red3', lambda: lax.reduce(x,1.,lambda a,b:a*2+b,(1,))); t('red4', lambda: lax.reduce((x,x),(0.,1.),lambda a,b:(a[0]+b[0],a[1]*b[1]),(0,))); t('red5', lambda: lax.reduce(x,2.,lax.add,(1,)))
t('rw', lambda: lax.reduce_window(x,0.,lax.add,(2,2),(1,1),'VALID')); t('rw2', lambda: lax.reduce_window(x,-jnp.inf,lax.max,(2,2),(2,2),'SAME')); t('rw3', lambda: lax.reduce_window(v,jnp.inf,lax.min,(3,),(1,),[(1,1)])); t('rw4', lambda: lax.reduce_window(v,0.,lax.add,(2,),(1,),'VALID',window_dilation=(2,)));t('rw5', lambda: lax.reduce_window(v,0.,lax.add,(2,),(1,),'VALID',base_dilation=(2,)))
im=jnp.arange(32.).reshape(1,2,4,4); k=jnp.arange(16.).reshape(2,2,2,2)
t('conv', lambda: lax.conv(im,k,(1,1),'VALID')); t('conv2', lambda: lax.conv_general_dilated(im,k,(2,1),'SAME')); t('conv3', lambda: lax.conv_general_dilated(im.transpose(0,2,3,1),k.transpose(2,3,1,0),(1,1),[(1,0),(0,1)],dimension_numbers=('NHWC','HWIO','NHWC'))); t('conv4', lambda: lax.conv_general_dilated(im,k[:,:1],(1,1),'VALID',feature_group_count=2)); t('conv5', lambda: lax.conv_general_dilated(im,k,(1,1),'VALID',lhs_dilation=(2,2),rhs_dilation=(2,1)));t('conv6', lambda: lax.conv_general_dilated(im,k[:,:1],(1,1),'VALID'))
t('add', lambda: lax.add(v,1)); t('adt', lambda: (jax.dtypes.finfo(jnp.float32).bits, jax.dtypes.scalar_type_of(1)))
