package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/bulk"
	"understudy/internal/operations"
	"understudy/internal/schedules"
	"understudy/internal/testing/attack"
	"understudy/internal/testing/byhand"
	"understudy/mcpserver/auth"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/workflows"
)

// classOf returns the row of a tool in the table of rights.
func classOf(t access.Tool) string {
	switch {
	case t.Always:
		return "asks by itself"
	case t.Risk == steps.RunsShell, t.Risk == steps.RunsScripts, t.Risk == steps.WritesFiles:
		return string(t.Risk)
	case t.Risk == steps.ReadsPrivate:
		return "private " + string(t.Toolset)
	case t.Reads:
		return "looks"
	}
	return "acts"
}

// The credentials that may use the tools and kinds of each class. Of the twelve, only the
// revoked one may use none.
var (
	mayAct  = []string{"person", "operator", "act", "act own", "act core", "act core,files", "signed act"}
	mayLook = slices.Concat(mayAct, []string{"ask", "ask core", "ask operator", "set to ask", "signed ask"})
	mayAll  = []string{"person", "operator", "act", "act own", "signed act"}
	mayRead = slices.Concat(mayAll, []string{"ask", "ask operator", "set to ask", "signed ask"})

	whoMay = map[string][]string{
		"asks by itself":  mayLook,
		"looks":           mayLook,
		"acts":            mayAct,
		"shell":           mayAll,
		"scripts":         mayAll,
		"files":           slices.Concat(mayAll, []string{"act core,files"}),
		"private files":   slices.Concat(mayRead, []string{"act core,files"}),
		"private desktop": mayRead,
	}
)

// world consists of two servers over one engine: one that requires credentials, and one
// for the person at the machine. Its kinds are those of the program, but do nothing.
type world struct {
	*secured
	person  string // the address of the other server
	headers map[string]http.Header
	grants  map[string]*auth.Grant
	ran     atomic.Int64 // steps
	failing atomic.Bool  // whether steps fail
	readers map[string]*reader
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{headers: map[string]http.Header{"person": nil}, grants: map[string]*auth.Grant{"person": nil}, readers: map[string]*reader{}}
	var harmless []steps.Kind
	for _, k := range kinds.All() {
		if k.Asks {
			harmless = append(harmless, k)
			continue
		}
		of := steps.Kind{Name: k.Name, Summary: k.Summary, Toolset: k.Toolset, Reads: k.Reads, Risk: k.Risk}
		harmless = append(harmless, steps.Define(of, nothing{}, func(context.Context, *steps.Env, nothing) (nothing, error) {
			if w.failing.Load() {
				return nothing{}, steps.Errorf(steps.NotFound, "it fails")
			}
			w.ran.Add(1)
			return nothing{}, nil
		}))
	}
	key := attack.Ed25519("k")
	signer := attack.NewAuthority(t, key)
	issuer, err := auth.NewIssuer(signer.URL, attack.Audience)
	if err != nil {
		t.Fatal(err)
	}
	all := access.Policy{Toolsets: []steps.Toolset{access.All}}
	tokens := auth.NewTokens(filepath.Join(t.TempDir(), "tokens.json"))
	w.secured = newSecured(t, func(o *Options) {
		o.Schedules, o.Plans = schedules.NewFolder(t.TempDir()), bulk.Folder(t.TempDir())
		o.Policy, o.Kinds, o.Modes = all, harmless, map[string]access.Mode{"set": access.Ask}
		o.Gate = auth.New(auth.Options{Tokens: tokens, Issuer: issuer, Log: o.Log})
	})
	w.tokens, w.engine.Kinds = tokens, harmless
	open := newStage(t, func(o *Options) {
		o.Schedules = w.o.Schedules
		o.Policy, o.Kinds, o.Dir, o.Roots, o.Folder = all, harmless, w.o.Dir, w.o.Roots, w.o.Folder
		o.Open = func(context.Context) (Backend, error) { return backendOf(w.engine), nil }
	})
	w.person = open.site().URL
	core, files := []steps.Toolset{steps.Core}, []steps.Toolset{steps.Core, steps.Files}
	for name, x := range map[string]auth.Token{
		"operator": {Name: "boss", Mode: auth.Act, Operator: true}, "act": {Name: "act", Mode: auth.Act, Runs: auth.AllRuns}, "act own": {Name: "own", Mode: auth.Act, Runs: auth.OwnRuns},
		"act core": {Name: "core", Mode: auth.Act, Toolsets: core}, "act core,files": {Name: "files", Mode: auth.Act, Toolsets: files},
		"ask": {Name: "ask", Mode: auth.Ask}, "ask core": {Name: "askcore", Mode: auth.Ask, Toolsets: core}, "ask operator": {Name: "askboss", Mode: auth.Ask, Operator: true},
		"set to ask": {Name: "set", Mode: auth.Act},
	} {
		w.headers[name] = w.holder(x)
		w.grants[name] = &auth.Grant{Name: x.Name, Mode: x.Mode, Toolsets: x.Toolsets, Operator: x.Operator, AllRuns: x.Operator || x.Runs != auth.OwnRuns}
	}
	for _, mode := range []string{auth.Act, auth.Ask} {
		name := "laptop-" + mode
		claims := signer.Claims(time.Now(), map[string]any{"sub": name, "scope": "understudy:" + mode})
		w.headers["signed "+mode] = http.Header{"Authorization": {"Bearer " + key.Sign(claims)}}
		w.grants["signed "+mode] = &auth.Grant{Name: name + "@127.0.0.1", Mode: mode, Signed: true}
	}
	if len(w.headers) != 12 {
		t.Fatalf("there are %d credentials", len(w.headers))
	}
	return w
}

