package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
)

const loginPath = "/login"

// loginLifetime is how long a login in a browser lasts.
const loginLifetime = 12 * time.Hour

// maxLogins bounds the sessions; a new one replaces the oldest.
const maxLogins = 1_000

// logins are the sessions of browsers that presented a token. A browser holds a random
// number instead of the token, and it counts only for pages: see acceptsLogin.
type logins struct {
	mu       sync.Mutex
	sessions map[[sha256.Size]byte]login
}

type login struct {
	grant Grant
	until time.Time
}

// Names of the login cookie. The prefix __Host- makes browsers send it only over TLS
// and only to this host.
const (
	cookieName   = "understudy"
	cookieSecure = "__Host-understudy"
)

// secure reports whether browsers reach the server over TLS, its own or that of a proxy
// in front of it.
func (g *Authenticator) secure(r *http.Request) bool {
	return r.TLS != nil || strings.HasPrefix(g.o.Public, "https://")
}

func cookieNameFor(secure bool) string {
	if secure {
		return cookieSecure
	}
	return cookieName
}

func (l *logins) add(g Grant, now time.Time) (id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions == nil {
		l.sessions = map[[sha256.Size]byte]login{}
	}
	oldest, first := [sha256.Size]byte{}, now.Add(loginLifetime)
	for key, x := range l.sessions {
		if now.After(x.until) {
			delete(l.sessions, key)
		} else if x.until.Before(first) {
			oldest, first = key, x.until
		}
	}
	if len(l.sessions) >= maxLogins {
		delete(l.sessions, oldest)
	}
	until := now.Add(loginLifetime)
	if !g.Expires.IsZero() && g.Expires.Before(until) {
		until = g.Expires
	}
	id = rand.Text()
	l.sessions[sha256.Sum256([]byte(id))] = login{g, until}
	return id
}

// find returns the current grant of the browser that sent a request.
func (l *logins) find(r *http.Request, secure bool, now time.Time) (Grant, bool) {
	c, err := r.Cookie(cookieNameFor(secure))
	if err != nil {
		return Grant{}, false
	}
	l.mu.Lock()
	x, ok := l.sessions[sha256.Sum256([]byte(c.Value))]
	l.mu.Unlock()
	if !ok || now.After(x.until) {
		return Grant{}, false
	}
	g, err := x.grant.Current()
	return g, err == nil
}

func (l *logins) drop(r *http.Request, secure bool) {
	if c, err := r.Cookie(cookieNameFor(secure)); err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.sessions, sha256.Sum256([]byte(c.Value)))
	}
}

func (g *Authenticator) showLogin(w http.ResponseWriter, _ *http.Request) {
	writeLoginPage(w, http.StatusOK, "")
}

// maxForm bounds the body of the login form.
const maxForm = 64 << 10

// login takes the token that a person entered. A page of another place could log a person
// in with a token of its own, and see what the person then does.
func (g *Authenticator) login(w http.ResponseWriter, r *http.Request) {
	if FromElsewhere(r) {
		writeLoginPage(w, http.StatusForbidden, "Enter the token here.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		writeLoginPage(w, http.StatusBadRequest, "The form could not be read.")
		return
	}
	grant, err := g.check(r, strings.TrimSpace(r.PostForm.Get("token")))
	if err != nil {
		status, message, _ := g.describeRefusal(w, r, err)
		w.Header().Del("WWW-Authenticate") // a browser would ask for a password
		writeLoginPage(w, status, message)
		return
	}
	g.setCookie(w, r, g.logins.add(grant, g.o.Now()), int(loginLifetime.Seconds()))
	http.Redirect(w, r, "/runs", http.StatusSeeOther)
}

func (g *Authenticator) logout(w http.ResponseWriter, r *http.Request) {
	g.logins.drop(r, g.secure(r))
	g.setCookie(w, r, "", -1)
	http.Redirect(w, r, loginPath, http.StatusSeeOther)
}

func (g *Authenticator) setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieNameFor(g.secure(r)), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: g.secure(r), SameSite: http.SameSiteStrictMode,
	})
}

// writeLoginPage writes the login form. It loads nothing and cannot be framed.
func writeLoginPage(w http.ResponseWriter, status int, message string) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = loginPage.Execute(w, message)
}

var loginPage = template.Must(template.New("login").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Understudy</title>
<style>body{font:16px system-ui,sans-serif;max-width:32em;margin:4em auto;padding:0 1em}input{width:100%;font:inherit}</style></head><body>
<h1>Understudy</h1>
{{with .}}<p role="alert"><b>{{.}}</b></p>{{end}}
<form method="post" action="/login">
<p><label>Token <input type="password" name="token" autocomplete="off" autofocus required></label></p>
<p><button>Show the runs</button></p>
</form>
<p><code>understudy token add NAME --mode ask</code> makes a token.</p>
</body></html>
`))
