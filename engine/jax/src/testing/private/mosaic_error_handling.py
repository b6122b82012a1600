"""Errors of the TPU compiler, which is not here."""


class MosaicError(Exception):
    """Raised by the TPU compiler."""
