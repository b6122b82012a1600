from .square import area
