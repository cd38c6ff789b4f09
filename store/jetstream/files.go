package jetstream

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"understudy/engine"
	"understudy/store/format"
)

// files keeps the content of files. A file is a message on the subject of its hash.
// One that is too large for a message is several, and the message on the subject
// itself, stored last, has the number of the others.
type files struct {
	*servers
	fileAge time.Duration // how long after it was last put a file may exist before an event names it
}

const (
	partSize    = 512 << 10
	partsHeader = "Us-Parts"
)

func (s files) fileSubject(sort engine.FileSort, hash string) string {
	return s.prefix + ".f." + string(sort) + "." + hash
}

func partSubject(file string, n int) string { return file + "." + strconv.Itoa(n) }

// againSubject returns the subject of the messages that tell that a file was put again.
func againSubject(file string) string { return file + ".again" }

// Put stores content under its hash, unless it is stored already.
func (s files) Put(ctx context.Context, sort engine.FileSort, content []byte) (string, error) {
	hash := format.HashOf(content)
	file := s.fileSubject(sort, hash)
	last := nats.NewMsg(file)
	var messages []*nats.Msg
	if len(content) <= partSize {
		last.Data = content
	} else {
		for part := range slices.Chunk(content, partSize) {
			messages = append(messages, &nats.Msg{Subject: partSubject(file, len(messages)), Header: nats.Header{}, Data: part})
		}
		last.Header.Set(partsHeader, strconv.Itoa(len(messages)))
	}
	known := false
	for _, m := range append(messages, last) {
		m.Header.Set(fenceHeader, "0")
		was, err := s.putPart(ctx, m)
		if err != nil {
			return "", fmt.Errorf("storing %s: %w", sort, err)
		}
		known = known || was
	}
	if known {
		if err := s.putAgain(ctx, againSubject(file)); err != nil {
			return "", fmt.Errorf("storing %s again: %w", sort, err)
		}
	}
	return hash, nil
}

// putPart stores a message. It reports known if the message has a fence and there is one on
// its subject, which is equal.
func (s files) putPart(ctx context.Context, m *nats.Msg) (known bool, err error) {
	err = s.persist(ctx, func(ctx context.Context) error {
		_, err := s.publish(ctx, m)
		return err
	})
	switch {
	case outdated(err):
		return true, nil
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	}
	return false, explain(err)
}

// putAgain tells Prune that an event may be about to name an old file, unless that was
// told lately.
func (s files) putAgain(ctx context.Context, subject string) error {
	age, told, err := s.age(ctx, subject)
	if err == nil && (!told || age >= s.fileAge/2) {
		_, err = s.putPart(ctx, nats.NewMsg(subject))
	}
	return err
}

// young reports whether an event may still be about to name a file: it was put lately, or
// does not exist any more.
func (s files) young(ctx context.Context, file string) (bool, error) {
	age, there, err := s.age(ctx, file)
	if err == nil && !there { // its upload may have been cut short
		age, there, err = s.age(ctx, partSubject(file, 0))
	}
	if err != nil || !there || age < s.fileAge {
		return true, err
	}
	age, told, err := s.age(ctx, againSubject(file))
	return told && age < s.fileAge, err
}

// age returns how long ago the last message of a subject was stored, by the clock of the
// servers, if there is one.
func (s files) age(ctx context.Context, subject string) (age time.Duration, there bool, err error) {
	last, err := s.newest(ctx, filesStream, subject)
	if err != nil || last == nil {
		return 0, false, err
	}
	err = s.persist(ctx, func(ctx context.Context) error {
		stream, err := s.js.Stream(ctx, s.stream(filesStream))
		if err == nil {
			age = stream.CachedInfo().TimeStamp.Sub(last.at)
		}
		return err
	})
	return age, true, err
}

// Get reads content by its hash, and verifies the hash.
func (s files) Get(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	content, err := s.get(ctx, sort, hash)
	if err == nil && format.HashOf(content) != hash {
		err = fmt.Errorf("its content does not match its hash: %w", errDamaged)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", sort, hash, err)
	}
	return content, nil
}

func (s files) get(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if !format.IsHash(hash) {
		return nil, engine.ErrNoFile
	}
	file := s.fileSubject(sort, hash)
	m, err := s.part(ctx, file)
	if err != nil {
		return nil, err
	}
	parts, err := strconv.Atoi(m.header.Get(partsHeader))
	if err != nil { // it is whole
		return m.data, nil
	}
	var content []byte
	for n := range parts {
		if m, err = s.part(ctx, partSubject(file, n)); err != nil {
			return nil, err
		}
		content = append(content, m.data...)
	}
	return content, nil
}

// part reads a message from any replica, and from the leader if that one has none.
func (s files) part(ctx context.Context, subject string) (m *message, err error) {
	ask := fmt.Appendf(nil, `{"last_by_subj":%q}`, subject)
	err = s.persist(ctx, func(ctx context.Context) error {
		r, err := s.nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+s.stream(filesStream), ask)
		if err != nil {
			return err
		}
		if r.Header.Get("Status") == "" {
			m = &message{header: r.Header, data: r.Data}
			return nil
		}
		m, err = s.leader(ctx, filesStream, subject)
		return err
	})
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && m == nil {
		err = engine.ErrNoFile
	}
	return m, err
}

// FileNames returns the hashes of all files, as the leader has them.
func (s files) FileNames(ctx context.Context) (map[engine.FileSort][]string, error) {
	return s.fileNames(ctx, "")
}

// fileNames returns the hashes of the files that have a message whose subject ends with a
// suffix.
func (s files) fileNames(ctx context.Context, suffix string) (map[engine.FileSort][]string, error) {
	subjects, err := s.subjects(ctx, filesStream, s.prefix+".f.*.*"+suffix)
	if err != nil {
		return nil, fmt.Errorf("listing files: %w", err)
	}
	all := map[engine.FileSort][]string{}
	for _, subject := range subjects {
		words := strings.Split(strings.TrimSuffix(subject, suffix), ".")
		sort := engine.FileSort(words[len(words)-2])
		all[sort] = append(all[sort], words[len(words)-1])
	}
	return all, nil
}
