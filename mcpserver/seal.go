package mcpserver

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// parked is what the server wants to know when a client calls again with an
// answer. The client carries it, sealed: it can be neither read nor changed, and
// it counts for the same client and tool only.
type parked struct {
	Run    string    `json:"run,omitempty"`
	Inputs bool      `json:"inputs,omitempty"` // the question was for inputs
	Page   string    `json:"page,omitempty"`   // where a secret is given
	Client string    `json:"client"`
	Tool   string    `json:"tool"`
	Until  time.Time `json:"until"`
}

// parkedTime is how long a question can be answered this way. The run waits
// longer: then answer_run answers it.
const parkedTime = time.Hour

// newSeal makes the key of this process.
func newSeal() cipher.AEAD {
	key := make([]byte, 32)
	rand.Read(key)
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has the right size
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return seal
}

func (s *Server) sealState(c *call, p parked) (string, error) {
	p.Client, p.Tool, p.Until = c.name, c.tool.name, time.Now().Add(parkedTime)
	raw, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(s.seal.Seal(nil, nil, raw, nil)), nil
}

// comingBack is what a client that calls again brings; empty for a first call.
func (s *Server) comingBack(c *call) (parked, error) {
	sealed := c.req.Params.RequestState
	if sealed == "" {
		return parked{}, nil
	}
	refused := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState is not one of this server for this client and tool, or it is too old; " +
		"call again without it; list_runs {\"status\": \"waiting\"} names the runs that wait for an answer"}
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return parked{}, refused
	}
	plain, err := s.seal.Open(nil, nil, raw, nil)
	if err != nil {
		return parked{}, refused
	}
	var p parked
	if err := json.Unmarshal(plain, &p); err != nil || p.Client != c.name || p.Tool != c.tool.name || time.Now().After(p.Until) {
		return parked{}, refused
	}
	return p, nil
}
