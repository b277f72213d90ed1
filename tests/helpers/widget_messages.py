"""Messages between a widget and its page, without a browser."""


def sent_by(widget):
    """Return the list that receives each message of the widget from now on."""
    messages = []
    widget.send = lambda content, buffers=None: messages.append(content)
    return messages
