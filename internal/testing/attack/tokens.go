package attack

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Audience is the audience of the tokens of an authority.
const Audience = "desk"

// Authority is an issuer of signed tokens on this machine.
type Authority struct {
	*httptest.Server
	Keys   atomic.Pointer[[]any]
	Asked  atomic.Int64 // requests for keys
	Broken atomic.Bool
}

// NewAuthority starts an authority that serves the public keys of signers.
func NewAuthority(t testing.TB, signers ...Signer) *Authority {
	t.Helper()
	a := &Authority{}
	a.Publish(signers...)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer": a.URL, "jwks_uri": a.URL + "/keys", "authorization_endpoint": a.URL + "/auth", "token_endpoint": a.URL + "/token",
			"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		a.Asked.Add(1)
		if a.Broken.Load() {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": *a.Keys.Load()})
	})
	a.Server = httptest.NewServer(mux)
	t.Cleanup(a.Close)
	return a
}

// Publish replaces the keys.
func (a *Authority) Publish(signers ...Signer) {
	keys := []any{}
	for _, s := range signers {
		keys = append(keys, s.JWK())
	}
	a.Keys.Store(&keys)
}

// Claims returns the claims of a valid token at a time, with changes; nil removes a claim.
func (a *Authority) Claims(now time.Time, changes map[string]any) map[string]any {
	c := map[string]any{
		"iss": a.URL, "aud": Audience, "sub": "anna", "scope": "openid understudy:ask", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	}
	for k, v := range changes {
		if c[k] = v; v == nil {
			delete(c, k)
		}
	}
	return c
}

// Signer signs tokens with a key.
type Signer struct {
	ID, Alg string
	key     crypto.Signer
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// RSA returns a signer with RS256.
func RSA(id string) Signer { return Signer{id, "RS256", must(rsa.GenerateKey(rand.Reader, 2048))} }

// ECDSA returns a signer with ES256.
func ECDSA(id string) Signer {
	return Signer{id, "ES256", must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))}
}

// Ed25519 returns a signer with EdDSA.
func Ed25519(id string) Signer {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	return Signer{id, "EdDSA", must(private, err)}
}

// JWK returns the public key as an issuer publishes it.
func (s Signer) JWK() any {
	return jose.JSONWebKey{Key: s.key.Public(), KeyID: s.ID, Algorithm: s.Alg, Use: "sig"}
}

// Sign returns a token with claims.
func (s Signer) Sign(claims map[string]any) string {
	return s.SignText(nil, must(json.Marshal(claims)))
}

// SignText signs encoded claims, with changes to the header.
func (s Signer) SignText(header map[string]any, claims []byte) string {
	h := map[string]any{"alg": s.Alg, "kid": s.ID, "typ": "JWT"}
	maps.Copy(h, header)
	text := segment(h) + "." + b64(claims)
	sum := sha256.Sum256([]byte(text))
	switch k := s.key.(type) {
	case *ecdsa.PrivateKey:
		r, x, err := ecdsa.Sign(rand.Reader, k, sum[:])
		return text + "." + b64(append(must(r, err).FillBytes(make([]byte, 32)), x.FillBytes(make([]byte, 32))...))
	case ed25519.PrivateKey:
		return text + "." + b64(ed25519.Sign(k, []byte(text)))
	}
	return text + "." + b64(must(s.key.Sign(rand.Reader, sum[:], crypto.SHA256)))
}

// Forgery is a token that must be refused, or a good one for comparison.
type Forgery struct {
	Say, Token string
	Good       bool
}

