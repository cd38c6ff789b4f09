"""Reads the screen in a way that is not ours, and compares it with a wish.

reader.py WISH... Each wish is "checkbox NAME NUMBER checked", "radiobutton
NAME checked", or "ROLE VALUE" for the first such control that is in use. It
writes "as wanted", or what is not.

reader.py where ROLE NAME writes where such a control is on the screen.
"""
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi

roles = {
    "checkbox": Atspi.Role.CHECK_BOX,
    "radiobutton": Atspi.Role.RADIO_BUTTON,
    "spinbutton": Atspi.Role.SPIN_BUTTON,
    "slider": Atspi.Role.SLIDER,
    "togglebutton": Atspi.Role.TOGGLE_BUTTON,
}


def controls(node, role):
    if node is None:
        return
    states = node.get_state_set()
    if node.get_role() == role and states.contains(Atspi.StateType.SENSITIVE) and states.contains(Atspi.StateType.SHOWING):
        yield node
    for i in range(node.get_child_count()):
        yield from controls(node.get_child_at_index(i), role)


def look(wish):
    role, _, rest = wish.partition(" ")
    found = list(controls(Atspi.get_desktop(0), roles[role]))
    if not rest.endswith(" checked"):
        values = [Atspi.Value.get_current_value(c) for c in found]
        return None if values and values[0] == float(rest) else "%s: %s" % (wish, values)
    name = rest.removesuffix(" checked")
    number = 0
    if role == "checkbox":
        name, _, number = name.rpartition(" ")
    named = [c for c in found if c.get_name() == name]
    states = [c.get_state_set().contains(Atspi.StateType.CHECKED) for c in named]
    return None if len(states) > int(number) and states[int(number)] else "%s: %s" % (wish, states)


def where(role, name):
    for c in controls(Atspi.get_desktop(0), roles[role]):
        if c.get_name() == name:
            box = c.get_extents(Atspi.CoordType.SCREEN)
            return "%d %d %d %d" % (box.x, box.y, box.width, box.height)
    return "nowhere"


if sys.argv[1] == "where":
    print(where(*sys.argv[2:]))
    sys.exit()
print("\n".join(filter(None, map(look, sys.argv[1:]))) or "as wanted")
