//go:build linux

package attack

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"understudy/internal/testing/virtualtest"
)

// otherUsers are tries of another user to reach what is kept, the socket, the
// server and a display.
func otherUsers(a *arena) func() {
	path := a.put(filepath.Join(a.work, "note.yaml"), workflow)
	a.understudy("token", "add", "laptop", "--mode", "act")
	site := a.serve("--auth", "user", "--toolsets", "all", "--root", a.work)
	if came := a.try(ownerUID, "call "+site+"/mcp"); came["call "+site+"/mcp"] != "done" {
		a.t.Fatal(came) // from now on the server has the data folder
	}
	a.understudy("run", path)
	a.understudy("runs", "export", "last", filepath.Join(a.home, "exported"))
	d := virtualtest.Start(a.t)
	socket := "/tmp/.X11-unix/X" + strings.TrimPrefix(d.Name(), ":")
	return func() {
		var tries []string
		for _, dir := range []string{a.data, filepath.Join(a.home, "exported"), filepath.Dir(d.Authority())} {
			tries = append(tries, everything(a.t, dir)...)
		}
		tries = append(tries, "show "+socket, "show @"+socket, "show "+socket+" "+d.Authority(), "stay "+strings.TrimPrefix(site, "http://")+" stayed.txt")
		for _, path := range routes() {
			if path != "/health" && path != "/status" {
				tries = append(tries, "get "+site+path, "call "+site+path)
			}
		}
		for what, came := range a.try(strangerUID, tries...) {
			a.attempt(came != "done", "a stranger can: %s", what)
		}
		if _, err := os.Stat(filepath.Join(a.work, "stayed.txt")); err == nil {
			a.attempt(false, "a stranger made a file")
		}
	}
}

// takeover is another user who sends whole calls from the ports that the next
// connections of the owner will have, and resets, so that the owner's connection is
// found in the place of theirs.
func takeover(a *arena) func() {
	site := a.serve("--toolsets", "all", "--root", a.work)
	address := strings.TrimPrefix(site, "http://")
	return func() {
		stop := make(chan struct{})
		var owner sync.WaitGroup
		owner.Go(func() { // who calls all the time, from a new port
			for {
				select {
				case <-stop:
					return
				default:
					if c, err := net.Dial("tcp", address); err == nil {
						c.Close()
					}
				}
			}
		})
		const tries = 500
		what := fmt.Sprintf("takeover %s %d taken%d.txt", address, tries, rand.Uint32())
		came := a.try(strangerUID, what)[what]
		close(stop)
		owner.Wait()
		sent, err := strconv.Atoi(strings.TrimPrefix(came, "sent "))
		if err != nil {
			a.t.Errorf("the stranger says %s", came)
		}
		taken := len(a.left(a.work))
		for i := range sent {
			a.attempt(i >= taken, "a call of another user counted: %v", a.left(a.work))
		}
	}
}
