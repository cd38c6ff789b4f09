package fleet

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"maps"
)

// Secrets are never stored. The worker that takes a run asks for them and sends a
// public key that it made for this question, and the process that began or continued
// the run, if it still exists, answers with secrets encrypted for that key. So they
// cannot be read by a server or by those who listen on it.

type secretsQuestion struct {
	Run string `json:"run"`
	Key []byte `json:"key"` // X25519
}

type secretsAnswer struct {
	Key    []byte `json:"key"`
	Sealed []byte `json:"sealed"`
}

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
		answer, err := sealSecrets(q, known)
		if err != nil {
			return nil
		}
		return answer
	}, secretName)
}

// askSecrets adds the secrets of a run, if another process has them. Otherwise the
// run asks for those that it needs.
func (w *Worker) askSecrets(ctx context.Context, run string, into map[string]string) {
	key, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	message, err := json.Marshal(secretsQuestion{run, key.PublicKey().Bytes()})
	if err != nil {
		return
	}
	raw, err := w.Store.Ask(ctx, message, secretName)
	if err != nil {
		return // nobody has them
	}
	known, err := openSecrets(key, run, raw)
	if err != nil {
		w.Log.WarnContext(ctx, "the secrets of a run cannot be read", "run", run, "error", err)
	}
	maps.Copy(into, known)
}

func sealSecrets(q secretsQuestion, known map[string]string) ([]byte, error) {
	theirs, err := ecdh.X25519().NewPublicKey(q.Key)
	if err != nil {
		return nil, err
	}
	ours, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	box, err := boxOf(ours, theirs, q.Run)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(known)
	if err != nil {
		return nil, err
	}
	return json.Marshal(secretsAnswer{ours.PublicKey().Bytes(), box.Seal(nil, nil, text, nil)})
}

func openSecrets(key *ecdh.PrivateKey, run string, raw []byte) (known map[string]string, err error) {
	var a secretsAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, err
	}
	theirs, err := ecdh.X25519().NewPublicKey(a.Key)
	if err != nil {
		return nil, err
	}
	box, err := boxOf(key, theirs, run)
	if err != nil {
		return nil, err
	}
	text, err := box.Open(nil, nil, a.Sealed, nil)
	if err != nil {
		return nil, errors.New("they were sealed to another key")
	}
	err = json.Unmarshal(text, &known)
	return known, err
}

// boxOf returns the cipher of one answer. Both keys are made for the answer, and used
// once.
func boxOf(ours *ecdh.PrivateKey, theirs *ecdh.PublicKey, run string) (cipher.AEAD, error) {
	block, err := blockOf(ours, theirs, "secrets of run "+run)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// blockOf returns the block cipher for one use of two keys.
func blockOf(ours *ecdh.PrivateKey, theirs *ecdh.PublicKey, use string) (cipher.Block, error) {
	shared, err := ours.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, shared, nil, use, 32)
	if err != nil {
		return nil, err
	}
	return aes.NewCipher(key)
}
