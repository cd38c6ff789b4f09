//go:build linux

package lasting

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"understudy/internal/desktop/virtual"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// server is a server of the operator's, which may die.
type server struct {
	*operator
	cmd  *exec.Cmd
	said *scratch.Buffer
}

var listening = regexp.MustCompile(`listening on (http://\S+/mcp)`)

func (o *operator) serves(flags ...string) *server {
	o.Helper()
	s := &server{operator: o, said: &scratch.Buffer{}}
	s.cmd = o.command(append([]string{"serve", "--addr", "127.0.0.1:0", "--auth", "none", "--display", "virtual", "--root", o.dir, "--toolsets", "all", "--no-sandbox", "--structured"}, flags...)...)
	s.cmd.Stderr = s.said
	if err := s.cmd.Start(); err != nil {
		o.Fatal(err)
	}
	o.Cleanup(s.dies)
	o.until("the server listens", func() bool { return listening.MatchString(s.said.String()) })
	return s
}

// dies is what happens to a server at kill -9.
func (s *server) dies() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// begins begins the workflow nine, and returns when its seventh step is under way.
func (s *server) begins() (run string) {
	s.Helper()
	v := byhand.Visit(s, byhand.Modern, listening.FindStringSubmatch(s.said.String())[1])
	_, res := v.Call(s, "execute_sequence", byhand.Object{"url": "file://" + filepath.Join(s.dir, "nine.yaml"), "wait": false})
	run, _ = byhand.Dig(res, "result", "structuredContent", "run_id").(string)
	if run == "" {
		s.Fatalf("nothing was begun: %v", res)
	}
	s.until("the seventh step has begun\n"+s.does(0, "runs", "show", run), func() bool { return s.executed(run)["seven"] == 1 })
	return run
}

// status is that of a run, and what it asks.
func (o *operator) status(run string) (status, asks string) {
	o.Helper()
	var r struct {
		Status   string
		Question struct{ Sort string }
	}
	if err := json.Unmarshal([]byte(o.does(0, "runs", "show", run, "--json")), &r); err != nil {
		o.Fatal(err)
	}
	return r.Status, r.Question.Sort
}

// A restart is what becomes of a run whose server was killed and started again.
type restart struct {
	sentence, seventh, more string
	between                 func(o *operator, k virtual.Kept)
	status, asks, says      string // of the run that nobody touched
	times                   int    // that the third step was begun in the end
}

// TestRunResumesWhenItsServerRestarts kills a server in the middle of a run on a virtual
// desktop, and starts it again.
func TestRunResumesWhenItsServerRestarts(t *testing.T) {
	restarts(t, []restart{
		{
			sentence: "on the desktop where it was", seventh: waitsLong, more: "resume: auto\n",
			status: "running", times: 1,
		},
		{
			sentence: "on a new desktop, when its document says that it begins again there", seventh: waitsLong, more: "resume: auto\non_lost_desktop: restart\n", between: loses,
			status: "running", times: 2,
		},
	})
}

func TestAtLengthRunDoesNotResumeWhenItsServerRestarts(t *testing.T) {
	restarts(t, []restart{
		{
			sentence: "not over a step that may have acted: it asks", seventh: press, more: "resume: auto\n",
			status: "waiting", asks: "doubt",
		},
		{
			sentence: "not when its document does not say so", seventh: waitsLong,
			status: "interrupted",
		},
		{
			sentence: "not without its desktop", seventh: waitsLong, more: "resume: auto\n", between: loses,
			status: "interrupted", says: "was on a desktop that is gone",
		},
		{
			sentence: "not when its document says that it fails without its desktop", seventh: waitsLong, more: "resume: auto\non_lost_desktop: fail\n", between: loses,
			status: "interrupted", says: "on_lost_desktop: fail",
		},
	})
}

func restarts(t *testing.T, rows []restart) {
	for _, row := range rows {
		t.Run(row.sentence, func(t *testing.T) {
			t.Parallel()
			o := newOperator(t)
			o.writes(row.seventh, row.more)
			first := o.serves()
			run, k := first.begins(), o.theDesktop()
			first.dies()
			if row.between != nil {
				row.between(o, k)
			}
			second := o.serves()
			status, asks := "", ""
			o.until("the run is "+row.status, func() bool {
				status, asks = o.status(run)
				return status == row.status && strings.Contains(second.said.String(), row.says)
			})
			if asks != row.asks {
				t.Errorf("it asks %q, wanted %q", asks, row.asks)
			}
			if row.times == 0 {
				return
			}
			o.until("the seventh step has begun again", func() bool { return o.executed(run)["seven"] == 2 })
			o.mends()
			if got := o.written(); got != "alpha beta gamma delta" || o.executed(run)["three"] != row.times {
				t.Errorf("the editor has %q after %v", got, o.executed(run))
			}
			if now := o.theDesktop(); (now.Birth == k.Birth) != (row.times == 1) {
				t.Errorf("it was on %+v, and is on %+v", k, now)
			}
			o.until("the run succeeds", func() bool { status, _ = o.status(run); return status == "succeeded" })
		})
	}
}

// loses ends the desktop with its keeper, and what its editor would ask about.
func loses(o *operator, k virtual.Kept) {
	_ = syscall.Kill(k.Keeper, syscall.SIGKILL)
	o.until("the desktop is gone", func() bool { return len(o.desktops()) == 0 })
	_ = os.RemoveAll(filepath.Join(o.dir, ".local"))
}
