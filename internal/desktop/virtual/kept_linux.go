package virtual

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"understudy/internal/desktop"
)

// The files in the folder of a lasting desktop, besides those of each display.
const (
	keptName    = "desktop.json"
	controlName = "control"
	logName     = "log"
)

// closingsName is the file, next to the folders, with the ends of lasting desktops, and
// mostClosings how many it holds.
const (
	closingsName = "closed.jsonl"
	mostClosings = 500
)

func readKept(dir string) (Kept, error) {
	var k Kept
	raw, err := os.ReadFile(filepath.Join(dir, keptName))
	if err != nil {
		return k, err
	}
	return k, json.Unmarshal(raw, &k)
}

func writeKept(k Kept) error {
	raw, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(k.Dir, keptName), raw)
}

// replaceFile writes a file that others may read meanwhile. Unlike fileio.Write it does not
// create a folder that was removed.
func replaceFile(path string, content []byte) error {
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// noteClosing records the end of a lasting desktop.
func noteClosing(k Kept, why string) {
	free, err := alone(filepath.Dir(k.Dir))
	if err != nil {
		return // the folder for all desktops was removed
	}
	defer free()
	addClosing(k, why)
}

// addClosing is noteClosing for callers that have the right of alone.
func addClosing(k Kept, why string) {
	path := filepath.Join(filepath.Dir(k.Dir), closingsName)
	raw, err := json.Marshal(Closing{k.Name, k.Birth, k.Run, time.Now().UTC(), why})
	if err != nil {
		return
	}
	old, _ := os.ReadFile(path)
	lines := slices.Collect(strings.Lines(string(old)))
	if len(lines) >= mostClosings {
		lines = lines[len(lines)-mostClosings+1:]
	}
	_ = replaceFile(path, []byte(strings.Join(append(lines, string(raw)+"\n"), "")))
}

// FindClosing returns what is known about the end of a lasting desktop with a birth.
func FindClosing(dir, birth string) (c Closing, found bool) {
	h, err := existingHome(dir)
	if err != nil {
		return Closing{}, false
	}
	poll(endTimeout, func() bool {
		if c, found = closingOf(h, birth); found || !remains(h, birth) {
			return true
		}
		Clean(h) // it may be dying now
		return false
	})
	return c, found
}

func closingOf(home, birth string) (Closing, bool) {
	raw, _ := os.ReadFile(filepath.Join(home, closingsName))
	for line := range strings.Lines(string(raw)) {
		var c Closing
		if json.Unmarshal([]byte(line), &c) == nil && c.Birth == birth {
			return c, true
		}
	}
	return Closing{}, false
}

// keptFolders returns the folders of lasting desktops.
func keptFolders(home string) []string {
	found, _ := filepath.Glob(filepath.Join(home, keptPrefix+"*"))
	return found
}

// remains reports whether the folder of a lasting desktop still exists.
func remains(home, birth string) bool {
	return slices.ContainsFunc(keptFolders(home), func(dir string) bool {
		k, err := readKept(dir)
		return err == nil && k.Birth == birth
	})
}

// Find returns the lasting desktop with a name, as its keeper describes it now. It fails with
// desktop.ErrGone if there is none.
func Find(dir, name string) (Kept, error) {
	h, err := existingHome(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Kept{}, fmt.Errorf("desktop %s: %w", name, desktop.ErrGone)
	}
	if err != nil {
		return Kept{}, err
	}
	return find(h, name)
}

func find(home, name string) (Kept, error) {
	k, err := readKept(filepath.Join(home, keptPrefix+name))
	if errors.Is(err, fs.ErrNotExist) {
		return k, fmt.Errorf("desktop %s: %w", name, desktop.ErrGone)
	}
	if err != nil {
		return k, fmt.Errorf("desktop %s: %w", name, err)
	}
	a, err := ask(k, question{Do: doDescribe})
	if err != nil {
		return k, noAnswer(name, err)
	}
	return a.Kept, nil
}

// noAnswer is the error for a keeper that does not answer: it is dead or dying, unless it is of a
// newer release, or only slow or suspended.
func noAnswer(name string, err error) error {
	switch {
	case isNewer(err):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("desktop %s: its keeper has not answered within %s: %w", name, answerTime, desktop.ErrUnresponsive)
	}
	return fmt.Errorf("desktop %s: %w (its keeper does not answer: %w)", name, desktop.ErrGone, err)
}

// List returns the lasting desktops, the oldest first.
func List(dir string) []Kept {
	h, err := existingHome(dir)
	if err != nil {
		return nil
	}
	Clean(h)
	var all []Kept
	for _, f := range keptFolders(h) {
		if k, err := find(h, strings.TrimPrefix(filepath.Base(f), keptPrefix)); err == nil || isNewer(err) {
			k.measure()
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return a.Started.Compare(b.Started) })
	return all
}

// End ends a lasting desktop with everything on it, and returns when nothing of it is left. It
// records why.
func End(k Kept, why string) error {
	conn, err := dialControl(k)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(question{Do: doEnd, Birth: k.Birth, Why: why}); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(endPatience))
	_, _ = conn.Read(make([]byte, 1)) // until it is closed: the process has ended
	if !poll(endPatience, k.hasEnded) {
		return fmt.Errorf("the desktop in %s has not ended within %s", k.Dir, endPatience)
	}
	return nil
}

