# Runs one script: reads it with its values from the standard input, and
# prints what it returned behind a mark that only the caller knows.
import ast
import json
import sys

given = json.loads(sys.stdin.buffer.read())
sys.path.insert(0, given["dir"])
tree = ast.parse(given["code"], given["file"])
wrapper = ast.parse("def script():\n    pass")
wrapper.body[0].body = tree.body or wrapper.body[0].body
values = {name: value for name, value in given["names"].items() if name.isidentifier()}
values.update(
    env=given["env"],
    inputs=given["inputs"],
    _accumulated_env=given["env"],
    _workflow_variables=given["inputs"],
    __name__="__main__",
    __file__=given["file"],
)
exec(compile(wrapper, given["file"], "exec"), values)
result = values["script"]()
sys.stdout.flush()
sys.stdout.write(given["mark"] + json.dumps(result))
sys.stdout.flush()
