package fleet

import (
	"context"
	"crypto/ecdh"
	"crypto/hpke"
	"encoding/json"
)

// Secrets are never stored. The worker that takes a run asks for them and sends a
// public key that it made for this question, and the process that began or continued
// the run, if it still exists, answers with secrets encrypted for that key. So they
// cannot be read by a server or by those who listen on it.

type secretsQuestion struct {
	Run string `json:"run"`
	Key []byte `json:"key"` // X25519
}

// The algorithms of HPKE (RFC 9180) with which secrets are sealed.
var (
	secretsKEM  = hpke.DHKEM(ecdh.X25519())
	secretsKDF  = hpke.HKDFSHA256()
	secretsAEAD = hpke.AES256GCM()
)

// offerSecrets answers workers that ask for the secrets of runs.
func (c *Client) offerSecrets(ctx context.Context) error {
	return c.store.Answer(ctx, func(_ context.Context, message []byte) []byte {
		var q secretsQuestion
		if json.Unmarshal(message, &q) != nil {
			return nil
		}
		known := c.Unstored(q.Run).Secrets
		if len(known) == 0 {
			return nil // another process may have them
		}
		key, err := secretsKEM.NewPublicKey(q.Key)
		if err != nil {
			return nil
		}
		text, _ := json.Marshal(known) // cannot fail: strings only
		sealed, err := hpke.Seal(key, secretsKDF, secretsAEAD, secretsOf(q.Run), text)
		if err != nil {
			return nil
		}
		return sealed
	}, secretName)
}

// secretsOf returns what the secrets of a run are bound to, besides the key.
func secretsOf(run string) []byte { return []byte("secrets of run " + run) }

// askSecrets adds the secrets of a run, if another process has them. Otherwise the
// run asks for those that it needs.
func (w *Worker) askSecrets(ctx context.Context, run string, into map[string]string) {
	key, err := secretsKEM.GenerateKey()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	message, _ := json.Marshal(secretsQuestion{run, key.PublicKey().Bytes()}) // cannot fail: strings only
	raw, err := w.Store.Ask(ctx, message, secretName)
	if err != nil {
		return // nobody has them
	}
	text, err := hpke.Open(key, secretsKDF, secretsAEAD, secretsOf(run), raw)
	if err == nil {
		err = json.Unmarshal(text, &into)
	}
	if err != nil {
		w.Log.WarnContext(ctx, "the secrets of a run cannot be read", "run", run, "error", err)
	}
}
