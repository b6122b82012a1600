"""beartype.typing: as typing."""

from typing import *
