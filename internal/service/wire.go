package service

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"understudy/engine"
	"understudy/internal/remote"
	"understudy/steps"
)

// protocol is the version of what is said over the socket: HTTP/2, where a client has one
// connection, by whose end the service knows that it has gone. On it, the client first posts
// its Hello. Each call is a POST to callPath followed by the name of a method; closing the
// request cancels the call. A POST to attachPath is a stream in both directions; the client
// ends its own properly, unless it dies.
const protocol = 6

const (
	helloPath  = "/hello"
	attachPath = "/attach"
	statusPath = "/status"
	stopPath   = "/stop"
	callPath   = "/api/"
)

// Size limits of messages. The service protects its memory from its many clients; clients
// trust the service, because the report of a long run is large.
const (
	requestLimit = 16 << 20
	answerLimit  = 256 << 20
)

// helloTime bounds the wait for the first answer.
const helloTime = 5 * time.Second

// HTTP statuses of answers. statusMoved means that nothing was begun: the service is
// leaving, or does not know the client.
const (
	statusFailed = http.StatusUnprocessableEntity // with a remote.Failure as the body
	statusMoved  = http.StatusServiceUnavailable
)

// Errors of clients. errLost means that the connection ended before the answer arrived;
// errMoved that the service left before it began to execute the request.
const (
	ErrNone  engine.Error = "the data folder has no service"
	ErrLeft  engine.Error = "this process has left the data folder"
	errLost  engine.Error = "the service of the data folder is gone"
	errMoved engine.Error = "the service of the data folder is leaving it"
)

func isLost(err error) bool { return errors.Is(err, errLost) || errors.Is(err, errMoved) }

// unsure returns the error for a call that may have been executed.
func unsure(method string) error {
	return steps.Errorf(steps.Interrupted, "%w, and it is unknown whether it did %q", errLost, method).
		WithNext("look at the run, then ask again if it was not done")
}

func tooLarge(name string, size int) error {
	return steps.Errorf(steps.Invalid, "%s: the message is too large: %d bytes", name, size).WithNext("ask for less at once, or put large values into files")
}

// readRequest decodes the body of a request, which is not trusted.
func readRequest(w http.ResponseWriter, r *http.Request, into any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestLimit))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return remote.Malformed(r.URL.Path, err)
	}
	return nil
}

func reply(w http.ResponseWriter, value any, err error) {
	var raw []byte
	if err == nil {
		raw, err = json.Marshal(value)
	}
	if err == nil && len(raw) > answerLimit {
		err = tooLarge("the answer", len(raw))
	}
	switch {
	case errors.Is(err, errMoved):
		w.WriteHeader(statusMoved)
		return
	case err != nil:
		w.WriteHeader(statusFailed)
		raw, _ = json.Marshal(remote.FailureOf(err)) // cannot fail: strings only
	}
	_, _ = w.Write(raw) // a client that has gone needs no answer
}

func readAnswer(r *http.Response) (json.RawMessage, error) {
	defer r.Body.Close()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r.Body, answerLimit+1))
	switch {
	case r.StatusCode == statusMoved:
		return nil, errMoved
	case err != nil:
		return nil, errLost
	case n > answerLimit:
		return nil, tooLarge("the answer", int(n))
	case r.StatusCode == http.StatusOK:
		return b.Bytes(), nil
	}
	var f remote.Failure
	if err := json.Unmarshal(b.Bytes(), &f); err != nil || f.Text == "" {
		return nil, remote.Malformed("of the service", fmt.Errorf("status %s", r.Status))
	}
	return nil, f.Err()
}