// visitor makes a client with one of the credentials.
func (w *world) visitor(who string) byhand.Visitor {
	v := byhand.Visitor{Version: byhand.Modern, Address: w.url + "/mcp", Header: w.headers[who]}
	if who == "person" {
		v.Address = w.person + "/mcp"
	}
	return v
}

// subject returns the holder of one of the credentials as the server sees it after a call.
func (w *world) caller(who string) caller {
	g := w.grants[who]
	c := caller{name: "by-hand", self: "by-hand", grant: g, Subject: w.clients.subject(g)}
	if g != nil {
		c.name = g.Name + "/by-hand"
	}
	return c
}

// run makes a run of a document that belongs to one of the credentials, whatever that may
// do, and waits until it comes to rest.
func (w *world) run(who string, document string) string {
	w.t.Helper()
	b := engine.Bundle{Main: workflows.Source{Name: "it.yaml", Text: []byte(document)}}
	allow := w.engine.Allow
	w.engine.Allow = nil
	defer func() { w.engine.Allow = allow }()
	c := w.caller(who)
	h, err := w.engine.Start(w.t.Context(), engine.Request{Bundle: b, Terms: engine.Terms{Client: c.id(), Owner: c.Owner, Dir: w.o.Dir, Roots: w.o.Roots}})
	if err == nil {
		h, err = w.engine.Wait(w.t.Context(), h.ID)
	}
	if err != nil || h.Status != engine.Failed && h.Status != engine.Waiting {
		w.t.Fatalf("%s: %v, %v", document, h.Status, err)
	}
	return h.ID
}

// failed makes a run that failed at a step of a kind.
func (w *world) failed(who, kind string) string {
	w.failing.Store(true)
	defer w.failing.Store(false)
	return w.run(who, "steps: [{id: a, tool_name: "+kind+"}]")
}

// A way uses a kind, and returns the refusal if there is one.
type way func(w *world, who string, k steps.Kind) error

// refusal returns the error of a refused call, or nil.
func refusal(_ int, res byhand.Object) error {
	if res["error"] != nil || code(res) == string(steps.Denied) {
		return errors.New(byhand.Said(res))
	}
	if byhand.IsError(res) {
		return fmt.Errorf("it failed otherwise: %v", res)
	}
	return nil
}

func (w *world) calls(who, tool string, args byhand.Object) error {
	return refusal(w.visitor(who).Call(w.t, tool, args))
}

