from ..second import two
from ... import nothing
