def f(): pass
try:
    ünïcode = "é" + 1
finally:
    x = (f(   "日本") ) + 1
