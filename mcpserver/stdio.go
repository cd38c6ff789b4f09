package mcpserver

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/steps"
)

// ServeStdio serves one client over a pair of streams until the client closes its side,
// or the context ends. Either way the runs of the client are stopped so that they can
// be resumed, and their replies are written first. Runs that outlive the client
// continue to their end, or until the context ends.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	t := newLines(in, out, &s.unsent)
	session, err := s.mcp.Connect(context.WithoutCancel(ctx), t, nil)
	if err != nil {
		return err
	}
	cause := errStopping
	select {
	case <-t.gone:
		if cause = errInputEnd; errors.Is(t.end, io.ErrUnexpectedEOF) {
			cause = errPeerGone
		}
	case <-ctx.Done():
	}
	first, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err = s.drain(first, cause)
	close(t.over)
	steps.WaitFor(ctx, &s.inflight.orphaned)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	err = errors.Join(err, s.Close(last))
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case why := <-ended:
		if ctx.Err() == nil && !errors.Is(why, io.EOF) && !errors.Is(why, io.ErrUnexpectedEOF) && !errors.Is(why, mcp.ErrConnectionClosed) {
			err = errors.Join(err, why)
		}
	case <-last.Done(): // the client never read what was written
	}
	return err
}

// writeTimeout bounds the wait for the last replies to be written: a client that does
// not read them is not waited for.
const writeTimeout = time.Second

// drain refuses new calls, stops the others, and waits until their replies are written.
func (s *Server) drain(ctx context.Context, cause error) error {
	err := s.inflight.close(ctx, cause)
	timed, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	_ = s.unsent.wait(timed)
	return err
}

// Close ends the server: calls are refused, those that run are stopped with the
// cause shutdown and answered, then the sessions are closed.
func (s *Server) Close(ctx context.Context) error {
	err := s.drain(ctx, errStopping)
	s.recorder.close()
	s.changes.close()
	closed := make(chan struct{})
	go func() { // closing may block while a client does not read
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
	return errors.Join(err, s.asker.Close())
}
