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

// version is the version of the protocol. Processes with different versions refuse
// each other, because a run must not be understood only in part.
const version = 4

// The protocol is HTTP over a Unix socket in the folder. A guest posts its hello to
// joinPath; the response stays open during the membership, and ends with a farewell
// when the owner leaves. Each call is a POST to callPath followed by the name of a
// method; closing the request cancels the call.
const (
	joinPath      = "/members"
	rightsPath    = "/rights"
	questionsPath = "/questions"
	callPath      = "/api/"

	memberHeader = "Understudy-Member"
)

// Size limits of messages. The owner protects its memory from its many guests; guests
// trust the owner, because the report of a long run is large.
const (
	requestLimit = 16 << 20
	answerLimit  = 256 << 20
)

// Time limits for the owner and its guests.
const (
	helloTime = 5 * time.Second // for each started MiB of a hello
	writeTime = 30 * time.Second
)

// HTTP statuses of answers. statusMoved means that nothing was begun: the owner is
// leaving, or does not know the guest.
const (
	statusFailed = http.StatusUnprocessableEntity // with a failure as the body
	statusMoved  = http.StatusServiceUnavailable
)

var errTooLarge = errors.New("the message is too large")

func tooLarge(name string, size int) error {
	return steps.Errorf(steps.Invalid, "%s: %w: %d bytes", name, errTooLarge, size).WithNext("ask for less at once, or put large values into files")
}

// limitOf returns the size limit of a request. The hello has what the last owner handed over,
// without which its member could never join again.
func limitOf(path string) int {
	if path == joinPath {
		return answerLimit
	}
	return requestLimit
}

// readRequest decodes the body of a request, which is not trusted.
func readRequest(w http.ResponseWriter, r *http.Request, into any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limitOf(r.URL.Path))))
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		return malformed(r.URL.Path, err)
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
	if err != nil {
		w.WriteHeader(statusFailed)
		raw, _ = json.Marshal(failureOf(err)) // cannot fail: strings only
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	_, _ = w.Write(raw) // a guest that has gone needs no answer
}

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
