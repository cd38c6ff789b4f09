package fleet

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/schedules"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/mcpserver"
	"understudy/mcpserver/auth"
)

// twoServers see to the schedules of a fleet. The first has saved workflows, and the
// other one of the same name that does another thing.
func twoServers(t *testing.T) (s *stage, one, two *server) {
	s = newStage(t)
	saved := func(act string) func(*mcpserver.Options) {
		return func(o *mcpserver.Options) {
			o.Roots = []string{os.TempDir()} // which has the folders that are watched
			doc := fmt.Sprintf("name: report\nvariables:\n  file: {type: string, default: none}\nsteps:\n  - {id: a, tool_name: act, arguments: {name: \"%s-${{ file }}\"}}\n", act)
			if err := os.WriteFile(filepath.Join(o.Folder, "report.yaml"), []byte(doc), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s, s.serve("one", nil, saved("right")), s.serve("two", nil, saved("wrong"))
}

func (s *server) add(args byhand.Object) (v byhand.Visitor, added map[string]any) {
	s.t.Helper()
	v = s.client(auth.Token{})
	_, res := v.Call(s.t, "add_schedule", with(args, "workflow", "report"))
	if byhand.IsError(res) {
		s.t.Fatalf("add_schedule: %v", res)
	}
	added, _ = byhand.Dig(res, "result", "structuredContent").(map[string]any)
	return v, added
}

// scheduled waits for the runs of a schedule, and until it has nothing left to begin. It
// gives what they did.
func (s *stage) scheduled(of schedules.Store, name string, runs int) (did []string) {
	s.t.Helper()
	var all []engine.Header
	for late := scratch.Deadline(s.t); ; time.Sleep(20 * time.Millisecond) {
		list, err := of.List(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		if all, err = s.List(s.t.Context(), engine.Query{Schedule: name}); err != nil {
			s.t.Fatal(err)
		}
		pending := 0
		for _, e := range list {
			if e.Name == name {
				pending = len(e.State.Pending)
			}
		}
		if len(all) >= runs && pending == 0 {
			break
		}
		if time.Now().After(late) {
			s.t.Fatalf("schedule %s began %d runs, wanted %d; %d wait", name, len(all), runs, pending)
		}
	}
	if len(all) != runs {
		s.t.Errorf("schedule %s began %d runs, wanted %d", name, len(all), runs)
	}
	for _, h := range all {
		if h = s.rest(h.ID); h.Status != engine.Succeeded {
			s.t.Errorf("run %s of schedule %s is %s: %+v", h.ID, name, h.Status, h.Error)
		}
		did = append(did, s.did(h.ID))
	}
	return did
}

// TestEachTickOfAFleetBeginsOneRun lets two servers see to the same ticks, of which
// six were missed.
func TestEachTickOfAFleetBeginsOneRun(t *testing.T) {
	s, one, two := twoServers(t)
	defer s.work("w", "app=sap")()
	_, _ = one.add(byhand.Object{"name": "nightly", "cron": "0 3 * * *", "zone": "UTC", "catch_up": "all", "overlap": "allow", "needs": []string{"app=sap"}})
	missed := func(e *schedules.Entry) (*schedules.Entry, error) {
		e.State.Considered = e.State.Considered.Add(-6 * 24 * time.Hour)
		return e, nil
	}
	if err := two.schedules.Change(t.Context(), "nightly", missed); err != nil {
		t.Fatal(err)
	}
	for _, did := range s.scheduled(two.schedules, "nightly", 6) {
		if did != "right-none w" {
			t.Errorf("a run did %q", did)
		}
	}
	_, res := two.client(auth.Token{}).Call(t, "show_schedule", byhand.Object{"name": "nightly"})
	if runs, _ := byhand.Dig(res, "result", "structuredContent", "runs").([]any); len(runs) != 6 {
		t.Errorf("its history at the other server: %v", res)
	}
	if !two.schedules.Served(t.Context()) {
		t.Error("nobody sees to the schedules")
	}
}

// TestAMessageToAFleetBeginsOneRun sends one message to each of two servers.
func TestAMessageToAFleetBeginsOneRun(t *testing.T) {
	s, one, two := twoServers(t)
	defer s.work("w")()
	_, added := one.add(byhand.Object{"name": "orders", "hook": true})
	body, stamp := `{"file": "order"}`, strconv.FormatInt(time.Now().Unix(), 10)
	for i, to := range []*server{one, two, two} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to.url+schedules.HookPath+"orders", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{
			"Webhook-Id": {"order-1"}, "Webhook-Timestamp": {stamp},
			"Webhook-Signature": {schedules.Sign(fmt.Sprint(added["secret"]), "order-1", stamp, []byte(body))},
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if want := []int{http.StatusAccepted, http.StatusOK, http.StatusOK}[i]; res.StatusCode != want {
			t.Errorf("message %d was answered with %d, wanted %d", i, res.StatusCode, want)
		}
	}
	if did := s.scheduled(two.schedules, "orders", 1); did[0] != "right-order w" {
		t.Errorf("the run did %q", did)
	}
}

// TestSchedulesOfAFleet reads schedules as the server does each second, one of them
// damaged.
func TestSchedulesOfAFleet(t *testing.T) {
	_, one, two := twoServers(t)
	_, _ = one.add(byhand.Object{"name": "first", "hook": true})
	on := two.schedules.(*Schedules)
	c, err := on.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.store.ChangeRecord(t.Context(), "damaged", func([]byte) ([]byte, error) { return []byte("{"), nil }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if all, err := on.List(t.Context()); err == nil || len(all) != 1 || all[0].Name != "first" {
			t.Errorf("listed %v, %v", all, err)
		}
	}
	if before := on.listed.Load(); before == nil {
		t.Error("they are not remembered")
	} else if _, _ = on.List(t.Context()); on.listed.Load() != before {
		t.Error("they are read again")
	}
	if e, err := on.Get(t.Context(), "first"); err != nil || e == nil || e.Name != "first" {
		t.Errorf("got %v, %v", e, err)
	}
	if e, err := on.Get(t.Context(), "missing"); err != nil || e != nil {
		t.Errorf("got %v, %v", e, err)
	}
	if _, err := on.Get(t.Context(), "damaged"); err == nil {
		t.Error("the damaged one is read")
	}
}

// TestAFileThatArrivesAtAServerOfAFleet holds that the server sees to it over which
// the schedule was made.
func TestAFileThatArrivesAtAServerOfAFleet(t *testing.T) {
	s, one, two := twoServers(t)
	defer s.work("w")()
	in := t.TempDir()
	_, _ = one.add(byhand.Object{"name": "scans", "files": filepath.Join(in, "*.csv")})
	list, err := two.schedules.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Server != "one" {
		t.Fatalf("the schedules are %+v, %v", list, err)
	}
	file := filepath.Join(in, "a.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if did := s.scheduled(two.schedules, "scans", 1); did[0] != "right-"+file+" w" {
		t.Errorf("the run did %q", did)
	}
}
