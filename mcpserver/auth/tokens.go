package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/internal/fileio"
	"understudy/steps"
)

// tokenPrefix begins every token, so that a leaked one is recognised in a log or a
// repository.
const tokenPrefix = "understudy_"

// tokenBytes is the random part of a token. Nobody guesses 256 bits, so a plain hash
// protects it as well as a slow one.
const tokenBytes = 32

// Whose runs and saved workflows a client sees.
const (
	OwnRuns = "own"
	AllRuns = "all"
)

// Token is a client in the file of tokens.
type Token struct {
	Name     string          `json:"name"`
	Hash     string          `json:"sha256"`
	Mode     string          `json:"mode"`
	Toolsets []steps.Toolset `json:"toolsets,omitempty"`
	Operator bool            `json:"operator,omitempty"`
	Runs     string          `json:"runs,omitempty"` // own or all; "" in the files of older versions means all
	Created  time.Time       `json:"created"`
}

// Sees returns whose runs the client sees: all for an operator, and for a token of an
// older version, which states nothing.
func (x Token) Sees() string {
	if x.Operator || x.Runs == "" {
		return AllRuns
	}
	return x.Runs
}

// Tokens are the clients listed in a file. The file is read again whenever it has
// changed, so that clients can be added and removed while a server runs.
type Tokens struct {
	path string

	mu   sync.Mutex
	seen fs.FileInfo // the file that was read last
	list []Token
}

// NewTokens returns the tokens of a file, which need not exist yet.
func NewTokens(path string) *Tokens { return &Tokens{path: path} }

func (t *Tokens) Path() string { return t.path }

// List returns the clients. A missing file has none.
func (t *Tokens) List() ([]Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		t.seen, t.list = nil, nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if t.seen == nil || !sameFile(t.seen, info) {
		list, err := readTokens(t.path, info)
		if err != nil { // its reason may end while the file stays as it is
			return nil, err
		}
		t.seen, t.list = info, list
	}
	return slices.Clone(t.list), nil
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size() && a.Mode() == b.Mode()
}

type tokenFile struct {
	Tokens []Token `json:"tokens"`
}

// maxTokenFile bounds the size of the file in bytes.
const maxTokenFile = 1 << 20

func readTokens(path string, info fs.FileInfo) ([]Token, error) {
	if !info.Mode().IsRegular() || info.Size() > maxTokenFile {
		return nil, steps.Errorf(steps.Invalid, "%s is not a token file", path)
	}
	if !ownedByUser(info) {
		return nil, steps.Errorf(steps.Denied, "%s belongs to another user, who could add tokens", path).
			WithNext("give a file that you own with --token-file")
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, steps.Errorf(steps.Denied, "others may read or change the tokens: %s is %o, wanted 600", path, info.Mode().Perm()).
			WithNext("chmod 600 " + path + "; if others use this machine, replace the tokens")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f tokenFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s is not a token file: %w", path, err), Next: "understudy token add makes one"}
	}
	for _, x := range f.Tokens {
		if err := x.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return f.Tokens, nil
}

func (x Token) check() error {
	if err := checkName(x.Name); err != nil {
		return err
	}
	if x.Mode != Ask && x.Mode != Act {
		return steps.Errorf(steps.Invalid, "the mode of %s is %q, wanted ask or act", x.Name, x.Mode)
	}
	if x.Runs != "" && x.Runs != OwnRuns && x.Runs != AllRuns {
		return steps.Errorf(steps.Invalid, "the runs of %s are %q, wanted own or all", x.Name, x.Runs)
	}
	if raw, err := hex.DecodeString(x.Hash); err != nil || len(raw) != sha256.Size {
		return steps.Errorf(steps.Invalid, "%s has no valid hash", x.Name)
	}
	return nil
}

// Add makes a token for a client and returns it. It cannot be shown again, for only its
// hash is stored.
func (t *Tokens) Add(x Token) (token string, err error) {
	list, err := t.List()
	if err != nil {
		return "", err
	}
	if slices.ContainsFunc(list, func(y Token) bool { return y.Name == x.Name }) {
		return "", steps.Errorf(steps.Invalid, "there is a client called %s already", x.Name).
			WithNext("choose another name, or remove it: understudy token rm " + x.Name)
	}
	raw := make([]byte, tokenBytes)
	rand.Read(raw)
	token = tokenPrefix + base64.RawURLEncoding.EncodeToString(raw)
	sum := sha256.Sum256([]byte(token))
	x.Hash, x.Created = hex.EncodeToString(sum[:]), time.Now().UTC().Truncate(time.Second)
	if err := x.check(); err != nil {
		return "", err
	}
	return token, t.write(append(list, x))
}

func (t *Tokens) Remove(name string) error {
	list, err := t.List()
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(list), func(x Token) bool { return x.Name == name })
	if len(left) == len(list) {
		return &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("there is no client called %q", name), Next: "understudy token ls names them"}
	}
	return t.write(left)
}

// write replaces the file atomically; only its owner can read it.
func (t *Tokens) write(list []Token) error {
	text, err := json.MarshalIndent(tokenFile{list}, "", "  ")
	if err != nil {
		return err
	}
	return fileio.Write(t.path, append(text, '\n'), 0o600)
}

func (*Tokens) recognizes(credential string) bool { return strings.HasPrefix(credential, tokenPrefix) }

// verify compares with every hash, and with each in constant time.
func (t *Tokens) verify(_ context.Context, credential string) (Grant, error) {
	list, err := t.List()
	if err != nil {
		return Grant{}, err
	}
	sum := sha256.Sum256([]byte(credential))
	got, found := []byte(hex.EncodeToString(sum[:])), -1
	for i, x := range list {
		if subtle.ConstantTimeCompare(got, []byte(strings.ToLower(x.Hash))) == 1 {
			found = i
		}
	}
	if found < 0 {
		return Grant{}, ErrRefused
	}
	return t.grant(list[found]), nil
}

func (t *Tokens) grant(x Token) Grant {
	return Grant{
		Name: x.Name, Mode: x.Mode, Toolsets: x.Toolsets, Operator: x.Operator,
		AllRuns: x.Sees() == AllRuns,
		now:     func() (Grant, error) { return t.current(x.Hash) },
	}
}

// current returns the grant of a token by its hash, because its name may have been
// given to another one.
func (t *Tokens) current(hash string) (Grant, error) {
	list, err := t.List()
	if err != nil {
		return Grant{}, err
	}
	for _, x := range list {
		if x.Hash == hash {
			return t.grant(x), nil
		}
	}
	return Grant{}, ErrRefused
}
