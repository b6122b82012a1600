"""Writes what CPython 3.11 says of each expression below, one per line, to engine/python/tests/data/builtins.txt:

    expression TAB repr of its value, or exception type and message

and what the program builtins_classes.py beside it prints, to builtins_classes.out.

    /path/to/python3.11 tests/goldens/builtins.py

Text is ASCII with backslash escapes, and addresses read 0x...; the Rust test (engine/python/tests/builtins.rs) brings
its own output to the same form. What differs between two runs of CPython (hashes and sets of strings) is not asked.
Needs nothing but the standard library.
"""

import contextlib
import io
import pathlib
import re
import warnings

# What every operator and function says when it is used wrongly, and what it does.
ERRORS = r'''
1/0
1//0
1%0
divmod(1,0)
1.0/0
1.0//0
1.0%0
divmod(1.0,0)
0**-1
0.0**-1
10.0**400
(-8)**0.5
1<<-1
1>>-1
1j/0
1j//1
1j%1
0j**-1
pow(2,3,0)
pow(2,-1,4)
pow(2.0,3,4)
pow(2,3,4.0)
float(10**400)
10**400/3
10**400*1.0
1.0+10**400
10**400//1.0
-1.5//0.5, -7%3, 7%-3, -7//2
-0.0//1
1%-float('inf')
1e308*10
round(2.675,2)
round(2.5)
round(float('inf'))
round(float('nan'))
round(1e308,-309)
round(12345,-2)
round(15,-1), round(25,-1)
int(float('inf'))
int(float('nan'))
format(3,'s')
format(3,'.2d')
format('a','d')
format('a','+')
format('a','=10')
format('a',',')
format('a','#')
format(3,'qq')
format(3,'10q')
format(3,'{')
format(3.5,'d')
format(3,',n')
format(3,',_')
format(3,',,')
format(3,'_,')
format(3,',x')
format(3,'c')
format(3,'+c')
format(3,'#c')
format(-3,'c')
format(3,',c')
format(3,'.')
format(3.0,'.')
format(3.0,'99999999999999999999')
format(3.0,'.99999999999999999999')
format([],'d')
format(None,'d')
format(True,'d')
format(True,'')
format(True,'10')
format(3,'zd')
format(-0.001,'z.1f')
'%d' % 'a'
'%x' % 1.5
'%d' % 1.5
'%c' % 'ab'
'%c' % -1
'%c' % 1.5
'%q' % 1
'%' % 1
'%d'
'%d' % ()
'%d %d' % (1,)
'%d' % (1,2)
'%(a)s' % 1
'%(a' % {}
'%(a)s' % {}
'%s' % {'a':1}
'a' % 1
'a' % {'a':1}
'a' % [1]
'%5.3s|%-5d|%05d|%+d|% d|%#x|%e|%g|%%' % ('abcdef',1,2,3,4,255,1.5,1e10)
'%*d' % (5,3)
'%.*f' % (2,3.14159)
'{}'.format()
'{a}'.format()
'{} {0}'.format(1)
'{0} {}'.format(1)
'{'.format()
'}'.format()
'{!x}'.format(1)
'{!r:>10}'.format('a')
'{0.real} {0[0]}'.format(1)
'{0[a]}'.format({'a':2})
'{:{}}'.format(1,5)
'{:{:{}}}'.format(1,5,3)
'{0!r'.format(1)
'{0!}'.format(1)
'{0!rr}'.format(1)
'{0.}'.format(1)
'{0[}'.format(1)
'{0[]}'.format(1)
'{0[1]x}'.format([1,2])
[][1]
[1]['a']
(1,)[1.0]
'a'[5]
'a'['a']
b'a'['a']
b'a'[4]
range(3)[5]
range(3)['a']
()[1]
'a'+1
b'a'+1
[]+()
()+[]
[]*1.0
'a'*'b'
[]*'b'
1 in 'a'
'a' in b'a'
300 in b'a'
1.0 in b'a'
[1]<(1,)
[1,2]<[1,'a']
{}<{}
[1,2,3]['a':]
[1,2,3][::0]
slice(1,2,0).indices(5)
slice(1,2,0).indices(-5)
range(1,2,0)
range(1.0)
range('a')
range()
range(1,2,3,4)
len(5)
'a'*10**20
[0]*10**20
[0]*10**18
chr(-1)
chr(0x110000)
chr(1.0)
ord('ab')
ord(1)
ord(b'ab')
int('a')
int('1_0'), int(' 12 '), int('0x1f',16), int('0b1',0), int('١')
int('')
int('1__0')
int(b'12'), int(1.9), int(-1.9)
int([])
int('12', 1)
int('zz',36)
int('9',8)
int(12,10)
int('0x',16)
int('1'*5000)
str(10**5000)
float('a')
float([])
float('')
float('1_0.5'), float('inf'), float('-Infinity'), float('nan'), float(' 1e5 ')
complex('1+2j'), complex(1,2), complex('a')
bytes(-1)
bytes('a')
bytes([300])
bytes(['a'])
bytes(1.5)
bytes([1,2]), bytes(3), bytes('a','utf8')
str(b'a','utf8'), str(b'a')
str(b'\xff','utf8')
'\xff'.encode('ascii')
'a'.encode('foo')
sum(['a'])
sum([],'')
sum('a','')
sum([[1],[2]],[])
min([])
max()
max(1)
min(1,2,default=3)
max([1,2],key=1)
max([3,1,2],key=lambda x:-x,default=3)
sorted([1,'a'])
sorted(1)
reversed(1)
reversed({1})
enumerate()
enumerate(1)
zip(1)
list(zip([1],[1,2],strict=True))
list(zip([1,2],[1],strict=True))
list(zip([1,2],[1,3],[1],strict=True))
list(zip([1,],[1],[1,2],strict=True))
map(1)
map()
list(map(1,[1]))
next([])
next(iter([]))
next(iter([]),3)
iter(1)
iter(1,2)
isinstance(1,1)
issubclass(1,int)
issubclass(int,1)
isinstance(1,(int,1))
hash([])
hash({})
hash(([],))
{[]:1}
{}['a']
{}[1,2]
{1}.remove(3)
set().pop()
{}.popitem()
{}.pop(1)
[].pop()
[1].pop(5)
[].remove(1)
[].index(1)
().index(1)
'a'.index('b')
'a'.rindex('b')
range(3).index(5)
'a'.split('')
'a'.partition('')
'a'.join([1])
'a'.join(1)
','.join(['a',1])
'a'.replace('a')
'a'.startswith(1)
'a'.startswith(('a',1))
'a'.center(5,'ab')
'a'.center(5,1)
'a'.zfill('a')
'a'.strip(1)
'a'.foo
(1).to_bytes(0,'big')
(-1).to_bytes(1,'big')
(1).to_bytes(1,'foo')
(256).to_bytes(1,'big')
int.from_bytes(b'\xff\x01','little',signed=True)
float('inf').as_integer_ratio()
float('nan').as_integer_ratio()
(1.5).hex(),(0.0).hex(),(-1e-320).hex(),float('inf').hex()
float.fromhex('0x1.8p1'),float.fromhex('a'), 
float.fromhex('zz')
abs('a')
-'a'
~1.5
~'a'
+[]
1+'a'
1+None
None+1
1<'a'
None<None
[]<1
1j<2
round('a')
round(1,'a')
round(1.5,'a')
bin(1.5)
hex('a')
callable(1)
getattr(1,'x')
getattr(1,1)
setattr(1,'x',1)
delattr(1,'x')
dict([1])
dict([(1,2,3)])
dict(1)
dict(['ab'])
dict([1,2])
dict(a=1,**{'b':2})
{}.update([1])
{}.update(1)
dict.fromkeys([1,2],3)
set(1)
{1}|[1]
{1}<[1]
{1,2}^{2,3}
frozenset([1]),frozenset()
{1:2}.keys()&[1]
{1:2}.keys()|{3}
{1:2}.items()
{1:2}.values()
{1:2}|{3:4}
{1:2}|[1]
print(sep=1)
print(end=1)
print(foo=1)
input
divmod(1,'a')
pow('a',1)
pow(1,'a')
pow(1,2,'a')
len
[].append
list.append
str.join
int.__add__
range(5),range(1,5),range(1,5,2)
slice(1),slice(1,2),slice(None,None,-1)
type(1),type,type(None),type(...),type(NotImplemented)
ValueError('x'),ValueError(),ValueError(1,2),KeyError('a')
str(KeyError('a')),str(KeyError()),str(KeyError('a','b')),str(ValueError(1,2)),str(ValueError(1)),str(OSError(2,'a')),str(OSError(2,'a','f'))
ImportError('a',name='b').name
StopIteration(3).value
SystemExit(3).code,SystemExit().code,SystemExit(1,2).code
AttributeError('a',name='b',obj=3).obj
UnicodeDecodeError('a',b'b',1,2,'c')
enumerate([1])
iter([1])
iter({})
iter({}.values())
iter(range(3))
iter('a')
iter(())
iter(set())
iter(b'')
reversed([1])
zip()
map(str,[])
filter(None,[])
iter(int,1)
b'a\'b\n\xff\\"'
1e16,1e15,123456789012345678.0,1e-5,0.0001,1e22,1.0,-0.0,float('nan'),5e-324,1.7976931348623157e308
1j,-1j,1+2j,complex(-0.0,1),complex(float('nan'),float('inf')),1e20+1e-7j
'%r %a' % ('é','é')
ascii('é\n')
True+True,True&True,True|2,~True,True<<1,-True
hash(1),hash(1.0),hash(True),hash(2**61-1),hash(-1),hash(1.5),hash(float('inf')),hash(2**100),hash(-2**100+1),hash(1e300),hash(None) is not None
hash((1,2)),hash(()),hash(((),1.5)),hash(1j),hash(frozenset([1,2,3]))
hash(float('-inf')),hash(0.1),hash(2+3j)
int(3.7),int('-12'),int(True)
bool([]),bool('a')
object
object()
object(1)
int(1,2,3)
str(1,2,3)
list(1,2)
list(a=1)
tuple(1)
bool(1,2)
len(1,2)
len()
abs()
isinstance(1)
ord()
'a'.upper(1)
[].append()
[].append(1,2)
[].sort(1)
[].sort(foo=1)
sorted()
sorted([1],1)
'a'.split(foo=1)
int(foo=1)
range(a=1)
enumerate([],start=1,foo=2)
enumerate([1],'a')
zip(a=1)
print(1,foo=2)
sum([1],start=3)
sum([1],2,3)
sum()
dict.fromkeys()
'a'.format
'x'.encode().decode('foo')
b'abc'.hex(),b'abc'.hex('-'),bytes.fromhex('61 62')
bytes.fromhex('6')
bytes.fromhex('zz')
b'a'.decode('ascii')
b'\xff'.decode('ascii')
b'\xff'.decode()
b'a\xe2\x82'.decode()
'%s' % b'a'
b'%d %s' % (1,b'a')
...
type('A',(),{})
type(1,2)
vars(1)
id(1)==id(1)
__import__('math').pi
property()
staticmethod()
format(1,2)
[1,2,3].index(4)
[1,2,3].__getitem__('a')
int.__add__(1,'a')
[].__contains__(1)
'abc'.__len__()
'a'.__add__(1)
(1).__add__(2.0)
(1.0).__add__(2)
(1).__floordiv__(0)
list.append(1,2)
str.upper(1)
list.append()
dict.get({})
{}.get()
{}.get(1,2,3)
{}.setdefault()
{}.pop()
[].insert(1)
[].extend(1)
[].count()
'a'.find(1)
'a'.__contains__(1)
(1,2).count(1)
'a'.translate(1)
'a'.maketrans('a','bc')
str.maketrans({'ab':1})
str.maketrans(1)
'abc'.translate({97:'x',98:None})
'a'.expandtabs('a')
'a'.ljust()
'a'.removeprefix(1)
'abc'.rsplit(None,1)
'a'.splitlines(1)
'a'.isascii(),'a'.isidentifier()
'a'.encode('utf-8','foo')
(5).bit_length(),(5).bit_count(),(5).as_integer_ratio(),(5).numerator,(5).imag,(5).conjugate(),(5).real
(1.5).is_integer(),(1.5).as_integer_ratio(),(1.5).real,(1.5).conjugate()
(5).is_integer()
(1+2j).real,(1+2j).conjugate(),abs(3+4j)
slice(1,2,3).start
slice(None,None,-1).indices(5)
slice(1,'a').indices(5)
[1,2,3][1.0:]
range(10)[::2],range(10)[::-1],range(10)[-1],range(0)[0:0],range(10)==range(0,10,1),range(0)==range(2,2)
range(10).count(3),range(10).index(3),3 in range(10),3.0 in range(10),'a' in range(3),2.5 in range(3)
range(3)+range(3)
{**{},1:2}
{1,2}-{1}
{1}.union([2],[3]),{1}.intersection([1],[1,2]),{1,2}.difference([1])
{1}.issubset([1,2]),{1}.issuperset([]),{1}.isdisjoint([2])
{1}.add([])
{1}.discard([])
[] in {1}
{1}.__contains__([])
frozenset([1])|{2}
{2}|frozenset([1])
{1}==frozenset([1])
hash(range(3))==hash(range(0,3,1))
hash(slice(1))
'abc'[::-1],'abc'[1:],'abc'[-1]
(1,2)+(3,)
(1,2)<(1,3),(1,2)==(1,2),[1]==(1,)
min('abc'),max([1,5,2]),min(3,1,2),max('a','b',key=ord)
all([]),any([]),all([1,0]),any([0,1])
sum([0.1]*10)
sum([1,2.5,True])
list(filter(None,[0,1,2])),list(map(lambda a,b:a+b,[1,2],[3,4,5]))
sorted([3,1,2],reverse=True),sorted('bca'),sorted([(1,'b'),(1,'a')],key=lambda t:t[0])
'''

