//go:build linux

package x11

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// heldInputs notes which keys and buttons we hold down, and which spare keys we have bound.
// The notes are in a file that is mapped into memory: writing to it costs nothing, and the
// notes survive whatever ends this process, so that the next one can release everything.
//
// The file is locked while its owner lives; the kernel unlocks it.
type heldInputs struct {
	mu    sync.Mutex
	notes []byte
	file  *os.File
}

// The offsets of the notes: a bit for each key, for each bound key and for each button, and
// whether we have stopped keys from repeating.
const (
	noteKeys    = 0
	noteBound   = 32
	noteButtons = 64
	noteRepeat  = 65
	noteSize    = 66
)

// openHeld makes the notes of a driver; without a folder they are in memory only.
func openHeld(dir, display string) (*heldInputs, error) {
	if dir == "" {
		return &heldInputs{notes: make([]byte, noteSize)}, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, heldPrefix(display))
	if err != nil {
		return nil, err
	}
	h := &heldInputs{file: file}
	if err := h.open(); err != nil {
		file.Close()
		os.Remove(file.Name())
		return nil, fmt.Errorf("notes of held keys in %s: %w", file.Name(), err)
	}
	return h, nil
}

func (h *heldInputs) open() error {
	if err := syscall.Flock(int(h.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	if err := h.file.Truncate(noteSize); err != nil {
		return err
	}
	var err error
	h.notes, err = syscall.Mmap(int(h.file.Fd()), 0, noteSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	return err
}

// heldPrefix returns the beginning of the names of the files for a display.
func heldPrefix(display string) string {
	return "held" + strings.NewReplacer("/", "_", ":", "-").Replace(display) + "-"
}

func (h *heldInputs) key(n byte, on bool)    { h.set(noteKeys, n, on) }
func (h *heldInputs) bound(n byte, on bool)  { h.set(noteBound, n, on) }
func (h *heldInputs) button(n byte, on bool) { h.set(noteButtons, n&7, on) }
func (h *heldInputs) repeat(stopped bool)    { h.set(noteRepeat, 0, stopped) }

func (h *heldInputs) set(at int, n byte, on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.notes == nil {
		return
	}
	if bit := byte(1) << (n % 8); on {
		h.notes[at+int(n/8)] |= bit
	} else {
		h.notes[at+int(n/8)] &^= bit
	}
}

// heldInput is what a process holds, or held when it died.
type heldInput struct {
	keys, bound, buttons []byte
	still                bool // keys do not repeat
}

// empty reports whether nothing is held. Bound keys do not count.
func (g heldInput) empty() bool { return len(g.keys) == 0 && len(g.buttons) == 0 && !g.still }

func (h *heldInputs) input() heldInput {
	h.mu.Lock()
	defer h.mu.Unlock()
	return readHeld(h.notes)
}

func readHeld(notes []byte) (g heldInput) {
	if len(notes) < noteSize {
		return g
	}
	list := func(at, bytes int) (ns []byte) {
		for n := range bytes * 8 {
			if notes[at+n/8]&(1<<(n%8)) != 0 {
				ns = append(ns, byte(n))
			}
		}
		return ns
	}
	return heldInput{list(noteKeys, 32), list(noteBound, 32), list(noteButtons, 1), notes[noteRepeat] != 0}
}

// close removes the notes. Everything has been released by then.
func (h *heldInputs) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file == nil || h.notes == nil {
		return
	}
	_ = syscall.Munmap(h.notes)
	h.notes = nil
	os.Remove(h.file.Name())
	h.file.Close()
}

// leftovers calls f with the notes of each dead process about a display. They are removed if
// f succeeds.
func leftovers(dir, display string, f func(heldInput) error) error {
	if dir == "" {
		return nil
	}
	names, _ := filepath.Glob(filepath.Join(dir, heldPrefix(display)+"*"))
	for _, name := range names {
		if err := leftover(name, f); err != nil {
			return err
		}
	}
	return nil
}

func leftover(name string, f func(heldInput) error) error {
	file, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() == 0 {
		return nil // its owner is about to lock it
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil // its owner lives
	}
	notes, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	if err := f(readHeld(notes)); err != nil {
		return err
	}
	return os.Remove(name)
}
