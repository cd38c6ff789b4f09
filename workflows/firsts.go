package workflows

import "understudy/workflows/dialect"

// firsts removes [0] behind the results of steps, wherever expressions stand. A called
// workflow may really return a list.
func (t *translator) firsts(root *value) {
	kinds := map[string]bool{}
	eachStep(root, func(x *value) { kinds[x.get("id").str()] = x.get("tool_name") != nil })
	known := func(id string) bool { return id != "" && kinds[id] }
	whole := func(text string) string { return dialect.WithoutFirst(text, known) }
	within := func(text string) string { return dialect.WithoutFirstIn(text, known) }
	eachStep(root, func(x *value) {
		for _, key := range []string{"if", "expect", "while", "foreach", "jumps"} {
			t.firstsIn(x.get(key), whole)
		}
		for _, key := range []string{"arguments", "inputs"} {
			t.firstsIn(x.get(key), within)
		}
	})
	t.firstsIn(root.get("output"), whole)
}

// eachStep calls f with each step of a document, those inside groups and loops included.
func eachStep(root *value, f func(*value)) {
	for _, key := range []string{"steps", "troubleshooting", "finally"} {
		list := root.get(key)
		if list == nil {
			continue
		}
		for _, x := range list.list {
			f(x)
			eachStep(x, f)
		}
	}
}

func (t *translator) firstsIn(v *value, without func(string) string) {
	if v == nil {
		return
	}
	for _, x := range append(v.fieldValues(), v.list...) {
		t.firstsIn(x, without)
	}
	if now := without(v.text); v.sort == sortText && now != v.text {
		t.report.note(v.position, "write ID_result.FIELD", "[0] after the result of a step is left out here: a result is an object")
		v.setText(now)
	}
}
