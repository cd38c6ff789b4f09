//go:build linux

package lasting

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/itself"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

func TestMain(m *testing.M) { itself.Main(m) }

// operator is a person with a terminal and a data folder.
type operator struct {
	testing.TB
	dir     string
	program string   // the file of the program; empty: this test's
	env     []string // beside that of all operators
	user    *syscall.Credential
}

func newOperator(t testing.TB) *operator {
	t.Helper()
	virtualtest.Need(t, "Xvfb", "openbox", "dbus-daemon", "mousepad", "zenity")
	o := &operator{TB: t, dir: scratch.Dir(t)}
	t.Cleanup(func() {
		if out, err := o.command("service", "stop").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		for _, k := range o.desktops() {
			if err := virtual.End(k, "the test is over"); err != nil {
				t.Error(err)
			}
		}
	})
	return o
}

// killEngine kills the service, in which runs are executed.
func (o *operator) killEngine() {
	o.Helper()
	var s struct{ PID int }
	if err := json.Unmarshal([]byte(o.does(0, "service", "status", "--json")), &s); err != nil {
		o.Fatal(err)
	}
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		o.Fatal(err)
	}
}

func (o *operator) command(args ...string) *exec.Cmd {
	o.Helper()
	self, err := os.Executable()
	if err != nil {
		o.Fatal(err)
	}
	cmd := itself.Command(exec.Command(cmp.Or(o.program, self), args...))
	cmd.Dir = o.dir
	if o.user != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: o.user}
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "DISPLAY=") && !strings.HasPrefix(v, "DBUS_") && !strings.HasPrefix(v, "XDG_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+o.dir, "UNDERSTUDY_HOME="+filepath.Join(o.dir, "data"))
	cmd.Env = append(cmd.Env, o.env...)
	return cmd
}

// does runs a command that must end with a status, and gives what it wrote.
func (o *operator) does(status int, args ...string) string {
	o.Helper()
	cmd := o.command(args...)
	out, err := cmd.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		o.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		o.Fatalf("understudy %s: status %d, wanted %d\n%s", strings.Join(args, " "), got, status, out)
	}
	return string(out)
}

func (o *operator) desktops() []virtual.Kept {
	return virtual.List(filepath.Join(o.dir, "data", "display"))
}

// theDesktop is the only one that is kept.
func (o *operator) theDesktop() virtual.Kept {
	o.Helper()
	all := o.desktops()
	if len(all) != 1 {
		o.Fatalf("wanted one desktop, there are %d", len(all))
	}
	return all[0]
}

// writes makes the file nine.yaml: nine steps of which the seventh needs what
// is not there.
func (o *operator) writes(seventh, more string) {
	o.Helper()
	types := func(id, text string) string {
		return `  - {id: ` + id + `, tool_name: type_into_element, arguments: {process: mousepad, selector: "role:text", text_to_type: "` + text + `", clear_before_typing: false, timeout_ms: 60000}}` + "\n"
	}
	text := "name: nine\n" + more + "steps:\n" +
		`  - {id: one, tool_name: open_application, arguments: {app_name: "mousepad out.txt"}}` + "\n" +
		`  - {id: two, tool_name: wait_for_element, timeout: 60s, arguments: {process: mousepad, selector: "role:text", timeout_ms: 60000}}` + "\n" +
		types("three", "alpha ") + types("four", "beta ") + types("five", "gamma ") +
		`  - {id: six, tool_name: log, arguments: {message: six}}` + "\n" +
		seventh + "\n" + types("eight", "delta") +
		`  - {id: nine, tool_name: press_key_global, arguments: {process: mousepad, key: ctrl+s}}` + "\n"
	if err := os.WriteFile(filepath.Join(o.dir, "nine.yaml"), []byte(text), 0o600); err != nil {
		o.Fatal(err)
	}
}

// written is what the editor has saved, once it has.
func (o *operator) written() string {
	o.Helper()
	var text []byte
	o.until("the editor saves", func() bool {
		text, _ = os.ReadFile(filepath.Join(o.dir, "out.txt"))
		return len(text) > 0
	})
	return strings.TrimSpace(string(text))
}

func (o *operator) until(what string, holds func() bool) {
	o.Helper()
	for deadline := scratch.Deadline(o); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			said, _ := o.command("runs", "show", "last").CombinedOutput()
			o.Fatalf("wanted: %s; the last run:\n%s", what, said)
		}
	}
}

// mends gives the seventh step what it needs, and waits until that is there.
func (o *operator) mends() {
	o.Helper()
	name := o.theDesktop().Name
	o.does(0, "desktop", "run", name, "--", "zenity", "--info", "--text", "go on")
	o.until("the dialog is open", func() bool {
		return o.command("inspect", "--display", "virtual:"+name, "process:zenity >> name:OK").Run() == nil
	})
}

// executed says how often each step was started.
func (o *operator) executed(run string) map[string]int {
	o.Helper()
	var r struct {
		Steps []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(o.does(0, "runs", "show", run, "--json")), &r); err != nil {
		o.Fatal(err)
	}
	n := map[string]int{}
	for _, s := range r.Steps {
		n[s.ID]++
	}
	return n
}