# What they do when used rightly, family by family.
RESULTS = r'''
10**20//3, -10**20//3, 10**20%-3, divmod(-10**20,7), 10**20/10**3, (10**30)/(10**25+1), 3**-2, 2**100, (-2)**63, (-2)**64, 7**0, 0**0
9223372036854775807+1, -9223372036854775808-1, -9223372036854775808//-1, abs(-9223372036854775808), -(-9223372036854775808), 9223372036854775807*9223372036854775807
(2**53+1)/1, (2**53+1)/2**53, 1/3, 2/3, 10**308/1.0, (2**1024-2**970)/1, 1/(2**1074), 1/(2**1075), 3/(2**1076), 5e-324/2
2**1024/2**1023, (3*2**2000)/2**1999, -7/2, 7/-2, 0/5, 0/-5
1 << 100, -1 << 70, (1<<100) >> 98, -1 >> 1, -5 >> 1, -(1<<70) >> 69, 5 >> 1000, -5 >> 1000, 0 << 10**9
12345678901234567890 & 0xffff, -1 & 2**70, -2**70 | 1, 2**70 ^ -1, ~2**70, ~0, ~-1
5 == 5.0, 2**53+1 == 2.0**53, 2**53+1 > 2.0**53, 10**400 > 1e308, 10**400 < float('inf'), -10**400 > float('-inf'), 1 < float('nan'), float('nan') != float('nan')
1 == 1+0j, 1.5 == 1.5+0j, 2j == 2j, 1j == 1, True == 1.0, 0.1+0.2 == 0.3
pow(3, 100, 7), pow(-3, 3, 7), pow(3, -1, 7), pow(3, 2, -7), pow(2, 10), pow(2, -2), pow(2.5, 2), pow(0, 0, 1), pow(38, -1, 97)
(-8.0)**(1/3), (-2.0)**3, (-2.0)**-3, 0.0**0, float('nan')**0, 1.0**float('inf'), (-1.0)**float('inf'), 2.0**1023, float('inf')**-1, (-0.0)**3, (1+2j)**2, (1+2j)**-1, (1+2j)**0.5, 2**(1+1j), 1j**2, 0j**0
(1+2j)*(3-4j), (1+2j)/(3-4j), (1+2j)+1, 1-(1+2j), -(1+2j), abs(-3-4j), (1+2j)/2, 2/(1+1j)
5.5//2, -5.5//2, 5.5%-2, -5.5%2, 1e300//1e-300, 5.0//0.1, 0.3%0.1, divmod(5.5,-2), divmod(-1e-20, 3), 1.0//float('inf'), -1.0//float('inf'), -1.0%float('inf')
round(0.5), round(1.5), round(-0.5), round(-2.5), round(2.5,0), round(1.005,2), round(0.15,1), round(0.25,1), round(0.35,1), round(1234.5678,-2), round(1e22), round(1e300), round(5e-324,323), round(123.456,400), round(-0.0), round(1250,-2), round(1350,-2), round(-1250,-2), round(10**30+5*10**9,-10), round(7,-5), round(True), round(2**70,2), round(15.0,-1), round(25.0,-1), round(-25.0,-1), round(1.5,None)
float('1e400'), float('-1e400'), float('1e-400'), float('.5'), float('5.'), float('+1.5'), float('1_000.5_0'), float('INFINITY'), float('+nan'), float('١٢')
float('1e'), 
float('_1')
float('1_')
float('1__0')
float('0x10')
float('1 2')
int('-0b101', 0), int('0o17', 0), int('0XFF', 16), int('z', 36), int('-ff', 16), int('+5'), int('0_1'), int('0', 0), int('00', 0), int('٣'), int(' \n5\t'), int(1e20), int(-1.5), int(b'0x1f', 16)
int('010', 0)
int('0b2', 0)
int('_1')
int('1_')
int('0x_1f', 16), int('0b_1', 0)
int('5', True)
int('5', base=8), int(x='5') if False else 0
int('1.5')
int(None)
int('12' * 2000) == int('12' * 2000)
len(str(10**4299)), str(-10**4299)[:3]
str(10**4300)
(255).to_bytes(2,'big'), (255).to_bytes(2,'little'), (-2).to_bytes(2,'big',signed=True), (0).to_bytes(0,'big'), (0).to_bytes(3,'little'), (127).to_bytes(1,'big',signed=True), (2**70).to_bytes(10,'little'), (5).to_bytes()
(128).to_bytes(1,'big',signed=True)
(-129).to_bytes(1,'big',signed=True)
(1).to_bytes(-1,'big')
int.from_bytes(b'\x01\x00','big'), int.from_bytes(b'\xff','big',signed=True), int.from_bytes([1,2],'little'), int.from_bytes(b''), int.from_bytes(b'\x80'*9,'big',signed=True)
(2**70).bit_length(), (-1).bit_length(), (0).bit_length(), (-2**70).bit_count(), (2**100).as_integer_ratio(), True.bit_length(), True.real, True.numerator, False.conjugate()
(0.1).as_integer_ratio(), (1e300).as_integer_ratio()[1], (5e-324).as_integer_ratio()[0], (-0.75).as_integer_ratio(), (0.0).as_integer_ratio()
(3.0).is_integer(), float('inf').is_integer(), float('nan').is_integer(), (1e300).is_integer()
(1.0).hex(), (-0.1).hex(), (5e-324).hex(), (1.7976931348623157e308).hex(), (-0.0).hex(), float('nan').hex()
float.fromhex('0x1p-1074'), float.fromhex('0x1p-1075'), float.fromhex('0x1.8p-1075'), float.fromhex('-0x.8'), float.fromhex('1p4'), float.fromhex('inf'), float.fromhex('0x1.fffffffffffff8p0'), float.fromhex('0x1.00000000000008p0'), float.fromhex('0x1.00000000000018p0'), float.fromhex('123456789abcdef0123')
float.fromhex('0x1p1024')
float(), int(), complex(), str(), bytes(), list(), tuple(), dict(), set(), frozenset(), bool()
complex('1'), complex('j'), complex('-j'), complex('1e3-.5j'), complex(' (1+2j) '), complex('inf'), complex('nan+infj'), complex(1j, 2j), complex(True), complex('+1.5E2-3j')
complex('1 + 2j')
complex('1', 2)
complex(1, '2')
complex([])
complex(1, [])
1e100, 1e-100, 123456.789, 1/3, 100.0, 1e5, 9999999999999998.0, 1e16-1, 0.00012345, 0.000012345, 2.5e-5, 1.0e10, -1e-7, 3.14159265358979
str(1.0), str(1e16), str(-0.0), str(True), str(None), str(...), str(1j), str([1,'a']), str((1,)), str({}), str(b'x')
'%s %r %d %i %5d|%-5d|%05d|%+d|% d' % ('a', 'b', 3, 4, 5, 6, 7, 8, 9)
'%x %X %o %#x %#X %#o %c %c %%' % (255, 255, 8, 255, 255, 8, 65, 'z')
'%.3d|%8.3d|%-8.3d|%08.3d|%+.3d|%x|%#x' % (5, 5, 5, 5, 5, -255, -255)
'%e %E %f %F %g %G' % (12345.678, 0.00012, 1.5, 2.25, 1e-10, 1e20)
'%.0f %.1f %.10f %#.0f %5.1f|%-8.2f|%08.2f|%+.2f' % (2.5, 0.25, 0.1, 3.0, 2.25, 2.5, -2.5, 2.5)
'%f %e %g %5.1f|%05f' % (float('inf'), float('-inf'), float('nan'), float('inf'), float('nan'))
'%(a)s %(b)05.1f %(a)r' % {'a': 'x', 'b': 2.25}
'%(a(b))s' % {'a(b)': 1}
'%s' % (1,), '%s' % [1, 2], '%s %s' % ('a', (1, 2)), '%s' % None, '%s' % (None,)
'%.2s|%5s|%-5s|%05s' % ('abc', 'ab', 'ab', 'ab')
'%*s|%-*s|%.*s' % (5, 'a', 5, 'b', 1, 'cd')
'%*s' % ('a', 'b')
'%d' % True, '%d' % 3.99, '%d' % -3.99, '%x' % True, '%5.2f%%' % 12.345
'%d' % float('nan')
'%d' % None
'%f' % 'a'
'%s %s' % 'a'
'%a %a' % ('é', [1, 'ü'])
'%.0e %.0g %#.3g %g %g %g %g' % (12345.0, 12345.0, 1.0, 100000, 1000000, 0.0001, 0.00001)
'%ld %hd %Ld' % (1, 2, 3)
'abc' % ()
'%s' % ()
'%99999999999999999999d' % 1
b'%s %d %r %x %c %%' % (b'a', 5, 'x', 255, 65)
b'%s' % 'a'
b'%c' % 300
b'%(a)d' % {b'a': 1}
'{} {} {}'.format(1, 'a', [2]), '{1} {0}'.format('a', 'b'), '{a} {b}'.format(a=1, b=2), '{0.real} {0.imag}'.format(3), '{0[1]} {0[0]}'.format([1, 2]), '{a[b]}'.format(a={'b': 1})
'{:>5}|{:<5}|{:^5}|{:*^7}|{:=+5}|{:05d}'.format('a', 'b', 'c', 'd', 3, -4)
'{{}} {{{}}} }}'.format(1)
'{!r} {!s} {!a}'.format('a', 'b', 'é'), '{0!r:>5}|{0!s:>5}'.format('x')
'{:{w}.{p}f}|{:{}}'.format(3.14159, 5, 8, w=10, p=2)
'{:{}}{}'.format('a', 3, 'b')
'{a.b}'.format(a=1)
'{0.a[0].b}'.format(1)
'{a!r:^10}'.format(a='z'), '{:}'.format(1), '{0:}'.format('x'), '{:d}'.format(True), '{}'.format(True)
'{1}'.format(0)
'{-1}'.format(0)
'{a b}'.format(**{'a b': 1})
'{0[-1]}'.format({'-1': 5})
'{0[-1]}'.format([5])
'{}}'.format(1)
'{0:{1}'.format(1, 2)
'{0:{1:{2}}}'.format(1, 2, 3)
'{a'.format(a=1)
'{!'.format(1)
'{!r'.format(1)
'{0{'.format(1)
'{x}'.format_map({'x': 5}), '{x:>3}'.format_map({'x': 'a'})
'{}'.format_map({})
'{:,}'.format(1234567), '{:_}'.format(1234567), '{:,.2f}'.format(1234567.891), '{:_x}'.format(2**40), '{:_b}'.format(1000), '{:015,}'.format(1234567), '{:010,}'.format(1), '{:,}'.format(-1234), '{:,}'.format(123), '{:020,.3f}'.format(12345.6), '{:_.1e}'.format(12345.6), '{:,}'.format(1e20), '{:,}'.format(0.5)
format(2**70, 'x'), format(-255, '#x'), format(255, '#010b'), format(255, '#b'), format(8, '#o'), format(255, 'X'), format(255, '#X'), format(-5, '08b'), format(5, '+b'), format(0, 'x'), format(65, 'c'), format(65, '5c'), format(65, '<5c'), format(10**20, 'd'), format(1000000, 'n')
format(5, 'e'), format(5, '.2f'), format(5, '%'), format(5, 'g'), format(10**20, 'g'), format(True, 'f'), format(True, 'x'), format(False, 's') if False else 0
format(True, 's')
format(10**400, 'f')
format(1+2j), format(1+2j, '.2f'), format(1j, ''), format(1+2j, '>20'), format(1-2j, '+.1e'), format(1.5+2j, 'g'), format(-0.0+1j, ''), format(1j, '.3')
format(1+2j, '=10')
format(1+2j, '010')
format('abc', '.2'), format('abc', '10.2'), format('abc', '*>10'), format('abc', '^10s'), format('é', '>3'), format('abc', ''), format('abc', 's'), format('abc', '010'), format('abc', '<010')
format('a', '>')
format('a', '5.')
format('a', 'z')
format('a', ' ')
format('a', '_')
format(3, '=10'), format(-3, '=10'), format(-3, '*=10'), format(3, ' '), format(3, '-'), format(3, '+5'), format(3, '^5'), format(-3, '05'), format(3, '<05'), format(3, 'x<5')
format(3, '5.5')
format(3, '10_d'), format(3, '_d')
format(1.5, 'x')
format(1.5, 'c')
format(1.5, ',n')
format(-0.0001, 'z.2f'), format(-0.0, 'z'), format(0.0, '+z.1f'), format(-1.5, 'z.0f')
format([1], ''), format(None, ''), format((1, 2), '')
format((1,), '5')
format({}, 'x')
'a,b,,c'.split(','), 'a b  c '.split(), ' a b c '.split(' '), 'a,b,c'.split(',', 1), 'a b c'.split(None, 1), ' a  b '.split(None, 0), ''.split(), ''.split(','), 'abc'.split('abc'), 'aXbXc'.rsplit('X', 1), ' a b c '.rsplit(None, 1), 'a\u2003b'.split()
'a\nb\r\nc\rd\x0be\x1cf\u2028g'.splitlines(), 'a\nb\n'.splitlines(True), ''.splitlines(), '\n'.splitlines(), 'a'.splitlines()
'abc'.partition('b'), 'abc'.partition('x'), 'abcbd'.rpartition('b'), 'abc'.rpartition('x')
' a '.strip(), 'xxaxx'.strip('x'), 'xyaxy'.lstrip('xy'), 'xyaxy'.rstrip('xy'), '\t\na\x1c'.strip(), 'a'.strip(''), 'a'.strip(None)
','.join(['a', 'b']), ''.join([]), '-'.join('abc'), ', '.join(str(i) for i in range(3))
'abcabc'.find('c'), 'abcabc'.rfind('c'), 'abc'.find('x'), 'abc'.find(''), 'abc'.find('', 3), 'abc'.find('', 4), 'abc'.find('b', -2), 'abc'.find('c', 0, 2), 'abc'.rfind(''), 'abcabc'.find('a', 1), 'héllo'.find('l'), 'héllo'.rfind('l'), 'abc'.index('c'), 'abab'.count('ab'), 'aaa'.count('aa'), 'abc'.count(''), 'abc'.count('', 1), 'abc'.count('', 5)
'abc'.startswith('a'), 'abc'.startswith(('x', 'ab')), 'abc'.startswith('b', 1), 'abc'.startswith('', 4), 'abc'.endswith('c'), 'abc'.endswith(('b', 'bc')), 'abc'.endswith('b', 0, 2), 'abc'.startswith(()), 'héé'.endswith('é', 2)
'aaa'.replace('a', 'b'), 'aaa'.replace('a', 'b', 2), 'abc'.replace('', '-'), 'abc'.replace('', '-', 2), ''.replace('', 'x'), 'abc'.replace('x', 'y'), 'aaa'.replace('a', '', 0)
'abc'.removeprefix('a'), 'abc'.removeprefix('x'), 'abc'.removesuffix('bc'), 'abc'.removesuffix('')
'aBc'.upper(), 'aBc'.lower(), 'aBc'.swapcase(), 'hello world'.title(), "they're bill's".title(), 'hELLO'.capitalize(), 'Straße'.upper(), 'ß'.casefold(), 'ßa'.title(), 'ßa'.capitalize(), 'ΑΣ'.lower(), 'İ'.lower(), 'ǆ'.title(), 'a1b'.title()
'abc'.center(6), 'abc'.center(7), 'ab'.center(5), 'ab'.center(6,'*'), 'abc'.ljust(5)+'|', 'abc'.rjust(5), 'abc'.ljust(5, '-'), 'abc'.center(2), '42'.zfill(5), '-42'.zfill(5), '+42'.zfill(6), 'abc'.zfill(2), ''.zfill(3)
'a\tb'.expandtabs(), 'a\tb'.expandtabs(4), '\ta'.expandtabs(0), 'a\nbc\td'.expandtabs(4), '\t'.expandtabs(3)
'abc'.isalpha(), 'ab1'.isalpha(), ''.isalpha(), 'é'.isalpha(), 'ab1'.isalnum(), '123'.isdigit(), '²'.isdigit(), '²'.isdecimal(), '½'.isnumeric(), '½'.isdigit(), '一'.isnumeric(), '一'.isalpha(), 'Ⅷ'.isnumeric(), '١'.isdecimal(), '²'.isalnum()
'abc'.islower(), 'aBc'.islower(), '1'.islower(), 'a1'.islower(), 'ABC'.isupper(), 'ABc'.isupper(), 'Ab Cd'.istitle(), 'AB'.istitle(), 'A1b'.istitle(), ' '.isspace(), ''.isspace(), '\x1f'.isspace(), 'a b'.isprintable(), '\n'.isprintable(), ''.isprintable(), '\xa0'.isprintable(), 'abc'.isidentifier(), '1a'.isidentifier(), '_é1'.isidentifier(), ''.isidentifier(), 'a b'.isidentifier(), 'é'.isascii(), ''.isascii()
'abc'.translate(str.maketrans('ab', 'xy')), 'abc'.translate(str.maketrans('ab', 'xy', 'c')), 'abc'.translate({97: 'zz', 98: 120, 99: None}), str.maketrans({'a': 'b', 99: 'd'}), 'abc'.translate('x'*98)
str.maketrans('a', 1)
str.maketrans(1, 'a')
'hello'[1], 'hello'[-1], 'hello'[1:3], 'hello'[::-1], 'hello'[::2], 'hello'[10:], 'hello'[-3:-1], 'héllo'[1:3], 'héllo'[::-1], 'héllo'[-4], 'hello'[4:1:-1], 'a'*3, 3*'ab', 'a'*-1, 'a'*0
'b' in 'abc', '' in '', 'x' not in 'abc', 'a' < 'b', 'a' < 'B', 'abc' < 'abd', 'a' == 'a', 'a' != 'b', 'a' == 1, 'z' > 'aa', '' < 'a'
'é'.encode(), 'é'.encode('latin-1'), 'é'.encode('ascii', 'replace'), 'é€'.encode('ascii', 'backslashreplace'), 'é'.encode('ascii', 'ignore'), 'é'.encode('ascii', 'xmlcharrefreplace'), 'a€'.encode('utf-16-le'), 'a'.encode('utf-16'), '😀'.encode('utf-16-be'), 'a'.encode('utf-32-be'), 'abc'.encode(encoding='UTF8')
'é'.encode('ascii')
'é€'.encode('latin-1')
b'\xc3\xa9'.decode(), b'\xe9'.decode('latin-1'), b'a\xffb'.decode('utf-8', 'replace'), b'a\xffb'.decode('utf-8', 'ignore'), b'a\xffb'.decode('ascii', 'backslashreplace'), b'\xff\xfea\x00'.decode('utf-16'), b'\x00a'.decode('utf-16-be'), b'\xe2\x82'.decode('utf-8', 'replace'), b'\xf0\x9f\x98\x80'.decode()
b'\xc3\x28'.decode()
b'a\xe2\x28\xa1'.decode()
b'\x80abc'.decode()
b'abc'.decode('utf-8', 'foo'), 
b'\xff'.decode('utf-8', 'foo')
b'a'.decode(1)
'a'.encode(1)
b'abc'[0], b'abc'[1:], b'abc'[::-1], b'a'+b'b', b'ab'*2, 97 in b'abc', b'b' in b'abc', b'a' < b'b', b'abc' == b'abc', b'a' == 'a', len(b'abc'), list(b'ab'), bytes([1, 2, 3]), bytes(range(3)), bytes(b'x'), hash(b'a') == hash(b'a')
b'a,b'.split(b','), b' a b '.split(), b'a b c'.split(None, 1), b'ab'.find(b'b'), b'ab'.find(98), b'ab'.index(b'b'), b'aab'.count(b'a'), b'abc'.replace(b'b', b'xx'), b'abc'.replace(b'', b'-'), b'abc'.startswith(b'a'), b'abc'.endswith((b'x', b'c')), b' a '.strip(), b'xax'.strip(b'x'), b'-'.join([b'a', b'b']), b'aB'.upper(), b'aB'.lower(), b'a-b'.partition(b'-'), b'a\nb\r\n'.splitlines(), b'12'.isdigit(), b'ab'.isalpha(), b'abc'.removeprefix(b'a'), b'abc'.hex(':', 2), b'abcd'.hex('_', -3), bytes.fromhex(' 0aFF ')
b'a'.index(b'x')
b'a'.split(1)
b'a'.join(['a'])
b'a'.find('a')
b'a'.startswith('a')
[1, 2, 3][0], [1, 2, 3][-1], [1, 2, 3][1:], [1, 2, 3][::-1], [1, 2, 3][::2], [1, 2]+[3], [1]*3, 2*[1], []*5, [1]*-1, [1, 2] == [1, 2], [1, 2] < [1, 3], [1] < [1, 0], [] < [1], [[]]*2, (1, 2)*2, (1,)+(2,), (1, 2)[::-1]
(lambda l: (l.append(4), l.extend('ab'), l.insert(0, 0), l.insert(100, 9), l.insert(-1, 8), l))([1, 2])[-1]
(lambda l: (l.pop(), l.pop(0), l.pop(-1), l))([1, 2, 3, 4])
(lambda l: (l.remove(2), l.reverse(), l))([1, 2, 3, 2])
(lambda l: (l.sort(), l.sort(reverse=True), l.sort(key=lambda x: -x), l))([3, 1, 2])[-1]
(lambda l: (l.clear(), l))([1])
(lambda l: (l.copy(), l.copy() is l, l.count(1), l.index(2), l.index(1, 1), l.index(1, -1)))([1, 2, 1])
[1, 2].index(1, 1)
[1, 2].index(3, 0, 1)
[3, 1, 'a'].sort()
[1, 2].pop('a')
[1].insert('a', 1)
sorted([True, 2, 0.5, -1]), sorted('hello'), sorted([(2, 'a'), (1, 'b')]), sorted({3, 1, 2}), sorted({'b': 1, 'a': 2}), sorted([3, 1, 2], key=None), sorted(['b', 'A', 'c'], key=str.lower), sorted([[2], [1, 5], [1]]), sorted(range(50), key=lambda x: x % 7)[:10], sorted(range(50), key=lambda x: x % 7, reverse=True)[:10], sorted([1.5, float('inf'), -2, 10**20])
[x for x in sorted([('a', 2), ('b', 1), ('c', 2), ('d', 1)], key=lambda t: t[1], reverse=True)]
(1, 2, 1).count(1), (1, 2).index(2), (1, 2, 3)[1:], len(()), (), (1,), ((),), 1 in (1, 2), tuple('ab'), tuple([1])
(1, 2).index(2, 0, 1)
(lambda d: (d.get('a'), d.get('x'), d.get('x', 5), d.setdefault('b', 2), d.setdefault('a', 9), d.pop('b'), d.pop('zz', None), d))({'a': 1})
(lambda d: (d.update({'b': 2}), d.update([('c', 3)]), d.update(e=5), d.update({'a': 0}, f=6), d))({'a': 1})[-1]
(lambda d: (d.popitem(), list(d), len(d), 'a' in d, d.copy() == d, d.clear(), d))({'a': 1, 'b': 2})
{'a': 1}.keys(), {'a': 1}.values(), {'a': 1}.items(), list({'a': 1}.items()), {'a': 1, 'b': 2}.keys() & {'a'}, {'a': 1}.keys() | ['b'] == {'a', 'b'}, {'a': 1}.items() & {('a', 1)}, {'a': 1}.keys() - {'a'}, {1: 1}.keys() ^ {1, 2}, {'a'} & {'a': 1}.keys(), {1: 2}.keys() == {1}, {1: 2}.keys() <= {1, 2}, {1: 2}.items() == {(1, 2)}, {1: 2}.keys().isdisjoint([2]), 1 in {1: 2}.keys(), (1, 2) in {1: 2}.items(), 2 in {1: 2}.values(), len({1: 2}.items())
{1: 2}.values() == {1: 2}.values(), {1: 2}.keys() == {1: 3}.keys()
{1: 2}.values() | {1}
{1: 2}.keys() < [1]
{1: 2}.keys() & 5
(lambda d, k: (d.update(b=2), k, len(k)))({'a': 1}, None)[1:]
(lambda d: (d.keys(), d.update(b=2), d.keys()))({'a': 1})
{'a': 1} | {'b': 2}, {'a': 1} | {'a': 2}, {1: 'a'} == {1.0: 'a'}, {1: 2} != {1: 3}, {True: 1, 1: 2, 1.0: 3}, dict(a=1), dict([('a', 1)]), dict({'a': 1}, b=2), dict(zip('ab', [1, 2])), {**{'a': 1}, 'a': 2}, dict.fromkeys('ab'), dict.fromkeys([1, 1, 2], 0), list(reversed({'a': 1, 'b': 2})), list(reversed({'a': 1, 'b': 2}.items())), len({}), bool({})
dict([('a', 1)], [1])
dict([(1, 2), 3])
dict(['abc'])
{}.update(5)
{}.update([(1, 2, 3)])
{1: 2}.pop(5)
{1: [2]}[1][0], {(1, 2): 3}[1, 2], {None: 1}[None]
[k for d in [{1: 2}] for k in d if d.update({k + 10: 1}) or True]
{1, 2} | {3}, {1, 2} & {2, 3}, {1, 2} - {2}, {1, 2} ^ {2, 3}, {1} <= {1, 2}, {1} < {1}, {1, 2} >= {1}, {1} == {1.0}, {1, 2} > {1}, set('a'), {3, 1, 2}, {10, 5, 1000, -1}, set(range(20)), frozenset({1}), len({1, 1}), 1 in {1}, {(1, 2)}, set(), {1, True}
{1}.union([2], (3,)), {1, 2}.intersection([2]), {1, 2}.difference([1], [5]), {1}.symmetric_difference([1, 2]), {1}.issubset([1]), {1}.issuperset([1, 2]), {1}.isdisjoint([1]), frozenset([1]) | {2}, {2} | frozenset([1]), frozenset([1]).union([2]), frozenset([1, 2]) & {1}, frozenset([1]) == {1}, set().union(), {1, 2, 3}.intersection([1, 2], [2, 3])
(lambda s: (s.add(2), s.discard(9), s.remove(1), s.update([5, 6], [7]), s.difference_update([5]), s.intersection_update([2, 6, 7]), s.symmetric_difference_update([7, 8]), s))({1})[-1]
(lambda s: (s.pop(), s.clear(), s, s.copy()))({1})
{1, 2} | [3]
{1}.union(5)
{1} < 5
{[1]}
{1: 1, [2]: 2}
set([[1]])
frozenset([1]).add(2)
[x for s in [{1}] for x in s if s.add(x + 10) or True]
range(5)[1], range(5)[-1], range(0, 10, 3)[2], range(10)[2:5], range(10)[::-2], range(5, 0, -1), list(range(5, 0, -2)), len(range(0, 10, 3)), len(range(5, 0)), 3 in range(5), 3 in range(0, 5, 2), range(3) == range(0, 3), range(0, 3, 2) == range(0, 4, 2), range(5).index(3), range(5).count(9), list(reversed(range(5))), list(reversed(range(0, 10, 3))), list(reversed(range(0))), range(5).start, range(5).stop, range(5).step, bool(range(0)), sum(range(101)), max(range(5)), range(True), range(-3), range(10)[3:3]
range(5)[5]
range(5).index(9)
range(5).index('a')
range(1, 2, 3, 4)
range(2.5)
slice(5), slice(1, 2), slice(1, 2, 3).indices(10), slice(None).indices(5), slice(-3, None).indices(5), slice(10, 0, -2).indices(5), slice(1, 2).start, slice(1, 2) == slice(1, 2), slice(1, 2, 3).step, slice('a').stop
slice()
slice(1, 2, 3, 4)
slice(0, 5, 1.5).indices(5)
list(map(str, [1, 2])), list(map(lambda a, b: a * b, [1, 2], [3, 4])), list(filter(lambda x: x % 2, range(5))), list(filter(None, [0, 'a', '', None, 1])), list(zip('ab', [1, 2])), list(zip()), list(zip('abc', [1])), list(zip([1], [2], [3])), list(enumerate('ab')), list(enumerate('ab', 5)), list(enumerate('ab', start=-1)), list(reversed('abc')), list(reversed([1, 2])), list(reversed((1, 2))), list(zip([1, 2], [3, 4], strict=True))
list(zip([1], [1, 2], [1], strict=True))
zip(1, [2])
zip([1], foo=1)
enumerate(foo=1)
enumerate([1], 1, 2)
enumerate([1], 1.5)
map(str, 5)
map(None, [1]) and 5
list(map(None, [1]))
filter(None)
filter(1, 2, 3)
reversed()
reversed(5)
reversed({1, 2})
reversed(map(str, []))
next(iter([1, 2])), next(iter([]), 'd'), next(map(str, [5])), next(x for x in [7]), list(iter([1].pop, 1)), next(iter({'a': 1})), next(enumerate('a')), next(zip('a', 'b'))
next(5)
next([1])
iter(5)
iter(5, 1)
min(3, 1, 2), max(3, 1, 2), min([3, 1]), max('hello'), min([], default=5), max([], default=None), min([1, -5], key=abs), max('a', 'bcd', key=len), min((1, 2), (1, 1)), max([1, 1.0]), min([1.0, 1]), max(1, 2.5), max({'a': 1, 'b': 0}), min(True, 0)
min()
min(5)
max([])
min([1, 'a'])
max(1, 2, foo=3)
max(default=1)
sum([1, 2, 3]), sum([1, 2], 10), sum([0.5, 1]), sum([[1], [2]], []), sum([], 5), sum((x for x in range(4))), sum([True, True]), sum([1j, 2]), sum([1, 2], start=3), sum([(1,), (2,)], ())
sum(['a'], '')
sum([b'a'], b'')
sum(5)
sum(range(10**9)), sum(range(5, 1, -2), 3), sum(range(0)), sum(range(-3, 4)), max(range(10**6), key=None) if False else 1
sum([1, 'a'])
all([]), all([1, 2]), all([1, 0]), any([]), any([0, 1]), any('') , all(x > 0 for x in [1, 2])
all(5)
abs(-5), abs(5.5), abs(-2**70), abs(True), abs(-0.0), divmod(7, 3), divmod(-7, 3), divmod(7.5, 2), divmod(True, 2), pow(2, 3), pow(2, 3, 5)
abs(None)
divmod(1, 0.0)
divmod('a', 1)
divmod(1j, 1)
hex(255), hex(-255), oct(8), bin(5), bin(-5), hex(0), bin(True), hex(2**70), bin(0), oct(-9)
chr(97), chr(8364), chr(0), ord('a'), ord('€'), ord(b'a'), chr(0x10ffff) == '\U0010ffff', ascii('aé€😀'), ascii('a'), repr('a'), repr(1), format(1), format('a')
ord('')
ord()
chr('a')
chr(2**70)
isinstance(1, int), isinstance(True, int), isinstance(1, (str, int)), isinstance('a', str), isinstance(1, float), isinstance([], list), isinstance(None, type(None)), issubclass(bool, int), issubclass(int, (str, object)), isinstance(int, type), isinstance(1, object), isinstance(ValueError(), Exception), issubclass(KeyError, LookupError), isinstance(1, int | str), isinstance((), tuple)
isinstance(1, 'a')
issubclass(1, 1)
callable(len), callable(1), callable(int), callable(lambda: 1), callable([].append), hasattr(1, 'real'), hasattr(1, 'x'), getattr(1, 'real'), getattr(1, 'x', 5), getattr('a', 'upper')(), hasattr([], 'append')
getattr(1)
getattr(1, 'x', 2, 3)
hasattr(1, 2)
setattr(1)
type(1), type('a'), type(1.0), type(None), type([]), type(()), type({}), type(set()), type(frozenset()), type(1j), type(True), type(b''), type(range(1)), type(slice(1)), type(int), type(len), type(lambda: 1), type(ValueError()), type(...), type(NotImplemented), type({}.keys()), type({}.values()), type({}.items()), type(iter([])), type(iter(())), type(iter('')), type(iter({})), type(iter(set())), type(iter(range(1))), type(map(str, [])), type(zip()), type(enumerate([])), type(filter(None, [])), type(reversed([])), type([].append), type((x for x in [])), type(iter({}.items())), type(iter({}.values()))
int.__name__, type(1).__name__, str.__qualname__, len.__name__, [].append.__name__, int.__module__, len.__module__, int.__bases__, bool.__mro__, bool.__base__
hash(0), hash(-1), hash(-2), hash(2**61), hash(2**64), hash(-2**64), hash(0.5), hash(-0.5), hash(1e-300), hash(5e-324), hash(1e308), hash(-0.0), hash(1.0), hash(True), hash(3+4j), hash((1, 2, 3)), hash((1, (2, 3))), hash((0.5, True)), hash((-1,)), hash(1e22), hash(123456789.123)
hash(slice(1, 2))
hash([1])
hash(({},))
id(1) == id(1), id([]) == 5, (lambda x: id(x) == id(x))([])
print('a', 'b', sep=None, end='')
print(sep=5)
print(end=5)
print('x', file=5)
len([1, 2]), len('héllo'), len({}), len(b'ab'), len(range(5)), len({1, 2}), len(''), len((1,))
len(None)
len(5.5)
len(int)
repr([1, 'a', (2,), {'b': [3]}]), repr({'a': {'b': {}}}), repr([[], [[]]]), repr((1, 'é')), repr({1: None}), repr([None, True, ...]), repr(['\n']), repr({'a': 'b\'c'}), repr([1.0, 1e20]), repr(frozenset()), repr(set()), repr(frozenset({1}))
(lambda l: (l.append(l), repr(l)))([1])[1]
(lambda d: (d.update(a=d), repr(d)))({})[1]
(lambda l: (l.append((l,)), repr(l)))([])[1]
repr('\x00\x1f\x7f\x80\xa0\xad\u200b\u2028\ufeff\U000e0001é日😀'), repr('\t\n\r\\'), repr('\'"'), repr("a'b"), repr('"'), repr(''), repr('\u0378'), repr('\ue000')
repr(b'\x00\t\n\r\\\'\x7f\xffa'), repr(b'"'), repr(b'\'"'), repr(b"'")
repr(-0.0), repr(1e-7), repr(123456789.0), repr(1.1), repr(2.0**70), repr(-1.5e-10), repr(1j), repr(-1j), repr(0j), repr(-0.0+0j), repr(1.5-2.5j), repr(complex(0, float('nan'))), repr(complex(float('inf'), -0.0)), repr(1e16j), repr(complex(-0.0, -0.0))
OSError(2, 'a'), OSError(2, 'a', 'f'), OSError(13, 'a'), OSError('a'), OSError(2, 'a', 'f').filename, OSError(2, 'a').errno, str(OSError(5, 'x')), repr(OSError(999, 'x', 'f')), PermissionError(2, 'x')
ValueError(a=1)
ImportError(foo=1)
round(1, foo=2)
round(1, 2, 3)
round()
pow(1)
pow()
repr(ValueError('a', 1)), repr(KeyError('k')), str(KeyError('k')), str(KeyError(1)), str(ValueError()), str(ValueError('a')), str(ValueError('a', 'b')), repr(StopIteration()), StopIteration(5).value, StopIteration().value, str(IndexError(5)), repr(ValueError(('a',))), ValueError('a', 2).args
int.from_bytes, dict.fromkeys, [].sort, 'a'.join, {}.get, len, print, int.bit_length
1 .__add__(2), (5).__floordiv__(2), (5).__neg__(), (1.5).__mul__(2), 'a'.__add__('b'), [1].__add__([2]), [1, 2].__len__(), {'a': 1}.__getitem__('a'), {'a': 1}.__contains__('a'), 'abc'.__contains__('b'), (1, 2).__getitem__(0), [1].__iter__().__next__() if False else 1, 'abc'.__getitem__(slice(1, None)), (3).__lt__(4), (3).__pow__(2), (3).__pow__(2, 5), (7).__divmod__(2), (5).__and__(3), (1).__rsub__(5), int.__add__(1, 2), str.upper('a'), list.__len__([1]), dict.__getitem__({'a': 1}, 'a'), (5).__index__(), (5).__bool__(), (5).__float__(), (2.5).__int__(), (2.5).__floor__(), (2.5).__ceil__(), (2.5).__round__(), (2.567).__round__(1), (5).__round__(-1), (5).__abs__(), (5).__invert__(), {1}.__or__({2}), {1}.__contains__(1), (5).__lt__('a'), 'a'.__lt__(1), [1].__mul__(2), 'a'.__mod__(())
'a' + 'b' 'c', 'a' 'b', not 'a', -True, +True, ~True, 1 if [] else 2, [] or 'x', 'a' and 'b', None or 0
[*range(3), *'ab'], (*[1], 2), {*[1, 2]}, {**{'a': 1}}, [x * y for x in range(3) for y in range(2) if x != y], {x: x**2 for x in range(3)}, {x % 2 for x in range(5)}
1 < 2 < 3, 1 < 3 < 2, 1 == 1.0 == True, 'a' in 'ab' in ['ab'], 3 > 2 >= 2 != 1
f'{1!r:>5}|{"a"!r}|{3.14159:.2f}|{10:#x}|{1000000:,}|{"a":*^5}|{5:{3}}|{True}|{None}|{[1]}', f'{1+1=}', f'{"x"=!s}', f'{3.0}', f'{1e20}', f'{2:>{2+1}}', f'{{}}'
"".join(sorted("hello", reverse=True)), " ".join(map(str, range(3))), "a-b-c".replace("-", "").upper().center(9, "*")
'x'.__class__, (1).__class__.__name__, [].__class__, type(1)(5), type('')(5), type([])('ab')
int('5') + float('1.5'), str(5) + 'a', list('abc'), tuple({1: 2}), set([1, 1]), bool('False'), bool(0.0), bool(''), bool(' '), bool([0]), bool(None), bool(0j)
'''

