class CustomError(Exception):
    pass

def lookup(table, key):
    return table[key]["inner"] + 1

def convert():
    try:
        lookup({"a": {}}, "a")
    except KeyError as error:
        raise CustomError("no inner", 3) from error

def outer():
    try:
        convert()
    except CustomError:
        undefined_nam = 1
        undefined_name

error = None
try:
    outer()
except NameError as e:
    e.add_note("a note")
    e.add_note("another\nnote")
    raise
finally:
    print("finally")
