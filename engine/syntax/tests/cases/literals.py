0
00
1_000
0xff
0XDEAD_beef
0o17
0b1010
0b_1
9223372036854775807
9223372036854775808
0xffff_ffff_ffff_ffff_ffff
1.0
1.
.5
1e5
1E-5
1_0.0_1e1_0
1e400
0e0
1j
1.5J
1e3j
0j
010.5
True
False
None
...
'a'
"b"
'it\'s'
"\"q\""
''
""
'''a
b'''
"""a "b" 'c'
"""
'\n\t\\\a\b\f\r\v'
'\x41\u0042\U00000043\101\0\08\1234'
'\d\.\ '
'a\
b'
r'\n\x'
R"\""
u'x'
b'abc'
B"\x00\xff\n"
b'\u0041\N{x}\777'
br'\x'
Rb'\x'
rB"""a
\
b"""
'a' 'b'
'a' "b" r'\c'
('a'
 'b')
b'a' b'b'
'é☃𝄞'
'\N{SNOWMAN}\N{em dash}'
'#' # comment
'{' '}'
'"' "'" """'"'"""
r'\\'
r'\''
1if 2else 3
0xfor 1