// reader makes a person with one of the credentials and a browser.
func (w *world) reader(who string) *reader {
	w.t.Helper()
	if w.readers[who] == nil {
		if w.readers[who] = (&reader{w.t, w.person, &http.Client{}}); who != "person" {
			w.readers[who] = w.readerWith(w.headers[who])
		}
	}
	return w.readers[who]
}

// sends sends the form of a page, and waits until the resulting run comes to rest.
func (w *world) sends(who, page, act string, form url.Values) error {
	r := w.reader(who)
	form.Set("token", r.token(page))
	status, text := r.send(page+act, form, nil)
	if status != http.StatusOK {
		return fmt.Errorf("status %d", status)
	}
	_, rest, _ := strings.Cut(text, `href="/runs/`)
	run, _, _ := strings.Cut(rest, "/")
	_, err := w.engine.Wait(w.t.Context(), run)
	return err
}

// stepped returns the refusal of a run's steps, or nil.
func stepped(w *world, h engine.Header, err error) error {
	if err == nil {
		h, err = w.engine.Wait(w.t.Context(), h.ID)
	}
	if err == nil && h.Status == engine.Failed {
		return errors.New(h.Error.Message)
	}
	return err
}

const named, saving, scheduling, planning = "by its name", "a step that is saved", "a step of a schedule", "a run that a plan continues"