// Forgeries returns tokens that an authority did not sign, or not for this server, or not
// for this time. The keys are the published ones, of which the first is an RSA key.
func Forgeries(a *Authority, now time.Time, keys ...Signer) []Forgery {
	at := func(d time.Duration) int64 { return now.Add(d).Unix() }
	rs, stranger := keys[0], RSA(keys[0].ID)
	good := rs.Sign(a.Claims(now, nil))
	parts := strings.Split(good, ".")
	headed := func(header map[string]any, signature string) string {
		return segment(header) + "." + parts[1] + "." + signature
	}
	var out []Forgery
	for _, k := range keys {
		for say, changes := range map[string]map[string]any{
			"expired":               {"exp": at(-time.Second)},
			"without an end":        {"exp": nil},
			"not valid yet":         {"nbf": at(10 * time.Minute)},
			"valid in two minutes":  {"nbf": at(2 * time.Minute)},
			"issued in the future":  {"iat": at(2 * time.Minute)},
			"for another server":    {"aud": "other"},
			"for nobody":            {"aud": nil},
			"for a list of others":  {"aud": []string{"other", "deskx", "DESK"}},
			"of another issuer":     {"iss": "https://evil.example"},
			"of a longer issuer":    {"iss": a.URL + "/"},
			"of nobody":             {"sub": nil},
			"of a name with a line": {"sub": "a\nb"},
		} {
			out = append(out, Forgery{Say: k.Alg + ", " + say, Token: k.Sign(a.Claims(now, changes))})
		}
		for _, x := range Disguised(a.URL) {
			out = append(out, Forgery{k.Alg + ", " + x.Say, k.SignText(nil, x.Claims(a.Claims(now, nil))), x.Good})
		}
		out = append(out, Forgery{k.Alg, k.Sign(a.Claims(now, nil)), true})
	}
	signature := parts[2]
	for _, alg := range []string{"none", "None", "NONE", "nOnE", "", "RS512", "RS384", "PS256", "HS256", "HS512", "ES512", "RS256 "} {
		out = append(out, Forgery{Say: "alg " + alg, Token: headed(map[string]any{"alg": alg, "kid": rs.ID}, "")})
		if alg != "RS256 " {
			out = append(out, Forgery{Say: "alg " + alg + " with the signature", Token: headed(map[string]any{"alg": alg, "kid": rs.ID}, signature)})
		}
	}
	raw := must(json.Marshal(a.Claims(now, nil)))
	for say, header := range map[string]map[string]any{
		"with a key of the right name that is another": {},
		"with a key in its own header":                 {"jwk": stranger.JWK()},
		"with the address of a key":                    {"jku": "http://127.0.0.1:1/keys", "x5u": "http://127.0.0.1:1/keys"},
		"with a path as its key":                       {"kid": "../../../../dev/null"},
		"with a query as its key":                      {"kid": "' OR 1=1 --"},
		"with no key":                                  {"kid": nil},
		"with what must be understood":                 {"crit": []string{"exp"}},
	} {
		out = append(out, Forgery{Say: say, Token: stranger.SignText(header, raw)})
	}
	return append(out,
		Forgery{Say: "the public key as the secret", Token: confused(rs, parts[1])},
		Forgery{Say: "changed", Token: parts[0] + "." + segment(a.Claims(now, map[string]any{"scope": "understudy:act"})) + "." + signature},
		Forgery{Say: "without its signature", Token: parts[0] + "." + parts[1] + "."},
		Forgery{Say: "with another text for the same signature", Token: respelled(good)},
		Forgery{Say: "no token", Token: "a.b.c"},
		Forgery{Say: "empty parts", Token: ".."},
		Forgery{Say: "too long a token", Token: good + strings.Repeat("A", 64<<10)},
	)
}

// respelled returns a token with another last letter, which differs only in bits that are
// not part of a byte.
func respelled(token string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(token) - 1
	return token[:last] + string(letters[strings.IndexByte(letters, token[last])^1])
}

// confused signs claims with the public key as a shared secret.
func confused(s Signer, claims string) string {
	text := segment(map[string]string{"alg": "HS256", "kid": s.ID}) + "." + claims
	mac := hmac.New(sha256.New, must(json.Marshal(s.JWK())))
	mac.Write([]byte(text))
	return text + "." + b64(mac.Sum(nil))
}

// Disguise is a change to claims that has an effect only on a decoder that ignores the case
// of names, or takes the last of two equal ones.
type Disguise struct {
	Say        string
	more, drop string
	Good       bool
}

// Disguised returns the disguises of tokens of an issuer.
func Disguised(issuer string) []Disguise {
	return []Disguise{
		{"as they should be", "", "", true},
		{"an audience in capitals behind another's", `"aud":"other","AUD":"` + Audience + `"`, "aud", false},
		{"only one in capitals", `"AUD":"` + Audience + `"`, "aud", false},
		{"an issuer in capitals", `"iss":"http://evil","ISS":"` + issuer + `"`, "iss", false},
		{"an end in capitals", `"exp":1,"Exp":99999999999`, "exp", false},
		{"only such an end", `"EXP":99999999999`, "exp", false},
		{"a scope in capitals", `"scope":"openid","SCOPE":"understudy:act"`, "scope", false},
		{"a scope with a long s", `"scope":"openid","\u017fcope":"understudy:act"`, "scope", false},
		{"an audience twice", `"aud":"other","aud":"` + Audience + `"`, "aud", false},
		{"something else twice", `"x":1,"x":2`, "", false},
		{"something else in capitals", `"X":1,"x":2`, "", true},
	}
}

// Claims returns encoded claims in the disguise.
func (d Disguise) Claims(claims map[string]any) []byte {
	delete(claims, d.drop)
	raw := must(json.Marshal(claims))
	if d.more == "" {
		return raw
	}
	return []byte(strings.TrimSuffix(string(raw), "}") + "," + d.more + "}")
}

func b64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func segment(v any) string { return b64(must(json.Marshal(v))) }
