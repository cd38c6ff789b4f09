//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// open are the routes that answer everyone.
var open = []string{"/status", "/health"}

// credentials are forged, changed, cut, misplaced and stolen ones.
func credentials(a *arena) func() {
	keys := []Signer{RSA("r"), ECDSA("e"), Ed25519("d")}
	issuer := NewAuthority(a.t, keys...)
	token, thief := a.token("laptop", "--mode", "act"), a.token("thief", "--mode", "ask")
	site := a.serve("--auth", "token,oidc", "--issuer", issuer.URL, "--audience", Audience, "--toolsets", "all", "--root", a.work)
	address := strings.TrimPrefix(site, "http://")
	wires, paths := a.wires(address), slices.DeleteFunc(routes(), func(p string) bool { return slices.Contains(open, p) })
	raw, err := os.ReadFile(filepath.Join(a.data, "tokens.json"))
	a.must(err)
	var kept struct {
		Tokens []map[string]any
	}
	a.must(json.Unmarshal(raw, &kept))
	session := a.client(site, "2025-11-25", token).Session
	send := func(r *rand.Rand, path string, headers ...string) (*http.Response, string, error) {
		w := wires.Get().(*wire)
		defer wires.Put(w)
		method, body := "GET", ""
		if strings.HasPrefix(path, "/mcp") || path == "/mode" || r.IntN(4) == 0 {
			method, body = "POST", forged
		}
		return w.send(written(method, path, body, append([]string{"Host", address, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"}, headers...)...))
	}
	refused := func(res *http.Response) bool {
		return res != nil && slices.Contains([]int{401, 403, 429}, res.StatusCode)
	}
	control := func() {
		r := rand.New(rand.NewPCG(1, 2))
		for say, c := range map[string]string{"a token": token, "a signed token": keys[0].Sign(issuer.Claims(time.Now(), nil))} {
			if res, body, err := send(r, "/runs", "Authorization", "Bearer "+c); err != nil || refused(res) {
				a.t.Errorf("%s that is good: %v %v %s", say, res, err, body)
			}
		}
	}
	return func() {
		control()
		for _, f := range Forgeries(issuer, time.Now(), keys...) {
			if f.Good {
				continue
			}
			for _, path := range []string{"/mcp", "/runs", "/mode"} {
				res, body, err := send(rand.New(rand.NewPCG(1, 2)), path, "Authorization", "Bearer "+f.Token)
				a.attempt(err == nil && (refused(res) || res.StatusCode == http.StatusRequestHeaderFieldsTooLarge), "a token %s at %s: %v %v %s", f.Say, path, res, err, body)
			}
		}
		signed := keys[1].Sign(issuer.Claims(time.Now(), nil))
		a.parallel(6_000, func(r *rand.Rand) {
			path, headers := one(r, paths), []string(nil)
			switch r.IntN(6) {
			case 0, 1:
				headers = []string{"Authorization", "Bearer " + changed(r, token)}
			case 2:
				headers = []string{"Authorization", "Bearer " + changed(r, signed)}
			case 3:
				path, headers = misplaced(r, path, token)
			case 4:
				headers = []string{"Authorization", "Bearer " + fmt.Sprint(one(r, kept.Tokens)[one(r, []string{"name", "sha256"})])}
			default:
				path, headers = "/mcp", []string{"Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-11-25", "Authorization", "Bearer " + thief}
				if r.IntN(2) == 0 {
					headers = headers[:4]
				}
			}
			res, body, err := send(r, path, headers...)
			a.attempt(err == nil && refused(res), "%s %q: %v %v %s", path, headers, res, err, body)
		})
		if left := a.left(a.work); len(left) > 0 {
			a.attempt(false, "somebody made %v", left)
		}
		control()
	}
}

// misplaced is a good token where none counts.
func misplaced(r *rand.Rand, path, token string) (string, []string) {
	switch r.IntN(5) {
	case 0:
		return path + "?" + one(r, []string{"token", "access_token", "authorization", "key"}) + "=" + url.QueryEscape(token), nil
	case 1:
		return path, []string{"Cookie", one(r, []string{"token", "understudy", "session", "__Host-understudy"}) + "=" + token}
	case 2:
		return path, []string{one(r, []string{"X-Api-Key", "X-Auth-Token", "Proxy-Authorization", "X-Authorization", "Token"}), "Bearer " + token}
	case 3:
		return path, []string{"Authorization", one(r, []string{"Basic ", "Token ", "Digest ", "", "Bearer", "Bearer,"}) + token}
	}
	return path, []string{"Authorization", "Bearer " + token + one(r, []string{" x", ",x", " Bearer " + token})}
}

// changed is a credential with a change, which is another one.
func changed(r *rand.Rand, token string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	i := r.IntN(len(token) - 1)
	switch r.IntN(5) {
	case 0:
		return token[:i]
	case 1:
		return token[:i] + token[i+1:]
	case 2:
		return token + string(letters[r.IntN(len(letters))])
	case 3:
		return token[:i] + strings.ToUpper(token[i:]) + "x"
	}
	other := letters[r.IntN(len(letters))]
	for other == token[i] {
		other = letters[r.IntN(len(letters))]
	}
	return token[:i] + string(other) + token[i+1:]
}
