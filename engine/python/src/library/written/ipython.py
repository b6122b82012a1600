"""What notebooks take from IPython: their shell, which does nothing here but be there."""


class InteractiveShell:
    """Takes magics and commands, and runs none of them."""

    user_ns = {}

    def run_line_magic(self, magic_name, line, _stack_depth=1):
        return None

    def run_cell_magic(self, magic_name, line, cell):
        return None

    def magic(self, arg_s):
        return None

    def system(self, cmd):
        return None

    def getoutput(self, cmd, split=True, depth=0):
        return []


_shell = None


def get_ipython():
    return _shell


def _begin():
    """What a notebook does before its first cell. Other programs have no shell."""
    global _shell
    _shell = InteractiveShell()
