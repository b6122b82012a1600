from .. import __doc__ as above
from .. import flat as parent
from ..limits import LARGEST
SIDE = 3


def area(side=SIDE):
    return min(side * side, LARGEST)
