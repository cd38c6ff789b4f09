package hub

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/store/jetstream"
)

// TestThePowerFails lets a disk forget what was not synced. Nothing that a hub
// acknowledged is lost; a server with its defaults has to lose something, or the disk
// does not forget and the test sees nothing.
func TestThePowerFails(t *testing.T) {
	t.Run("hub", func(t *testing.T) {
		lost := loseBy(t, func(dir string) (string, string, func()) {
			h, err := Start(Options{Dir: dir, Listen: "127.0.0.1:-1"})
			if err != nil {
				t.Fatal(err)
			}
			return h.URL(), filepath.Join(Credentials(dir), "default-client.nk"), func() { _ = h.Close() }
		})
		if lost != 0 {
			t.Errorf("%d of %d acknowledged appends are lost", lost, appends)
		}
	})
	t.Run("a server with its defaults", func(t *testing.T) {
		lost := loseBy(t, func(dir string) (string, string, func()) {
			s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
			if err != nil {
				t.Fatal(err)
			}
			s.Start()
			if !s.ReadyForConnections(time.Until(scratch.Deadline(t))) {
				t.Fatal("the server did not start")
			}
			return s.ClientURL(), "", func() { s.Shutdown(); s.WaitForShutdown() }
		})
		if lost == 0 {
			t.Error("nothing is lost: this test sees nothing")
		}
		t.Logf("%d of %d acknowledged appends are lost", lost, appends)
	})
}

const appends = 100

// loseBy cuts the power after some appends, and counts those that are lost.
func loseBy(t *testing.T, start func(dir string) (url, credential string, end func())) (lost int) {
	disk, dir := mountForgetful(t)
	open := func() (*jetstream.Store, *nats.Conn, func()) {
		url, credential, end := start(dir)
		nc, err := jetstream.Dial(jetstream.Address{URL: url, Credential: credential})
		if err != nil {
			t.Fatal(err)
		}
		s, err := jetstream.Open(t.Context(), nc, jetstream.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s, nc, end
	}
	s, nc, end := open()
	for i := range appends {
		run := fmt.Sprint("run", i%10)
		if err := s.Append(t.Context(), run, storetest.Batch(run, 1, uint64(i/10), 1)); err != nil {
			t.Fatal(err)
		}
	}
	disk.cut()
	nc.Close()
	end()
	disk.restore()
	s, nc, end = open()
	defer end()
	defer nc.Close()
	for i := range 10 {
		found := 0
		for _, err := range s.Events(t.Context(), fmt.Sprint("run", i), 1) {
			if err == nil {
				found++
			}
		}
		lost += appends/10 - found
	}
	return lost
}