// The seventh step: one that fails soon without its dialog, and two that look for it as long
// as a test may need on a busy machine, and not for three seconds.
const (
	waits     = `  - {id: seven, tool_name: wait_for_element, timeout: 3s, arguments: {process: zenity, selector: "name:OK"}}`
	waitsLong = `  - {id: seven, tool_name: wait_for_element, timeout: 90s, arguments: {process: zenity, selector: "name:OK", timeout_ms: 90000}}`
	press     = `  - {id: seven, tool_name: click_element, timeout: 90s, arguments: {process: zenity, selector: "name:OK", timeout_ms: 90000}}`
)

func TestAtLengthARunThatFailedGoesOnInTheSameProgram(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.writes(waits, "")
	said := o.does(3, "run", "--display", "virtual", "nine.yaml")
	k := o.theDesktop()
	for _, want := range []string{"continues at seven", "its desktop " + k.Name + " is kept until ", "understudy desktop show " + k.Name} {
		if !strings.Contains(said, want) {
			t.Errorf("wanted %q in\n%s", want, said)
		}
	}
	if plan := o.does(0, "resume", "last", "--plan"); !strings.Contains(plan, "would continue at seven, on its desktop "+k.Name) {
		t.Errorf("the plan:\n%s", plan)
	}
	o.mends()
	o.does(0, "resume", "last")
	if got := o.written(); got != "alpha beta gamma delta" {
		t.Errorf("the editor has %q", got)
	}
	for id, n := range o.executed("last") {
		if want := map[bool]int{true: 2, false: 1}[id == "seven"]; n != want {
			t.Errorf("step %s was executed %d times, wanted %d", id, n, want)
		}
	}
	if left := o.desktops(); len(left) > 0 {
		t.Errorf("the run succeeded, and its desktop is still there: %+v", left)
	}
}

func TestAtLengthARunWhoseEngineWasKilledInTheMiddleOfAStepAsks(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.writes(press, "")
	cmd := o.command("run", "--display", "virtual", "nine.yaml")
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o.until("the seventh step has begun", func() bool {
		show := o.command("runs", "show", "last", "--json")
		text, _ := show.Output()
		return strings.Contains(string(text), `"id": "seven"`)
	})
	o.killEngine()
	_ = cmd.Wait() // it tells that the run was interrupted
	k := o.theDesktop()
	if said := o.does(5, "resume", "last"); !strings.Contains(said, "--redo") {
		t.Errorf("wanted it to ask whether to do the step again:\n%s\n%s", said, out)
	}
	if now := o.theDesktop(); now.Birth != k.Birth {
		t.Errorf("it is on another desktop: %+v", now)
	}
	o.mends()
	o.does(0, "resume", "last", "--redo")
	if got := o.written(); got != "alpha beta gamma delta" {
		t.Errorf("the editor has %q", got)
	}
}

// A loss is a way in which the desktop of a run ends.
type loss struct {
	sentence string
	lose     func(o *operator, k virtual.Kept)
	why      string
}

// TestALostDesktopIsSaidBeforeAnythingActs ends the desktop of a run, and holds what is
// then said and done.
func TestALostDesktopIsSaidBeforeAnythingActs(t *testing.T) {
	losses(t, []loss{
		{"its keeper was killed", func(_ *operator, k virtual.Kept) { _ = syscall.Kill(k.Keeper, syscall.SIGKILL) }, "its keeper was killed"},
	})
}

func TestAtLengthALostDesktopIsSaidBeforeAnythingActs(t *testing.T) {
	losses(t, []loss{
		{"it was stopped", func(o *operator, k virtual.Kept) { o.does(0, "desktop", "stop", k.Name) }, "it was stopped by hand"},
		{"another has its name", func(o *operator, k virtual.Kept) {
			o.does(0, "desktop", "stop", k.Name)
			o.does(0, "desktop", "start", k.Name)
		}, "it was stopped by hand"},
	})
}

func losses(t *testing.T, rows []loss) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			o := newOperator(t)
			o.writes(waits, "")
			o.does(3, "run", "--display", "virtual", "nine.yaml")
			k := o.theDesktop()
			row.lose(o, k)
			o.until("it is gone", func() bool {
				all := o.desktops()
				return len(all) == 0 || all[0].Birth != k.Birth
			})
			before := o.executed("last")
			said := o.does(4, "resume", "last")
			for _, want := range []string{"was on a desktop that is gone", "desktop " + k.Name + " was closed at ", row.why, "--from one"} {
				if !strings.Contains(said, want) {
					t.Errorf("wanted %q in\n%s", want, said)
				}
			}
			if plan := o.does(0, "resume", "last", "--plan"); !strings.Contains(plan, "can only begin again, with --from one") {
				t.Errorf("the plan:\n%s", plan)
			}
			if plan := o.does(0, "resume", "last", "--plan", "--from", "two"); !strings.Contains(plan, "would begin again at two, on a new desktop: desktop "+k.Name) {
				t.Errorf("the plan from a step:\n%s", plan)
			}
			if after := o.executed("last"); len(after) != len(before) || after["seven"] != before["seven"] {
				t.Errorf("something was executed: %v, then %v", before, after)
			}
		})
	}
}

