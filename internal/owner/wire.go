package owner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"understudy/steps"
)

// version is that of the protocol. Processes of different versions refuse each
// other: a run must not be half understood.
const version = 4

// The protocol is HTTP over the unix socket of the folder. A guest posts its
// hello to joinPath; the response stays open as long as it is a member, and
// ends with a farewell when the owner leaves. Each call is a POST to callPath
// and the name of a method; a closed request is a cancelled call.
const (
	joinPath      = "/members"
	rightsPath    = "/rights"
	questionsPath = "/questions"
	callPath      = "/api/"

	memberHeader = "Understudy-Member"
)

// What a message may measure. The owner is asked by many and trusts none of
// them with its memory; those who ask it trust it with theirs, for a report of
// a long run is large.
const (
	requestLimit = 16 << 20
	answerLimit  = 256 << 20
)

// What the owner and its guests wait for at most.
const (
	helloTime = 5 * time.Second
	writeTime = 30 * time.Second
)

// The statuses of answers. One that is moved says that nothing was begun: the
// owner is leaving, or does not know the guest any more.
const (
	statusFailed = http.StatusUnprocessableEntity // the body is a failure
	statusMoved  = http.StatusServiceUnavailable
)

var errTooLarge = errors.New("the message is too large")

// tooLarge is the error of a call whose request or answer does not fit.
func tooLarge(name string, size int) error {
	return steps.Errorf(steps.Invalid, "%s: %w: %d bytes", name, errTooLarge, size).WithNext("ask for less at once, or put large values into files")
}

// readRequest decodes the body of a request, which is not trusted.
func readRequest(w http.ResponseWriter, r *http.Request, into any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestLimit))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return malformed(r.URL.Path, err)
	}
	return nil
}

// reply answers a call with a value or an error.
func reply(w http.ResponseWriter, value any, err error) {
	var raw []byte
	if err == nil {
		raw, err = json.Marshal(value)
	}
	if err == nil && len(raw) > answerLimit {
		err = tooLarge("the answer", len(raw))
	}
	if err != nil {
		w.WriteHeader(statusFailed)
		raw, _ = json.Marshal(failureOf(err)) // strings only
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	_, _ = w.Write(raw) // a guest that is gone asks no more
}

// readAnswer takes an answer apart.
func readAnswer(r *http.Response) (json.RawMessage, error) {
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
	var f failure
	if err := json.Unmarshal(b.Bytes(), &f); err != nil || f.Text == "" {
		return nil, malformed("of the owner", fmt.Errorf("status %s", r.Status))
	}
	return nil, f.error()
}