// hasEnded reports whether nothing is left of a lasting desktop, or another one has its name.
func (k Kept) hasEnded() bool {
	if _, err := os.Stat(k.Dir); err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	now, err := readKept(k.Dir)
	return err == nil && now.Birth != k.Birth
}

// SetLinger sets how long a lasting desktop stays from now on when nobody is attached to it.
func SetLinger(k Kept, linger time.Duration) error {
	_, err := ask(k, question{Do: doLinger, Birth: k.Birth, Linger: linger})
	return err
}

// Assign sets for whom a lasting desktop is from now on.
func Assign(k Kept, a Assignment) error {
	_, err := ask(k, question{Do: doAssign, Birth: k.Birth, For: a})
	return err
}

// endPatience is how long a desktop has to end, with all its programs.
const endPatience = 30 * time.Second

// Attachment is the use of a lasting desktop, which stays at least as long.
type Attachment struct {
	Kept
	conn net.Conn
	done chan struct{}
}

// Attach begins to use a lasting desktop.
func Attach(k Kept) (*Attachment, error) {
	conn, err := dialControl(k)
	if err != nil {
		return nil, noAnswer(k.Name, err)
	}
	r := bufio.NewReader(conn)
	got, err := exchange(conn, r, question{Do: doAttach, Birth: k.Birth})
	if err != nil {
		conn.Close()
		return nil, noAnswer(k.Name, err)
	}
	a := &Attachment{Kept: got.Kept, conn: conn, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		_, _ = r.ReadByte() // nothing more is said until the end
	}()
	return a, nil
}

// Close ends the use of the desktop, which stays.
func (a *Attachment) Close() error {
	err := a.conn.Close()
	<-a.done
	return err
}

// Start starts a program on the desktop. It outlives this process, and has the file as its
// standard error, unless that is nil. The channel receives how it ended.
func (a *Attachment) Start(p Program, stderr *os.File) (pid int, ended <-chan error, err error) {
	if len(p.Args) > 0 { // the keeper has another folder, and perhaps another PATH
		path, err := exec.LookPath(p.Args[0])
		if err == nil {
			path, err = filepath.Abs(path)
		}
		if err != nil {
			return 0, nil, err
		}
		p.Args = append([]string{path}, p.Args[1:]...)
	}
	conn, err := dialControl(a.Kept)
	if err != nil {
		return 0, nil, err
	}
	if stderr != nil {
		_, _, err = conn.WriteMsgUnix(fileFollows, syscall.UnixRights(int(stderr.Fd())), nil)
	}
	var got reply
	r := bufio.NewReader(conn)
	if err == nil {
		got, err = exchange(conn, r, question{Do: doStart, Birth: a.Birth, Program: p})
	}
	if err != nil {
		conn.Close()
		return 0, nil, err
	}
	end := make(chan error, 1)
	go func() {
		defer conn.Close()
		_, err := readReply(r)
		end <- err
	}()
	return got.PID, end, nil
}
