//go:build linux

package attack

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// A class is one sort of attack on a program that runs. Begin sets the stage and
// gives a round of attempts, which is made again as long as there is time.
type class struct {
	name  string
	needs func() string // why it cannot be played here; nil or empty: it can
	begin func(*arena) (round func())
}

// classes are all. Each attempt is one request, value, call, command or file.
var classes = []class{
	{"browser: rebinding, origins, forms", nil, browser},
	{"credentials: forged, stolen, misplaced", nil, credentials},
	{"rights: kinds, ways, credentials", nil, rights},
	{"scripts: kinds without the right", noNode, scriptCalls},
	{"floods: messages, bodies, sessions", nil, floods},
	{"files: roots, links, races", nil, fileRoots},
	{"bombs: documents, patterns, expressions", nil, bombs},
	{"commands: values as code", nil, commands},
	{"secrets: left in the data folder", nil, secrets},
	{"sandbox: writing outside", noSandbox, sandboxEscapes},
	{"sandbox: doors of our own", noSandbox, sandboxDoors},
	{"programs: shells without the right", nil, programsWithoutShell},
	{"other users: files, sockets, display", noStrangers, otherUsers},
	{"other users: takeover of a port", noStrangers, takeover},
	{"store: damaged files", nil, damagedStore},
	{"pages: hostile names", nil, pages},
	{"questions: keys without a target", noZenity, questions},
	{"schedules: floods, folders, webhooks", nil, timetables},
	{"stdio: lines that are no messages", nil, stdio},
}

// arena is a stage on which one class is played.
type arena struct {
	*stage
	name string
	end  time.Time

	asked atomic.Int64 // requests, for their ids

	mu           sync.Mutex
	held, broken int
	what         []string // the broken ones, the first of them
	skipped      string
}

// mostShown is how many broken attempts of a class are shown.
const mostShown = 10

// attempt counts one, which was held or not.
func (a *arena) attempt(held bool, format string, args ...any) {
	a.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if held {
		a.held++
		return
	}
	if a.broken++; a.broken <= mostShown {
		a.what = append(a.what, fmt.Sprintf("%s: %.2000s", a.name, fmt.Sprintf(format, args...)))
		a.t.Error(a.what[len(a.what)-1])
	}
}

// over says that the time of the class is.
func (a *arena) over() bool { return time.Now().After(a.end) }

// attackers is how many attempt at once.
const attackers = 4

// parallel makes n attempts by several attackers, or fewer when the time is over.
func (a *arena) parallel(n int, attempt func(r *rand.Rand)) {
	var all sync.WaitGroup
	for range attackers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
			for i := 0; i < n/attackers && (i < smallestRound || !a.over()); i++ {
				attempt(r)
			}
		})
	}
	all.Wait()
}

// smallestRound is how many attempts an attacker makes at least.
const smallestRound = 25

// TestAttackTheWholeProgram plays every class against the program as it runs, and
// ends with a table.
func TestAttackTheWholeProgram(t *testing.T) {
	if *howLong == 0 {
		t.Skip("needs time: make attack FOR=5m")
	}
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 2 * attackers
	var played []*arena
	for _, c := range classes {
		if *only != "" && !strings.HasPrefix(c.name, *only) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { played = append(played, c.play(t)) })
	}
	if len(played) == 0 {
		t.Fatalf("there is no class %q", *only)
	}
	table(os.Stdout, played)
}

// play plays a class for its share of the time.
func (c class) play(t *testing.T) *arena {
	a := &arena{name: c.name}
	if c.needs != nil {
		if a.skipped = c.needs(); a.skipped != "" {
			return a
		}
	}
	a.stage = newStage(t)
	round := c.begin(a)
	share := *howLong / time.Duration(len(classes))
	if *only != "" {
		share = *howLong
	}
	for a.end = time.Now().Add(share); !a.over() && !t.Failed(); {
		round()
	}
	return a
}

// table writes what came of each class, and last what broke: the end of a log is
// what is left of it.
func table(out io.Writer, played []*arena) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "attempts\theld\tbroken\t  class")
	var held, broken int
	for _, a := range played {
		if a.skipped != "" {
			fmt.Fprintf(w, "-\t-\t-\t  %s: skipped, it %s\n", a.name, a.skipped)
			continue
		}
		held, broken = held+a.held, broken+a.broken
		fmt.Fprintf(w, "%d\t%d\t%d\t  %s\n", a.held+a.broken, a.held, a.broken, a.name)
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t  all\n", held+broken, held, broken)
	_ = w.Flush()
	for _, a := range played {
		for _, text := range a.what {
			fmt.Fprintf(out, "broken: %.500s\n", text)
		}
	}
}

