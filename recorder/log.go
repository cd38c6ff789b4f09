package recorder

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Log is the file of a recording: one event a line, which is synced when Write returns.
type Log struct {
	mu   sync.Mutex
	path string
	f    *os.File
}

// Ending is how the name of the file of a log ends.
const Ending = ".events.jsonl"

// began is the layout of the name of a log that nobody named.
const began = "20060102T150405.000"

// NameAt returns the name, without its ending, of a log that begins at a time.
func NameAt(t time.Time) string { return t.UTC().Format(began) }

// BeganAt returns when a log with such a name began.
func BeganAt(name string) (time.Time, error) { return time.Parse(began, name) }

// CreateLog creates a log that only its owner may read.
func CreateLog(path string) (*Log, error) {
	f, err := create(path)
	if err != nil {
		return nil, err
	}
	return &Log{path: path, f: f}, nil
}

func create(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the events of the recording: %w", err)
	}
	return f, nil
}

// Write appends events and syncs them.
func (l *Log) Write(events ...Event) error {
	if len(events) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return write(l.f, events)
}

// Replace rewrites the log. A crash leaves the old events or the new ones.
func (l *Log) Replace(events []Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	next, err := create(l.path + ".new")
	if err != nil {
		return err
	}
	if err = write(next, events); err == nil {
		err = os.Rename(next.Name(), l.path)
	}
	if err != nil {
		return errors.Join(err, next.Close(), os.Remove(next.Name()))
	}
	old := l.f
	l.f = next
	return old.Close()
}

// Text returns the content of a log of events.
func Text(events []Event) (text []byte, err error) {
	for _, ev := range events {
		line, err := json.Marshal(ev)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", ev.Type, err)
		}
		text = append(append(text, line...), '\n')
	}
	return text, nil
}

func write(f *os.File, events []Event) error {
	text, err := Text(events)
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("the events of the recording: %w", err)
	}
	return nil
}

// Close closes the log.
func (l *Log) Close() error { return l.f.Close() }

// maxLine bounds an event that is read.
const maxLine = 16 << 20

// ReadEvents reads a log. A last line that a crash cut short is left out.
func ReadEvents(r io.Reader) ([]Event, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var events []Event
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return events, nil // an event is whole with the end of its line
		}
		if err != nil {
			return nil, fmt.Errorf("reading the events: %w", err)
		}
		if len(line) > maxLine {
			return nil, fmt.Errorf("line %d: an event has at most %d bytes, this one has %d", n, maxLine, len(line))
		}
		var ev Event
		if err := json.Unmarshal(line, &ev); err != nil {
			return nil, fmt.Errorf("line %d is not an event of a recording: %w", n, err)
		}
		events = append(events, ev)
	}
}
