package ask

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// State is what the server must know when a client calls again with an answer. The
// client carries it encrypted and authenticated, and it is accepted only from the same
// client for the same tool.
type State struct {
	Run      string    `json:"run,omitempty"`
	Question string    `json:"question,omitempty"` // the id of the question of the run
	Inputs   bool      `json:"inputs,omitempty"`   // the question was for inputs
	Page     string    `json:"page,omitempty"`     // the token of the page on which a secret is entered
	Client   string    `json:"client"`
	Tool     string    `json:"tool"`
	Until    time.Time `json:"until"`
}

// stateLifetime is how long a question can be answered this way. The run waits longer:
// after that, answer_run answers it.
const stateLifetime = time.Hour

// newSeal returns a cipher whose key exists only in this process.
func newSeal() cipher.AEAD {
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // impossible: the key has a valid size
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return seal
}

func (a *Asker) sealState(c Call, p State) (string, error) {
	p.Client, p.Tool, p.Until = c.Client, c.Tool, time.Now().Add(stateLifetime)
	raw, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(a.seal.Seal(nil, nil, raw, nil)), nil
}

// ParseState reads the state that a client brought back; it is empty for a first
// call.
func (a *Asker) ParseState(c Call) (State, error) {
	sealed := c.Params.RequestState
	if sealed == "" {
		return State{}, nil
	}
	refused := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState is not one of this server for this client and tool, or it is too old; " +
		"call again without it; list_runs {\"status\": \"waiting\"} names the runs that wait for an answer"}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return State{}, refused
	}
	plain, err := a.seal.Open(nil, nil, raw, nil)
	if err != nil {
		return State{}, refused
	}
	var p State
	if err := json.Unmarshal(plain, &p); err != nil || p.Client != c.Client || p.Tool != c.Tool || time.Now().After(p.Until) {
		return State{}, refused
	}
	return p, nil
}