// wire is a connection on which requests are written as they stand, also those
// that no library would send.
type wire struct {
	t       testing.TB
	address string
	conn    net.Conn
	in      *bufio.Reader
}

// send sends a request and reads its answer. A server may end the connection
// instead: then there is none.
func (w *wire) send(request string) (res *http.Response, body string, err error) {
	if w.conn == nil {
		if w.conn, err = net.Dial("tcp", w.address); err != nil {
			return nil, "", err
		}
		w.in = bufio.NewReader(w.conn)
	}
	defer func() {
		if err != nil || res.Close {
			w.conn.Close()
			w.conn = nil
		}
	}()
	if err = w.conn.SetDeadline(scratch.Deadline(w.t)); err != nil {
		return nil, "", err
	}
	if _, err = io.WriteString(w.conn, request); err != nil {
		return nil, "", err
	}
	head, _, _ := strings.Cut(request, " ")
	if res, err = http.ReadResponse(w.in, &http.Request{Method: head}); err != nil {
		return nil, "", err
	}
	raw, err := io.ReadAll(res.Body)
	return res, string(raw), err
}

// written is a request as it stands on the wire.
func written(method, path, body string, headers ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\n", method, path)
	for i := 0; i+1 < len(headers); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", headers[i], headers[i+1])
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	return b.String() + "\r\n" + body
}

// wires gives each attacker a wire.
func (a *arena) wires(address string) *sync.Pool {
	return &sync.Pool{New: func() any { return &wire{t: a.t, address: address} }}
}

func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// client is a client with a token, over HTTP.
func (a *arena) client(site, version, token string) byhand.Visitor {
	v := byhand.Visitor{Version: version, Address: site + "/mcp", Header: http.Header{}}
	if token != "" {
		v.Header.Set("Authorization", "Bearer "+token)
	}
	return v.Greet(a.t)
}

// ask sends a request of a client; status 0: there was no answer.
func (a *arena) ask(v byhand.Visitor, method string, params byhand.Object) (status int, answer byhand.Object) {
	ctx, cancel := context.WithDeadline(a.t.Context(), scratch.Deadline(a.t))
	defer cancel()
	res, err := v.Send(ctx, int(a.asked.Add(1)), method, params)
	if err != nil {
		return 0, byhand.Object{"error": err.Error()}
	}
	defer res.Body.Close()
	return res.StatusCode, byhand.Read(res.Body)
}

// call calls a tool.
func (a *arena) call(v byhand.Visitor, tool string, args byhand.Object) (status int, answer byhand.Object) {
	method, params := byhand.Calling(tool, args)
	return a.ask(v, method, params)
}

// serves makes sure that somebody else is served, and says whether.
func (a *arena) serves(v byhand.Visitor) bool {
	a.t.Helper()
	status, res := a.call(v, "list_runs", byhand.Object{})
	served := status == http.StatusOK && !byhand.IsError(res) && res["error"] == nil
	if !served {
		a.t.Errorf("%s: another client is not served: %d %v", a.name, status, res)
	}
	return served
}

// token makes a token.
func (s *stage) token(args ...string) string {
	s.t.Helper()
	return strings.TrimSpace(s.understudy(append([]string{"token", "add"}, args...)...))
}

// resident is how much memory the server has, in bytes.
func (a *arena) resident() int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", a.pid))
	a.must(err)
	var size, pages int
	_, err = fmt.Sscan(string(raw), &size, &pages)
	a.must(err)
	return pages * os.Getpagesize()
}

// mostMemory is what a server may have under attack.
const mostMemory = 1 << 30

// unharmed holds that the server is of a bearable size, and does nothing when
// nobody asks it to.
func (a *arena) unharmed() {
	a.t.Helper()
	if n := a.resident(); n > mostMemory {
		a.t.Errorf("%s: the server has %d MiB of memory", a.name, n>>20)
	}
	for end := scratch.Deadline(a.t); ; {
		before := a.cpu()
		time.Sleep(500 * time.Millisecond)
		if used := a.cpu() - before; used < 0.25 {
			return
		} else if time.Now().After(end) {
			a.t.Errorf("%s: the server is still busy: %.2f s of 0.5 s", a.name, used)
			return
		}
	}
}

// cpu is how long the server has computed, in seconds.
func (a *arena) cpu() float64 {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", a.pid))
	a.must(err)
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	var user, system float64
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	a.must(err)
	return (user + system) / 100
}

// left lists what stands in a folder.
func (s *stage) left(dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	s.must(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// folder makes a folder of the owner.
func (s *stage) folder(path ...string) string {
	dir := filepath.Join(path...)
	s.must(os.MkdirAll(dir, 0o755))
	s.give(dir)
	return dir
}
