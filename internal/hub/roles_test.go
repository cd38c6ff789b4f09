package hub

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/internal/words"
	"understudy/store/jetstream"
)

func dial(t *testing.T, h *Hub, dir string, r role) *nats.Conn {
	t.Helper()
	nc, err := jetstream.Dial(jetstream.Address{URL: h.URL(), Credential: filepath.Join(Credentials(dir), "default-"+string(r)+".nk")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// refused reports whether the server refused the last operation on a subject.
func refused(t *testing.T, nc *nats.Conn, subject string) bool {
	t.Helper()
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	err := nc.LastError()
	return errors.Is(err, nats.ErrPermissionViolation) && strings.Contains(err.Error(), `"`+subject+`"`)
}

// TestPermissionsOfRoles tries each subject and each call of JetStream as each role.
func TestPermissionsOfRoles(t *testing.T) {
	dir := t.TempDir()
	h := start(t, Options{Dir: dir})
	if _, err := open(t, h, dir, "default-client.nk"); err != nil {
		t.Fatal(err)
	}
	nobody, both := "", "client worker"
	for _, c := range []struct{ do, subject, may string }{
		// What is stored.
		{"publish", "us.r.run", both},
		{"publish", "us.q.5.any.run", both},
		{"publish", "us.f.captures.hash", both},
		{"publish", "us.f.captures.hash.0", both},
		{"publish", "us.s.schedule", "client"},
		{"publish", "us.n.run", nobody},
		{"subscribe", "us.r.*", nobody},
		{"subscribe", "us.f.>", nobody},
		{"subscribe", "us.s.*", nobody},
		{"subscribe", "us.n.*", "client"},
		{"subscribe", "us.q.>", "worker"},

		// Streams.
		{"publish", "$JS.API.STREAM.INFO.US_RUNS", both},
		{"publish", "$JS.API.STREAM.INFO.SPY", nobody},
		{"publish", "$JS.API.STREAM.MSG.GET.US_RUNS", both},
		{"publish", "$JS.API.STREAM.MSG.GET.US_FILES", both},
		{"publish", "$JS.API.STREAM.MSG.GET.US_RECORDS", "client"},
		{"publish", "$JS.API.DIRECT.GET.US_RUNS", both},
		{"publish", "$JS.API.DIRECT.GET.US_FILES", both},
		{"publish", "$JS.API.DIRECT.GET.US_RECORDS", "client"},
		{"publish", "$JS.API.DIRECT.GET.US_RECORDS.us.s.x", nobody},
		{"publish", "$JS.API.STREAM.MSG.GET.SPY", nobody},
		{"publish", "$JS.API.DIRECT.GET.SPY", nobody},
		{"publish", "$JS.API.STREAM.CREATE.SPY", nobody},
		{"publish", "$JS.API.STREAM.UPDATE.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.DELETE.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.PURGE.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.MSG.DELETE.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.SNAPSHOT.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.RESTORE.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.PEER.REMOVE.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.LEADER.STEPDOWN.US_RUNS", nobody},
		{"publish", "$JS.API.STREAM.LIST", nobody},
		{"publish", "$JS.API.STREAM.NAMES", nobody},
		{"publish", "$JS.API.STREAM.TEMPLATE.CREATE.x", nobody},
		{"publish", "$JS.API.META.LEADER.STEPDOWN", nobody},
		{"publish", "$JS.API.ACCOUNT.PURGE.default", nobody},

		// Consumers.
		{"publish", "$JS.API.CONSUMER.CREATE.US_RUNS", nobody},
		{"publish", "$JS.API.CONSUMER.CREATE.US_RUNS.x", nobody},
		{"publish", "$JS.API.CONSUMER.CREATE.US_RUNS.x.us.r.*", nobody},
		{"publish", "$JS.API.CONSUMER.DURABLE.CREATE.US_RUNS.x", nobody},
		{"publish", "$JS.API.CONSUMER.DELETE.US_RUNS.q5-any", nobody},
		{"publish", "$JS.API.CONSUMER.PAUSE.US_RUNS.q5-any", nobody},
		{"publish", "$JS.API.CONSUMER.RESET.US_RUNS.q5-any", nobody},
		{"publish", "$JS.API.CONSUMER.UNPIN.US_RUNS.q5-any", nobody},
		{"publish", "$JS.API.CONSUMER.LEADER.STEPDOWN.US_RUNS.q5-any", nobody},
		{"publish", "$JS.API.CONSUMER.LIST.US_RUNS", "worker"},
		{"publish", "$JS.API.CONSUMER.MSG.NEXT.US_RUNS.q5-any", "worker"},
		{"publish", "$JS.API.CONSUMER.MSG.NEXT.US_FILES.x", nobody},
		{"publish", "$JS.ACK.US_RUNS.q5-any.1.1.1.1.0", "worker"},
		{"publish", "$JS.ACK.US_FILES.x.1.1.1.1.0", nobody},
		{"publish", "$JS.FC.US_RUNS.x", nobody},
		{"publish", "$KV.bucket.key", nobody},
		{"publish", "$O.bucket.C.x", nobody},

		// Messages between processes.
		{"publish", "us.say.make", both},
		{"publish", "us.say.hub", both},
		{"publish", "us.say.worker.w", both},
		{"publish", "us.say.fits", "client"},
		{"publish", "us.say.calls.w", "client"},
		{"publish", "us.say.view.w", "client"},
		{"publish", "us.say.schedules", "client"},
		{"publish", "us.say.secrets", "worker"},
		{"publish", "us.say.rights.server", "worker"},
		{"publish", "us.say.stream.x.desktop", "client"},
		{"publish", "us.say.stream.x.viewer", "worker"},
		{"publish", "us.say.queued", nobody},
		{"publish", "us.say.none", "worker"},
		{"publish", "us.say.back", "worker"},
		{"subscribe", "us.say.hub", nobody},
		{"subscribe", "us.say.make", nobody},
		{"subscribe", "us.say.queued", "worker"},
		{"subscribe", "us.say.worker.w", "worker"},
		{"subscribe", "us.say.fits", "worker"},
		{"subscribe", "us.say.calls.w", "worker"},
		{"subscribe", "us.say.view.w", "worker"},
		{"subscribe", "us.say.secrets", "client"},
		{"subscribe", "us.say.rights.server", "client"},
		{"subscribe", "us.say.schedules", "client"},
		{"subscribe", "us.say.stream.x.viewer", "client"},
		{"subscribe", "us.say.stream.x.desktop", "worker"},
		{"subscribe", "us.say.>", nobody},
		{"subscribe", ">", nobody},
		{"subscribe", "$JS.>", nobody},
		{"subscribe", "$SYS.>", nobody},
		{"subscribe", "_R_.>", nobody},
		{"publish", "$SYS.REQ.SERVER.PING.JSZ", nobody},
	} {
		for _, r := range []role{client, worker, admin} {
			nc, err := dial(t, h, dir, r), error(nil)
			if c.do == "publish" {
				if strings.Contains(c.subject, ".PURGE.") || strings.Contains(c.subject, ".DELETE.") || strings.Contains(c.subject, ".META.") {
					if r == admin { // it would do that
						nc.Close()
						continue
					}
				}
				err = nc.Publish(c.subject, []byte("?"))
			} else {
				_, err = nc.SubscribeSync(c.subject)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := !refused(t, nc, c.subject), r == admin || strings.Contains(c.may, string(r)); got != want {
				t.Errorf("%s may %s %s: %v", r, c.do, c.subject, got)
			}
			nc.Close()
		}
	}
}

// TestTheServerSendsNothingForOthers names another call as the subject of an answer, because
// the server sends answers with its own rights.
func TestTheServerSendsNothingForOthers(t *testing.T) {
	dir := t.TempDir()
	h := start(t, Options{Dir: dir})
	s, err := open(t, h, dir, "default-client.nk")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "run", storetest.Batch("run", 1, 0, 2)); err != nil {
		t.Fatal(err)
	}
	boss := dial(t, h, dir, admin)
	asked, err := boss.SubscribeSync("us.say.secrets")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []role{client, worker} {
		targets := []string{"$JS.API.STREAM.PURGE.US_RUNS", "$JS.API.STREAM.DELETE.US_RUNS", "us.say.hub"}
		if r != worker { // which may ask for secrets itself
			targets = append(targets, "us.say.secrets")
		}
		nc := dial(t, h, dir, r)
		if _, err := nc.Request("us.f.captures.chosen", []byte("{}"), time.Until(scratch.Deadline(t))); err != nil {
			t.Fatal(err)
		}
		for _, target := range targets {
			if err := nc.PublishMsg(&nats.Msg{Subject: "us.f.captures.traced", Data: []byte("x"), Header: nats.Header{"Nats-Trace-Dest": {target}}}); err != nil {
				t.Fatal(err)
			}
			for subject, text := range map[string]string{
				"us.f.captures.mine":             "x",
				"us.say.hub":                     "",
				"us.say.make":                    "{}",
				"$JS.API.STREAM.INFO.US_RUNS":    "",
				"$JS.API.STREAM.MSG.GET.US_RUNS": `{"last_by_subj":"us.r.run"}`,
				"$JS.API.DIRECT.GET.US_FILES":    `{"last_by_subj":"us.f.captures.chosen"}`,
			} {
				if err := nc.PublishRequest(subject, target, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
		}
		// The server answers in the order of the questions.
		if _, err := nc.Request("$JS.API.STREAM.INFO.US_FILES", nil, time.Until(scratch.Deadline(t))); err != nil {
			t.Fatal(err)
		}
		if _, err := nc.Request("$JS.API.DIRECT.GET.US_FILES", []byte(`{"last_by_subj":"us.f.captures.chosen"}`), time.Until(scratch.Deadline(t))); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Run(t.Context(), "run"); err != nil {
			t.Fatalf("a %s removed the run: %v", r, err)
		}
	}
	if m, err := asked.NextMsg(100 * time.Millisecond); err == nil {
		t.Errorf("asked for secrets: %s", m.Data)
	}
}

// TestAnswersOfAnotherRoleAreIgnored listens in each inbox.
func TestAnswersOfAnotherRoleAreIgnored(t *testing.T) {
	dir := t.TempDir()
	h := start(t, Options{Dir: dir})
	for listens, asks := range map[role]role{client: worker, worker: client} {
		nc := dial(t, h, dir, listens)
		heard, err := nc.SubscribeSync("_INBOX.>")
		if err == nil {
			err = nc.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []role{asks, admin} {
			s, err := open(t, h, dir, "default-"+string(by)+".nk")
			if err == nil {
				err = s.Append(t.Context(), "run-of-"+string(by)+string(listens), storetest.Batch("run-of-"+string(by)+string(listens), 1, 0, 2))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if m, err := heard.NextMsg(100 * time.Millisecond); err == nil {
			t.Errorf("a %s hears %s %s", listens, m.Subject, m.Data)
		}
	}
}

// TestFullTenantRefusesRuns holds what one tenant can take of the disk, and that what is there already
// can be read.
func TestFullTenantRefusesRuns(t *testing.T) {
	dir, tenants := t.TempDir(), []string{"a", "b"}
	content := func(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%7d\n", i), 1<<17) }
	h := start(t, Options{Dir: dir, Tenants: tenants, MaxTenantMB: 100})
	s, err := open(t, h, dir, "a-client.nk")
	if err != nil {
		t.Fatal(err)
	}
	hash := ""
	for i := range 8 {
		if hash, err = s.Put(t.Context(), engine.Artifacts, content(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	h = start(t, Options{Dir: dir, Tenants: tenants, MaxTenantMB: 4})
	if s, err = open(t, h, dir, "a-client.nk"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), engine.Artifacts, hash); err != nil || !bytes.Equal(got, content(7)) {
		t.Errorf("what was stored before: %d bytes, %v", len(got), err)
	}
	if _, err = s.Put(t.Context(), engine.Artifacts, content(9)); !errors.Is(err, engine.ErrFull) {
		t.Errorf("a full tenant: %v", err)
	}
	if s, err = open(t, h, dir, "b-client.nk"); err == nil {
		_, err = s.Put(t.Context(), engine.Artifacts, content(9))
	}
	if err != nil {
		t.Errorf("another tenant: %v", err)
	}
}

// TestTheFolderOfAnOlderHub starts a hub over what an older one wrote, which had one account for
// all roles of a tenant.
func TestTheFolderOfAnOlderHub(t *testing.T) {
	dir := t.TempDir()
	k, err := loadKeys(Credentials(dir), []string{"default"}, false)
	if err != nil {
		t.Fatal(err)
	}
	var users []object
	for _, r := range roles {
		users = append(users, object{"nkey": k.public[k.of("default", r)]})
	}
	text, err := words.JSON(object{
		"listen": "127.0.0.1:-1", "accounts": object{"default": object{"jetstream": "enabled", "users": users}}, "max_payload": 8 << 20,
		"jetstream": object{"store_dir": filepath.ToSlash(filepath.Join(dir, "data")), "sync_interval": "always"},
	}, "")
	config := server.Options{NoSigs: true}
	if err == nil {
		err = config.ProcessConfigString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	older, err := server.NewServer(&config)
	if err != nil {
		t.Fatal(err)
	}
	older.Start()
	defer older.Shutdown()
	if err := awaitReady(older, nil); err != nil {
		t.Fatal(err)
	}
	b := storetest.Batch("run", 1, 0, 2)
	b.Wanted = &engine.Wanted{Needs: []string{"app=notes"}}
	s, err := jetstream.Open(t.Context(), dial(t, &Hub{server: older}, dir, client), jetstream.Options{})
	if err == nil {
		err = s.Append(t.Context(), "run", b)
	}
	if err != nil {
		t.Fatal(err)
	}
	older.Shutdown()
	older.WaitForShutdown()

	h := start(t, Options{Dir: dir})
	if s, err = open(t, h, dir, "default-client.nk"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Run(t.Context(), "run"); err != nil {
		t.Errorf("the run: %v", err)
	}
	if s, err = open(t, h, dir, "default-worker.nk"); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Take(t.Context(), []string{"app=notes"}); err != nil || e.Run() != "run" {
		t.Errorf("the run that was queued: %v", err)
	}
}