func TestAtLengthWhatAResumeDoesWithoutTheDesktopStandsInTheDocument(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.writes(waits, "on_lost_desktop: restart\n")
	o.does(3, "run", "--display", "virtual", "nine.yaml")
	first := o.theDesktop()
	if err := virtual.End(first, "the test wants it"); err != nil {
		t.Fatal(err)
	}
	if plan := o.does(0, "resume", "last", "--plan"); !strings.Contains(plan, "would begin again at one, on a new desktop") {
		t.Errorf("the plan of a document that begins again:\n%s", plan)
	}
	_ = os.RemoveAll(filepath.Join(o.dir, ".local")) // the editor would ask whether to restore its files
	o.does(3, "resume", "last")
	if k := o.theDesktop(); k.Birth == first.Birth || o.executed("last")["three"] != 2 {
		t.Errorf("wanted it to begin again on another desktop: %+v, %v", k, o.executed("last"))
	}
	if plan := o.does(0, "resume", "last", "--plan"); !strings.Contains(plan, "would continue at seven, on its desktop "+o.theDesktop().Name) {
		t.Errorf("it does not know its new desktop:\n%s", plan)
	}
	o.writes(waits, "on_lost_desktop: fail\n")
	o.does(3, "run", "--display", "virtual", "--keep-desktop", "0", "nine.yaml")
	if plan := o.does(0, "resume", "last", "--plan"); !strings.Contains(plan, "cannot be resumed, as its document says on_lost_desktop: fail") {
		t.Errorf("the plan of a document that fails:\n%s", plan)
	}
	if said := o.does(4, "resume", "last", "--from", "one"); !strings.Contains(said, "on_lost_desktop: fail") || !strings.Contains(said, "it was not to be kept") {
		t.Errorf("it said:\n%s", said)
	}
}

// TestADesktopThatNoRunNeedsIsClosed makes desktops as they stay when a process is
// killed between the end of its run and that of the desktop.
func TestADesktopThatNoRunNeedsIsClosed(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	if err := os.WriteFile(filepath.Join(o.dir, "short.yaml"), []byte("steps: [{tool_name: log, arguments: {message: x}}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.does(0, "run", "short.yaml")
	var runs []struct {
		ID string `json:"run_id"`
	}
	if err := json.Unmarshal([]byte(o.does(0, "runs", "ls", "--json")), &runs); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(o.dir, "data", "display")
	for _, k := range []virtual.Options{{Name: "run-whose", Run: runs[0].ID}, {Name: "run-removed", Run: "01m7ys5t6js1p97s9swagwnjg4"}, {Name: "run-fleet", Run: "01m7ys5t6js1p97s9swagwnjg5", Worker: "one"}, {Name: "mine"}} {
		k.Linger, k.Dir = time.Hour, dir
		if _, err := virtual.Keep(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	o.killEngine()
	o.does(0, "runs", "ls")
	var left []string
	for _, k := range o.desktops() {
		left = append(left, k.Name)
	}
	if slices.Sort(left); !slices.Equal(left, []string{"mine", "run-fleet"}) {
		t.Errorf("left are %s, wanted the one that was started by name and that of a worker", left)
	}
}

func TestAtLengthADesktopThatLastsIsTheSameForEachRun(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	o.writes(waits, "")
	o.does(0, "desktop", "start", "work", "--screen", "800x600")
	o.mends()
	o.does(0, "run", "--display", "virtual:work", "nine.yaml")
	if got := o.written(); got != "alpha beta gamma delta" || len(o.desktops()) != 1 {
		t.Errorf("the editor has %q, on %d desktops", got, len(o.desktops()))
	}
	if err := os.WriteFile(filepath.Join(o.dir, "look.yaml"), []byte(
		`steps: [{tool_name: validate_element, arguments: {process: mousepad, selector: "role:text"}}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	o.does(0, "run", "--display", "virtual:work", "look.yaml")
}

func TestAtLengthOnlySoManyDesktopsAreKept(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	if err := os.WriteFile(filepath.Join(o.dir, "fails.yaml"), []byte(
		`steps: [{tool_name: validate_element, arguments: {process: nobody, selector: "name:x"}, expect: "false", timeout: 1s}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		o.does(3, "run", "--display", "virtual", "--keep-desktops", "2", "fails.yaml")
	}
	if n := len(o.desktops()); n != 2 {
		t.Errorf("%d desktops are kept, wanted 2", n)
	}
	var runs []struct {
		ID string `json:"run_id"`
	}
	if err := json.Unmarshal([]byte(o.does(0, "runs", "ls", "--json")), &runs); err != nil {
		t.Fatal(err)
	}
	if said := o.does(4, "resume", runs[len(runs)-1].ID); !strings.Contains(said, "more than 2 desktops") {
		t.Errorf("the oldest said:\n%s", said)
	}
}
