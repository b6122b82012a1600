from ... import limits
name = __name__
