//go:build linux

package modelbench

import (
	"maps"
	"regexp"
	"strings"
)

// listed returns the arguments of a call as the list of tools names them; what it does not
// name goes. Older versions take process, selector and ref, later ones a target.
func (p *player) listed(tool string, args object) object {
	names, known := p.tools[tool]
	if !known {
		return args
	}
	out := maps.Clone(args)
	if _, ok := names["target"]; ok {
		text := func(name string) string { s, _ := args[name].(string); return s }
		process := text("process")
		if process != "" {
			process = "process:" + process
		}
		parts := strings.TrimPrefix(process+" >> "+text("selector"), " >> ")
		if target := text("ref") + strings.TrimSuffix(parts, " >> "); target != "" {
			out["target"] = target
		}
	}
	maps.DeleteFunc(out, func(name string, _ any) bool { _, named := names[name]; return !named })
	for name, v := range out {
		out[name] = p.listedSteps(v)
	}
	return out
}

// listedSteps does the same for the steps of a workflow.
func (p *player) listedSteps(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = p.listedSteps(x)
		}
		return out
	case object:
		out := maps.Clone(v)
		for name, x := range v {
			out[name] = p.listedSteps(x)
		}
		if tool, ok := v["tool_name"].(string); ok {
			args, _ := v["arguments"].(object)
			out["arguments"] = p.listed(tool, args)
		}
		return out
	}
	return v
}

// click presses what an answer shows.
func (p *player) click(process, role, name string) {
	p.Helper()
	p.call("click_element", object{"ref": p.ref(process, regexp.QuoteMeta(role+` "`+name))})
}

// typeInto types into a field that an answer shows.
func (p *player) typeInto(process, field, text string) {
	p.Helper()
	p.call("type_into_element", object{"ref": p.ref(process, regexp.QuoteMeta(field)), "text_to_type": text})
}

// quit closes an application, and sees that it has gone.
func (p *player) quit(process string) {
	p.Helper()
	if p.tools["close_window"] != nil {
		p.call("close_window", object{"process": process})
		return
	}
	p.call("press_key", object{"process": process, "key": "ctrl+q"})
	for range looks {
		if p.call("get_applications_and_windows_list", object{}); !p.sees(process) {
			return
		}
	}
	p.Errorf("%s did not close\n\n%s", process, p.script.String())
}

// masks cover what differs from run to run, and from machine to machine.
var masks = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`\b01[0-9a-hjkmnp-tv-z]{24}\b`), "RUN"},
	{regexp.MustCompile(`understudy://captures/[0-9a-f]+`), "understudy://captures/HASH"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ms|s)\b`), "TIME"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\b`), "DATE"},
	{regexp.MustCompile(`untrusted-[a-z0-9]+`), "untrusted-MARK"},
	{regexp.MustCompile(`\d\d\\u200e∶\d\d`), "CLOCK"},
	{regexp.MustCompile(` - Memory usage - [\d.]+ [KMG]B`), ""},
	{regexp.MustCompile(`Free space: [\d.]+ \w+`), "Free space: SPACE"},
	{regexp.MustCompile(`tmp_us\d+\w*`), "FOLDER"},
	{regexp.MustCompile(`"us\d+"`), `"FOLDER"`},
	{regexp.MustCompile(`\d+x\d+ at -?\d+,-?\d+`), "BOX"},
	{regexp.MustCompile(`waited_ms: \d+`), "waited_ms: TIME"},
	{regexp.MustCompile(`"?pid"?: \d+`), "pid: PID"},
	{regexp.MustCompile(`\bid "?\d+"?`), "id ID"},
}