# Every value under every format spec.
VALUES = ['0', '7', '-42', '12345678', '2**65', '0.0', '-0.0', '1.0', '3.14159', '-2.5', '1e-5', '123456789.123',
 '1e16', '1e22', 'float("inf")', 'float("-inf")', 'float("nan")']
SPECS = ['', '5', '<8', '>8', '^9', '=+10', '010', '+', '-', ' ', ',', '_', '12,', '015,', '.3', '.0', '.10', 'e',
 '.2e', 'E', 'f', '.0f', '.1f', '10.2f', '010.2f', '+.2f', 'g', '.3g', '#.3g', 'G', '%', '.1%', '#', '#g',
 '#.0f', 'n', ',.2f', '_.1f', '*^15.2f', 'z.1f', '+e', 'd', 'x', '#x', '#b', '#o', 'X', '010x', 'c', 's',
 '_b', '_x', ',x', '010,d', '=8', '*=8d', '+d', ' d', '.2d']


def expressions():
    yield from filter(None, ERRORS.splitlines())
    yield from filter(None, RESULTS.splitlines())
    for value in VALUES:
        for spec in SPECS:
            yield f"format({value}, {spec!r})"


def answer(expression):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            text = repr(eval(expression))
    except BaseException as error:  # noqa: BLE001
        text = f"{type(error).__name__}: {error}"
    text = text.encode("ascii", "backslashreplace").decode()
    return re.sub(r"0x7[0-9a-f]{8,}", "0x...", text)


def program(path):
    """What a program prints."""
    stdout = io.StringIO()
    with contextlib.redirect_stdout(stdout):
        exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), {"__name__": "__main__"})
    return stdout.getvalue()


def main():
    warnings.simplefilter("ignore")
    target = pathlib.Path(__file__).parents[2] / "engine/python/tests/data/builtins.txt"
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{expression}\t{answer(expression)}\n" for expression in dict.fromkeys(expressions())]
    target.write_text("".join(lines), encoding="utf-8")
    source = target.parent / "builtins_classes.py"
    source.with_suffix(".out").write_text(program(source), encoding="utf-8")


main()
