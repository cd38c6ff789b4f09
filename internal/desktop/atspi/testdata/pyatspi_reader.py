"""Reads the accessibility tree with pyatspi, as told line by line.

    basic PID | full PID       reads an application, and says how many elements it has
    list PID                   says what there is of each element, one a line, and then how many
    find PID NAME              looks for a button, and says how often it is there
    forget PID                 drops what libatspi keeps of the application

Each answer ends with a number on a line of its own.
"""
import json
import sys

import pyatspi

def application(pid):
    for app in pyatspi.Registry.getDesktop(0):
        if app is not None and app.get_process_id() == pid:
            return app
    raise SystemExit("no application has the process %d" % pid)


def below(node):
    """Every element below a node, parents first."""
    for i in range(node.childCount):
        child = node.getChildAtIndex(i)
        if child is not None:
            yield child
            yield from below(child)


def basics(node):
    return node.name, node.getRole(), node.getState(), node.get_interfaces()


def details(node, interfaces):
    box, actions, text = None, [], ""
    if "Component" in interfaces:
        box = node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
    if "Action" in interfaces:
        action = node.queryAction()
        actions = [action.getName(i) for i in range(action.nActions)]
    if "Text" in interfaces:
        text = node.queryText().getText(0, -1)
    return box, actions, text


def read(pid, full):
    count = 0
    for node in below(application(pid)):
        interfaces = basics(node)[3]
        if full:
            details(node, interfaces)
        count += 1
    return count


def tell(pid):
    count = 0
    for node in below(application(pid)):
        box, actions, text = details(node, basics(node)[3])
        place = [box.x, box.y, box.width, box.height] if box else [0, 0, 0, 0]
        print(json.dumps([node.getRoleName(), node.name, place, len(actions), text]))
        count += 1
    return count


def find(pid, name):
    def wanted(node):
        return node.getRole() == pyatspi.ROLE_PUSH_BUTTON and node.name == name

    return len(pyatspi.findAllDescendants(application(pid), wanted))


def forget(pid):
    application(pid).clear_cache()
    return 0


commands = {
    "basic": lambda pid: read(int(pid), False),
    "full": lambda pid: read(int(pid), True),
    "list": lambda pid: tell(int(pid)),
    "find": lambda pid, name: find(int(pid), name),
    "forget": lambda pid: forget(int(pid)),
}
for line in sys.stdin:
    command, *arguments = line.rstrip("\n").split(" ", 2)
    print(commands[command](*arguments), flush=True)
