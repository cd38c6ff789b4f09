package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
	"understudy/store/keeping"
)

// A file is a message on the subject of its hash. One that is too large for a
// message is several, and the message on the subject itself, stored last, says
// how many.
const (
	partSize    = 512 << 10
	partsHeader = "Us-Parts"
)

func (s *Store) fileSubject(sort engine.FileSort, hash string) string {
	return s.o.Prefix + ".f." + string(sort) + "." + hash
}

func partSubject(file string, n int) string { return file + "." + strconv.Itoa(n) }

// Put stores content under its hash; what is there already is not stored again.
func (s *Store) Put(ctx context.Context, sort engine.FileSort, content []byte) (string, error) {
	hash := keeping.HashOf(content)
	file := s.fileSubject(sort, hash)
	last := nats.NewMsg(file)
	if len(content) <= partSize {
		last.Data = content
	} else {
		parts := (len(content) + partSize - 1) / partSize
		last.Header.Set(partsHeader, strconv.Itoa(parts))
		for n := range parts {
			m := nats.NewMsg(partSubject(file, n))
			m.Data = content[n*partSize : min((n+1)*partSize, len(content))]
			if err := s.putPart(ctx, m); err != nil {
				return "", fmt.Errorf("storing %s: %w", sort, err)
			}
		}
	}
	if err := s.putPart(ctx, last); err != nil {
		return "", fmt.Errorf("storing %s: %w", sort, err)
	}
	return hash, nil
}

// putPart stores a message unless there is one on its subject, which is the same.
func (s *Store) putPart(ctx context.Context, m *nats.Msg) error {
	m.Header.Set(fenceHeader, "0")
	err := s.persist(ctx, func(ctx context.Context) error {
		_, err := s.publish(ctx, []*nats.Msg{m})
		return err
	})
	api, refused := errors.AsType[*jetstream.APIError](err)
	switch {
	case refused && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return nil
	case refused:
		return explain(api)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return err
}

// Get reads content by its hash, and makes sure that it is that content.
func (s *Store) Get(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	content, err := s.get(ctx, sort, hash)
	if err == nil && keeping.HashOf(content) != hash {
		err = fmt.Errorf("its content is not what its name says: %w", errDamaged)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s %s: %w", sort, hash, err)
	}
	return content, nil
}

func (s *Store) get(ctx context.Context, sort engine.FileSort, hash string) ([]byte, error) {
	if !keeping.IsHash(hash) {
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
	var content bytes.Buffer
	for n := range parts {
		if m, err = s.part(ctx, partSubject(file, n)); err != nil {
			return nil, err
		}
		content.Write(m.data)
	}
	return content.Bytes(), nil
}

// part reads a message from any replica, and from the leader when that has none.
func (s *Store) part(ctx context.Context, subject string) (m *message, err error) {
	ask := fmt.Sprintf(`{"last_by_subj":%q}`, subject)
	err = s.persist(ctx, func(ctx context.Context) error {
		r, err := s.nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+s.files(), []byte(ask))
		if err != nil {
			return err
		}
		if r.Header.Get("Status") == "" {
			m = &message{header: r.Header, data: r.Data}
			return nil
		}
		m, err = s.leader(ctx, s.files(), subject)
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
