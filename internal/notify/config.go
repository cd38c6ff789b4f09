// Package notify tells people what needs them: a webhook, a mail, a command, a desktop
// notification. Runs with the same cause are one message, which is repeated rarely.
//
// Only who owns the data folder names receivers; a workflow names them. What it tells is
// what the events hold, in which secrets are masked. Messages wait in memory: those that a
// process could not deliver before its end are in its log.
package notify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/internal/operations"
	"understudy/steps"
)

// FileName is the name of the configuration in a data folder.
const FileName = "notify.json"

// Config says who is told of what.
type Config struct {
	// Address of the pages, for links, such as https://robot.example:8765.
	Address string `json:"address,omitempty"`
	// Wait is how long a message waits for more runs with the same cause.
	Wait operations.Period `json:"wait,omitzero"`
	// Again is how long a cause that was told is not told again.
	Again operations.Period `json:"again,omitzero"`
	// PerHour bounds the messages to each receiver.
	PerHour   int                  `json:"per_hour,omitempty"`
	Receivers map[string]*Receiver `json:"receivers"`

	mark string // a file with the time of the last search for interrupted runs
}

// A Receiver is told in one of several ways.
type Receiver struct {
	Webhook string   `json:"webhook,omitempty"` // an address
	Secret  string   `json:"secret,omitempty"`  // signs the messages of Webhook
	Local   bool     `json:"local,omitempty"`   // Webhook may be on this machine
	Mail    *Mail    `json:"mail,omitempty"`
	Command []string `json:"command,omitempty"` // gets the message as JSON
	Desktop bool     `json:"desktop,omitempty"` // shows it on the desktop of the user

	Picture bool `json:"picture,omitempty"` // send the last picture of the run too

	On []Occasion `json:"on,omitempty"` // empty: all
	// Runs of these workflows and schedules; both empty: all. Named: only runs whose
	// workflow names the receiver.
	Workflows []string `json:"workflows,omitempty"`
	Schedules []string `json:"schedules,omitempty"`
	Named     bool     `json:"named,omitempty"`
}

// Mail is how to send mails.
type Mail struct {
	Server       string   `json:"server"` // HOST:PORT
	From         string   `json:"from"`
	To           []string `json:"to"`
	User         string   `json:"user,omitempty"`
	PasswordFile string   `json:"password_file,omitempty"`
	Plain        bool     `json:"plain,omitempty"` // do without TLS
}

// Occasion is when somebody is told of a run.
type Occasion string

// The occasions.
const (
	Failed    Occasion = "failed"
	Waiting   Occasion = "waiting"
	Paused    Occasion = "paused"
	Recovered Occasion = "recovered"   // succeeded, after the last run of the workflow had failed
	CutShort  Occasion = "interrupted" // its process ended
	Missed    Occasion = "missed"      // a schedule began no run
	Test      Occasion = "test"
)

var occasions = []Occasion{Failed, Waiting, Paused, Recovered, CutShort, Missed}

// Load reads the configuration of a data folder. Without a file, nobody is told anything.
func Load(home string) (Config, error) {
	path := filepath.Join(home, FileName)
	c := Config{Wait: operations.Period(30 * time.Second), Again: operations.Period(12 * time.Hour), PerHour: 30, mark: filepath.Join(home, "notified")}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err = d.Decode(&c); err == nil {
			err = c.check()
		}
	}
	if err != nil {
		return Config{}, steps.Errorf(steps.Invalid, "%s: %w", path, err)
	}
	return c, nil
}

func (c Config) check() error {
	for _, name := range slices.Sorted(maps.Keys(c.Receivers)) {
		r := c.Receivers[name]
		if r == nil {
			return fmt.Errorf("the receiver %s is empty", name)
		}
		if err := r.check(); err != nil {
			return fmt.Errorf("the receiver %s: %w", name, err)
		}
	}
	return nil
}

func (r *Receiver) check() error {
	ways := 0
	for _, has := range []bool{r.Webhook != "", r.Mail != nil, len(r.Command) > 0, r.Desktop} {
		if has {
			ways++
		}
	}
	if ways != 1 {
		return fmt.Errorf("wanted one of webhook, mail, command and desktop, found %d", ways)
	}
	if r.Desktop && r.Picture {
		return errors.New("a desktop notification shows no picture")
	}
	for _, e := range r.On {
		if !slices.Contains(occasions, e) {
			return fmt.Errorf("on has %q; there are %v", e, occasions)
		}
	}
	if r.Mail != nil && (r.Mail.Server == "" || r.Mail.From == "" || len(r.Mail.To) == 0) {
		return errors.New("mail needs server, from and to")
	}
	if u, err := url.Parse(r.Webhook); r.Webhook != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return errors.New("webhook is not an address such as https://example.com/hook")
	}
	if r.Webhook != "" && !strings.HasPrefix(r.Secret, "whsec_") {
		return errors.New("webhook needs a secret: whsec_ and the base64 of 24 bytes or more")
	}
	return nil
}

// wants reports whether a receiver is told of something.
func (r *Receiver) wants(name string, m Message) bool {
	if len(r.On) > 0 && !slices.Contains(r.On, m.Occasion) {
		return false
	}
	if slices.Contains(m.names, name) {
		return true
	}
	all := len(r.Workflows)+len(r.Schedules) == 0
	return !r.Named && (all || slices.Contains(r.Workflows, m.Workflow) || m.Schedule != "" && slices.Contains(r.Schedules, m.Schedule))
}
