package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio answers one client over a pair of streams until the client closes
// its side, or the context ends. Either way the runs of the client are stopped so
// that they can be resumed, and their answers are let out first.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	streams := &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}}
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), &counted{streams, &s.owed}, nil)
	if err != nil {
		return err
	}
	gone := make(chan error, 1)
	var waiting sync.WaitGroup
	waiting.Go(func() { gone <- session.Wait() })
	select {
	case err = <-gone:
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	closing := s.Close(last)
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		err = nil
	}
	return errors.Join(err, closing)
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// Close ends the server: calls are refused, those that run are stopped with the
// cause shutdown and answered, then the sessions are closed.
func (s *Server) Close(ctx context.Context) error {
	err := s.work.close(ctx)
	s.owed.wait(ctx)
	s.news.close()
	closed := make(chan struct{})
	go func() { // a session that never reads keeps its writer
		defer close(closed)
		for session := range s.mcp.Sessions() {
			_ = session.Close()
		}
	}()
	select {
	case <-closed:
	case <-ctx.Done():
		err = errors.Join(err, context.Cause(ctx))
	}
	return errors.Join(err, s.secrets.close())
}