// ways lists all ways to use a kind.
var ways = map[string]way{
	named: func(w *world, who string, k steps.Kind) error { return w.calls(who, k.Name, byhand.Object{}) },
	"a step of a sequence": func(w *world, who string, k steps.Kind) error {
		return w.calls(who, "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"tool_name": k.Name}}})
	},
	"a step of a called document": func(w *world, who string, k steps.Kind) error {
		return w.calls(who, "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"workflow": k.Name + ".yaml"}}})
	},
	"a step of a document at a url": func(w *world, who string, k steps.Kind) error {
		return w.calls(who, "execute_sequence", byhand.Object{"url": "file://" + filepath.Join(w.o.Dir, k.Name+".yaml")})
	},
	saving: func(w *world, who string, k steps.Kind) error {
		return w.calls(who, "save_workflow", byhand.Object{"name": "of-" + strings.NewReplacer(" ", "-", ",", "-").Replace(who), "text": "steps: [{tool_name: " + k.Name + "}]", "replace": true})
	},
	"a run that is resumed": func(w *world, who string, k steps.Kind) error {
		return w.calls(who, "resume_run", byhand.Object{"run_id": w.failed(who, k.Name), "from": "a"})
	},
	"a run that is resumed with another document": func(w *world, who string, k steps.Kind) error {
		return w.calls(who, "resume_run", byhand.Object{"run_id": w.failed(who, "get_window_tree"), "workflow": byhand.Object{"steps": []any{byhand.Object{"id": "a", "tool_name": k.Name}}}})
	},
	"a run that is answered": func(w *world, who string, k steps.Kind) error {
		return w.calls(who, "answer_run", byhand.Object{"run_id": w.run(who, "steps: [{tool_name: ask_user, arguments: {question: q}}, {tool_name: "+k.Name+"}]"), "value": "x"})
	},
	"a run that is forked": func(w *world, who string, k steps.Kind) error {
		id, c := w.failed(who, k.Name), &call{caller: w.caller(who)}
		defer w.inflight.enter(c, func(error) {})()
		h, err := access.RunsFor(w.engine, c.Subject, access.Tool{Always: true}, nil).Fork(w.t.Context(), id, "a", engine.ResumeRequest{By: c.id()})
		return stepped(w, h, err)
	},
	"a run that goes on by itself": func(w *world, who string, k steps.Kind) error {
		return w.clients.permitProgram(w.caller(who), programOf(k))
	},
	"a workflow that is run on its page": func(w *world, who string, k steps.Kind) error {
		return w.sends(who, "/workflows/"+k.Name, "/run", url.Values{})
	},
	"a run that is resumed on its page with another document": func(w *world, who string, k steps.Kind) error {
		run := "/runs/" + w.failed(who, "get_window_tree")
		return w.sends(who, run+"/resume", "", url.Values{"of": {"it.yaml"}, "document": {"steps: [{id: a, tool_name: " + k.Name + "}]"}})
	},
	scheduling: func(w *world, who string, k steps.Kind) error {
		name := "of-" + strings.NewReplacer(" ", "-", ",", "-").Replace(who) + "-" + strings.ReplaceAll(k.Name, "_", "-")
		return w.calls(who, "add_schedule", byhand.Object{"name": name, "workflow": k.Name, "cron": "@yearly"})
	},
	"a run that a schedule begins": func(w *world, who string, k steps.Kind) error {
		f, c := schedules.Firing{Run: engine.NewKey(), At: time.Now()}, w.caller(who)
		x := schedules.Schedule{Name: "x", Workflow: k.Name, Owner: c.Owner, Client: c.name, Rights: c.rightsToStore(), MadeAt: time.Now()}
		err := w.scheduler.start(w.t.Context(), x, f)
		return stepped(w, engine.Header{ID: f.Run}, err)
	},
	planning: func(w *world, who string, k steps.Kind) error {
		run := w.failed(who, k.Name)
		out, err := w.operate(who, "make", byhand.Object{"act": "resume", "where": "id == '" + run + "'", "from": "a"})
		if err != nil {
			return err
		}
		plan := out.Value.(bulk.Progress).ID
		_, c := bulkTools{w.runner}.callerFor(w.caller(who), access.Tool{Name: "carry_out", Toolset: steps.Runs, Risk: steps.Normal})
		c.Later = nil
		if _, err := bulk.CarryOut(w.t.Context(), w.o.Plans, c, plan); err != nil {
			return err
		}
		return stepped(w, engine.Header{ID: run}, nil)
	},
	"a step of a run whose client left": func(w *world, who string, k steps.Kind) error {
		w.inflight.noteRun("run", w.caller(who))
		defer w.inflight.forgetRun("run")
		return w.Allow("run", w.caller(who).id(), k)
	},
}

// operate performs an operation on plans.
func (w *world) operate(who, name string, args byhand.Object) (out operations.Result, err error) {
	for _, o := range (bulkTools{w.runner}).operations() {
		if o.Command != name {
			continue
		}
		c := w.caller(who)
		if why := c.May(o.access()); why != nil {
			return out, why.Denied()
		}
		raw, err := json.Marshal(args)
		if err != nil {
			return out, err
		}
		return o.doAs(w.t.Context(), c, raw)
	}
	return out, errors.New("no such operation")
}

func programOf(k steps.Kind) *workflows.Program {
	return &workflows.Program{Steps: []*workflows.Node{{Path: "steps[0]", Kind: &k}}}
}

// ofEvery lists the ways that are tried with every kind; the others, which need a run or
// a document first, are tried with one kind of each class.
var ofEvery = []string{named, "a step of a sequence", saving, "a run that goes on by itself", "a step of a run whose client left"}

// doesNotRun lists the ways that execute no step when they are allowed.
var doesNotRun = []string{saving, scheduling, "a run that goes on by itself", "a step of a run whose client left"}

// TestMayIt tries every way to use every kind with each of twelve credentials, and
// compares the results with one table. A kind without a row fails.
func TestMayIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, k := range w.o.Kinds {
		if err := os.WriteFile(filepath.Join(w.o.Dir, k.Name+".yaml"), []byte("steps: [{tool_name: "+k.Name+"}]"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.o.Folder, k.Name+".yaml"), []byte("steps: [{tool_name: "+k.Name+"}]"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	for _, k := range w.o.Kinds {
		row, ok := whoMay[classOf(access.Of(k))]
		if !ok {
			t.Errorf("the kind %s has no row: it is of the class %q", k.Name, classOf(access.Of(k)))
		}
		if k.Asks {
			continue // it only waits for a person
		}
		again := seen[classOf(access.Of(k))]
		seen[classOf(access.Of(k))] = true
		for say, take := range ways {
			if again && !slices.Contains(ofEvery, say) {
				continue
			}
			for who := range w.headers {
				before := w.ran.Load()
				err := take(w, who, k)
				want := slices.Contains(row, who) && (!slices.Contains([]string{saving, scheduling, planning}, say) || slices.Contains(mayAct, who))
				if (err == nil) != want {
					t.Errorf("%s as %s, for %s: %v, want allowed: %t", k.Name, say, who, err, want)
				}
				if ran := w.ran.Load() > before; ran != want && !slices.Contains(doesNotRun, say) {
					t.Errorf("%s as %s, for %s: it was done: %t", k.Name, say, who, ran)
				}
			}
		}
	}
	_ = w.tokens.Remove("act")
	gone := w.caller("act")
	for _, k := range w.o.Kinds {
		if err := w.calls("act", k.Name, byhand.Object{}); err == nil {
			t.Errorf("%s by a token that was taken back", k.Name)
		}
		gone.Gone = errors.New("the token was taken back")
		if why := gone.May(access.Of(k)); why == nil {
			t.Errorf("%s after the token was taken back", k.Name)
		}
	}
}

// begins maps each method of engine.Runs that begins or continues a run to the ways that
// call it; the others begin none. The socket of the data folder offers the same methods.
var begins = map[string][]string{
	"Start":    {named, "a step of a sequence", "a step of a called document", "a step of a document at a url", "a run that a schedule begins", "a workflow that is run on its page"},
	"Resume":   {"a run that is resumed", "a run that is resumed with another document", "a run that is resumed on its page with another document", "a run that goes on by itself", planning},
	"Fork":     {"a run that is forked"},
	"Answer":   {"a run that is answered"},
	"Continue": {"a step of a run whose client left"}, // the step was allowed before the pause
	"Plan":     nil, "Stop": nil, "StopAll": nil, "Pause": nil, "Get": nil, "List": nil, "Report": nil, "Events": nil, "File": nil, "Remove": nil,
	"Prune": nil, "Backup": nil, "Check": nil, "Places": nil, "Wait": nil, "Await": nil,
	"TakeOver": nil, "HandBack": nil, // see TestAPersonTakesOverWhatHeMayDoByHand
}

// leadTo maps each tool that is no kind to the ways that call it.
var leadTo = map[string][]string{
	"execute_sequence": begins["Start"],
	"resume_run":       begins["Resume"][:3],
	"answer_run":       begins["Answer"],
	"save_workflow":    {saving},
	"add_schedule":     {scheduling}, "run_schedule": {"a run that a schedule begins"},
	"list_schedules": nil, "show_schedule": nil, "remove_schedule": nil, "pause_schedule": nil, "resume_schedule": nil,
	"validate_workflow": nil, "list_workflows": nil, "get_workflow": nil, "describe_kinds": nil, "get_run": nil, "list_runs": nil, "stop_execution": nil, "record_workflow": nil,
	"start_desktop": nil, "list_desktops": nil, "show_desktop": nil, "stop_desktop": nil, "prune_desktops": nil,
	"inbox": nil, "dismiss": nil, "audit_trail": nil,
	"plan_runs": nil, "show_plan": nil, "carry_out": {planning},
	"workflow_versions": nil, "restore_workflow": {saving},
	"repair_run": {saving},              // with resume, also the ways of resume_run
	"take_over":  nil, "hand_back": nil, // like TakeOver and HandBack
	"run_on_desktop": nil, // needs the right to run_command: TestProgramsOnADesktopWithoutTheShell
}

// TestEveryWayHasARow checks that the ways of TestMayIt are complete: each method that
// begins a run and each tool is listed with its ways, or with none.
func TestEveryWayHasARow(t *testing.T) {
	used := map[string]bool{}
	use := func(what string, of map[string][]string) {
		to, ok := of[what]
		if !ok {
			t.Errorf("%s is new: does it lead to a kind? Say so here, and add a way to the table if it does", what)
		}
		for _, way := range to {
			if used[way] = true; ways[way] == nil {
				t.Errorf("%s leads to %q, which is no way of the table", what, way)
			}
		}
	}
	for m := range reflect.TypeFor[engine.Runs]().Methods() {
		use(m.Name, begins)
	}
	w := newWorld(t)
	for _, tl := range w.tools.order {
		_, isKind := steps.Find(w.o.Kinds, tl.Name)
		if !isKind {
			use(tl.Name, leadTo)
		}
	}
	for way := range ways {
		if !used[way] {
			t.Errorf("nothing leads to the way %q", way)
		}
	}
}

// disclosing maps prompts to the tools that disclose the same; the others disclose nothing.
var disclosing = map[string]string{"run_workflow": "get_workflow", "diagnose_run": "get_run", "author_workflow": "", "record_workflow": "", "fill_form_from_table": "", "workflow_of_calls": ""}

// TestResourcesNeedTheRightsOfTheirTool reads every resource and prompt with each of twelve
// credentials, also where a tool is excluded: each is refused exactly when the tool that
// discloses the same is.
func TestResourcesNeedTheRightsOfTheirTool(t *testing.T) {
	w := newWorld(t)
	check := func(what, tool, method string, params func() byhand.Object) {
		t.Helper()
		tl := w.tools.named[tool]
		if tl == nil && tool != "" {
			t.Fatalf("%s asks for %q, which is no tool", what, tool)
		}
		for who := range w.headers {
			want := tool == "" || slices.Contains(whoMay[classOf(tl.Tool)], who)
			_, res := w.visitor(who).Ask(t, method, params())
			if got := !strings.Contains(fmt.Sprint(res), "is not allowed"); got != want {
				t.Errorf("%s for %s: %v, want allowed: %t", what, who, res, want)
			}
		}
		if tool == "" {
			return
		}
		w.clients.policy.Exclude = []string{tool}
		defer func() { w.clients.policy.Exclude = nil }()
		if _, res := w.visitor("act").Ask(t, method, params()); !strings.Contains(fmt.Sprint(res), "it is excluded") {
			t.Errorf("%s without %s: %v", what, tool, res)
		}
	}
	for _, r := range allResources {
		uri := strings.NewReplacer("{id}", "x", "{hash}", "x", "{name}", "x", "{kind}", "delay").Replace(r.uri)
		check(r.uri, r.tool, "resources/read", func() byhand.Object { return byhand.Object{"uri": uri} })
	}
	_, res := w.visitor("act").Ask(t, "prompts/list", byhand.Object{})
	list, _ := byhand.Dig(res, "result", "prompts").([]any)
	for _, p := range list {
		name, _ := byhand.Dig(p, "name").(string)
		tool, ok := disclosing[name]
		if !ok {
			t.Errorf("the prompt %s is new: what does it disclose?", name)
		}
		check("the prompt "+name, tool, "prompts/get", func() byhand.Object {
			return byhand.Object{"name": name, "arguments": byhand.Object{"name": "x", "run_id": "x", "task": "x"}}
		})
	}
	if len(list) != len(disclosing) {
		t.Errorf("there are %d prompts, the table has %d", len(list), len(disclosing))
	}
}

// TestEveryWayAsks lists the places in the code where rights are checked and where runs
// are handed out. A new place is a new way to use a kind or a run: it needs a row in the
// table of TestMayIt or in TestRightsFollowTheData.
func TestEveryWayAsks(t *testing.T) {
	known := map[string]int{}
	for place := range strings.FieldsSeq(waysThatAsk) {
		file, n, _ := strings.Cut(place, ":")
		known[file] = len(n)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, asks := range []string{".May(", ".MayRun(", ".MaySave(", ".MayAll(", "runs.get(ctx)", ".runsOf(ctx, c)", ".runsFor(", ".RunsFor(", "onRuns(s.", "ofRuns(("} {
			n += strings.Count(string(raw), asks)
		}
		if n != known[file] {
			t.Errorf("%s asks or gives out runs at %d places, the table knows %d: %s", file, n, known[file], strings.Repeat("*", n))
		}
	}
}

// waysThatAsk has a star for each place in a file.
const waysThatAsk = `
	bulk.go:** caller.go:** desktop_tools.go:** execute_sequence.go:*** failure.go:* guide.go:* inbox.go:*** layers.go:**** library.go:* operations.go:* pages.go:* picture_parts.go:* prompts.go:** record_tool.go:***
	recordings.go:** resources.go:***** resume_auto.go:** rights.go:* repair_tool.go:** run_app.go:* run_tasks.go:** run_tools.go:********* saved_tools.go:* schedules.go:*** server.go:* subscriptions.go:** tool.go:**** workflow_tools.go:****
`
