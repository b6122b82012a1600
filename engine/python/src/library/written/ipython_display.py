"""IPython.display, as far as text shows it: values by their `repr`, and nothing of pictures and pages but what they are."""


def display(*objs, include=None, exclude=None, metadata=None, transient=None, display_id=None, raw=False, clear=False, **kwargs):
    for obj in objs:
        text = getattr(obj, "_repr_markdown_", None)
        text = text() if callable(text) else None
        print(repr(obj) if text is None else text)


def clear_output(wait=False):
    pass


class DisplayObject:
    def __init__(self, data=None, url=None, filename=None, metadata=None, **kwargs):
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata

    def __repr__(self):
        return f"<IPython.core.display.{type(self).__name__} object>"


class HTML(DisplayObject):
    pass


class Markdown(DisplayObject):
    def _repr_markdown_(self):
        return self.data


class Latex(DisplayObject):
    pass


class Math(DisplayObject):
    pass


class Image(DisplayObject):
    pass


class SVG(DisplayObject):
    pass


class JSON(DisplayObject):
    pass


class Code(DisplayObject):
    pass


class IFrame(DisplayObject):
    pass


class Video(DisplayObject):
    pass


class YouTubeVideo(DisplayObject):
    pass
