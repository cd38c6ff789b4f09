package fleet

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A stream is a connection between a viewer and a desktop of a worker, as messages
// through the servers. Messages are numbered, and encrypted with keys made for this
// stream, so that neither a server nor those who listen on it can read, repeat or
// drop one unnoticed.
type stream struct {
	store    Store
	id       string
	here     string // side of this end
	there    string // side of the other end
	private  *ecdh.PrivateKey
	life     context.Context
	end      context.CancelCauseFunc
	known    chan struct{} // closed when the key of the other end is known
	out, in  cipher.AEAD   // set before known is closed
	received *io.PipeReader
	heard    atomic.Int64 // time of the last message, in Unix nanoseconds

	mu   sync.Mutex
	sent uint64 // guarded by mu
}

// The sides of a stream.
const (
	viewerSide  = "viewer"
	desktopSide = "desktop"
)

// The types of messages, in their first byte.
const (
	streamData byte = iota
	streamBeat
	streamEnd
)

const (
	// longestChunk is below the message limit of all servers.
	longestChunk = 128 << 10
	beatEvery    = 3 * time.Second
	beatWithin   = 15 * time.Second
)

var (
	errStreamEnded  = errors.New("the other end of the stream has closed it")
	errStreamBroken = errors.New("a message of the stream is missing, or was sent by someone else")
	errStreamSilent = errors.New("the other end of the stream is silent")
)

// newStream returns one end of a stream, which receives messages from now on.
func newStream(ctx context.Context, s Store, id, here, there string) (*stream, error) {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	x := &stream{store: s, id: id, here: here, there: there, private: private, known: make(chan struct{})}
	x.life, x.end = context.WithCancelCause(ctx)
	var to *io.PipeWriter
	x.received, to = io.Pipe()
	context.AfterFunc(x.life, func() {
		_ = to.CloseWithError(errors.Join(io.EOF, context.Cause(x.life)))
	})
	var got uint64
	err = s.Hear(x.life, func(sealed []byte) {
		select {
		case <-x.known:
		case <-x.life.Done():
			return
		}
		message, err := x.in.Open(nil, nonce(got), sealed, nil)
		if err != nil || len(message) == 0 {
			x.end(errStreamBroken)
			return
		}
		got++
		x.heard.Store(time.Now().UnixNano())
		switch message[0] {
		case streamData:
			_, _ = to.Write(message[1:]) // its reader may have gone
		case streamEnd:
			x.end(errStreamEnded)
		}
	}, streamName, id, here)
	if err != nil {
		x.end(err)
		return nil, err
	}
	return x, nil
}

func nonce(n uint64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 4, 12), n) }

// open opens the stream with the key of its other end.
func (x *stream) open(key []byte) error {
	theirs, err := ecdh.X25519().NewPublicKey(key)
	if err != nil {
		return err
	}
	shared, err := x.private.ECDH(theirs)
	if err != nil {
		return err
	}
	for side, c := range map[string]*cipher.AEAD{x.there: &x.out, x.here: &x.in} {
		key, err := hkdf.Key(sha256.New, shared, nil, "stream "+x.id+" to the "+side, 32)
		if err != nil {
			return err
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return err
		}
		if *c, err = cipher.NewGCM(block); err != nil {
			return err
		}
	}
	x.heard.Store(time.Now().UnixNano())
	close(x.known)
	go x.beat()
	return nil
}

// beat sends heartbeats, and ends the stream if none arrive.
func (x *stream) beat() {
	t := time.NewTicker(beatEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-x.life.Done():
			return
		}
		if time.Since(time.Unix(0, x.heard.Load())) > beatWithin {
			x.end(errStreamSilent)
			return
		}
		if err := x.tell(streamBeat, nil); err != nil {
			x.end(err)
		}
	}
}

func (x *stream) tell(sort byte, content []byte) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.life.Err() != nil {
		return context.Cause(x.life)
	}
	sealed := x.out.Seal(nil, nonce(x.sent), append([]byte{sort}, content...), nil)
	x.sent++
	return x.store.Tell(sealed, streamName, x.id, x.there)
}

func (x *stream) Read(p []byte) (int, error) { return x.received.Read(p) }

func (x *stream) Write(p []byte) (n int, err error) {
	for chunk := range slices.Chunk(p, longestChunk) {
		if err := x.tell(streamData, chunk); err != nil {
			return n, err
		}
		n += len(chunk)
	}
	return n, nil
}

func (x *stream) Close() error {
	if x.out != nil {
		_ = x.tell(streamEnd, nil) // the stream may have ended already
	}
	x.end(io.EOF)
	return nil
}
