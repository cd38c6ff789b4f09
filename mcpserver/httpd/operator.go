package httpd

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// operator serves the addresses for operators.
type operator struct {
	*Server
	check *lastCheck
}

// status tells a load balancer whether a call would be accepted. A request without a
// credential learns no more than that.
func (o operator) status(w http.ResponseWriter, r *http.Request) {
	acting, full := o.slots.state(o.places(r.Context()))
	code := http.StatusOK
	if full {
		code = http.StatusServiceUnavailable
	}
	if auth.Unauthenticated(r.Context()) {
		writeJSON(w, code, map[string]bool{"busy": full})
		return
	}
	writeJSON(w, code, struct {
		Busy     bool      `json:"busy"`
		Active   int       `json:"activeRequests"`
		Max      int       `json:"maxConcurrent"`
		Activity time.Time `json:"lastActivity,omitzero"`
	}{full, acting, o.slots.limit, o.o.Counts().Activity})
}

// ready reports whether desktop and store work, and what does not.
func (o operator) ready(w http.ResponseWriter, r *http.Request) {
	findings := o.check.findings(r.Context(), o.o.Check)
	store := desktop.Finding{Name: "store", OK: true, Needed: true}
	if err := o.reachStore(r.Context()); err != nil {
		store.OK, store.Detail = false, err.Error()
	}
	findings = append(findings, store)
	code := http.StatusOK
	for _, f := range findings {
		if f.Needed && !f.OK {
			code = http.StatusServiceUnavailable
		}
	}
	writeJSON(w, code, map[string]any{"ready": code == http.StatusOK, "findings": findings})
}

// checkLifetime is how long the result of a check is reused. A check may start a display.
const checkLifetime = 5 * time.Second

// lastCheck caches the result of checking the machine; one check runs at a time.
type lastCheck struct {
	slot  chan struct{} // semaphore of one check
	at    time.Time
	found []desktop.Finding
}

func (c *lastCheck) findings(ctx context.Context, check func(context.Context) []desktop.Finding) []desktop.Finding {
	if check == nil {
		return []desktop.Finding{}
	}
	select {
	case c.slot <- struct{}{}:
		defer func() { <-c.slot }()
	case <-ctx.Done():
		return []desktop.Finding{{Name: "check", Detail: "the machine is being checked for another request", Needed: true}}
	}
	if time.Since(c.at) >= checkLifetime {
		c.found = check(context.WithoutCancel(ctx)) // the result also serves the next request, so a client that disconnects must not end the check
		c.at = time.Now()
	}
	return slices.Clone(c.found)
}

func (o operator) reachStore(ctx context.Context) error {
	runs, err := o.o.Runs(ctx)
	if err == nil {
		_, err = runs.List(ctx, engine.Query{Limit: 1})
	}
	return err
}

// permit refuses requests that do not come from an operator: by the credential, or,
// without credentials, from this machine and from no page.
func (o operator) permit(r *http.Request) error {
	if r.Header.Get("Origin") != "" {
		return steps.Errorf(steps.Denied, "modes cannot be changed from a browser")
	}
	g, ok := auth.From(r.Context())
	switch {
	case o.o.Gate != nil && !(ok && g.Operator):
		return steps.Errorf(steps.Denied, "only an operator can change modes").WithNext("use a token of understudy token add NAME --operator")
	case o.o.Gate == nil && !isLocal(hostOf(r.RemoteAddr), nil):
		return steps.Errorf(steps.Denied, "modes can only be changed from the machine of the server, not from %s", r.RemoteAddr).
			WithNext("send the request from there")
	}
	return nil
}

// changeMode sets the mode of a client by name. It is for operators; no tool can do it.
func (o operator) changeMode(w http.ResponseWriter, r *http.Request) {
	if err := o.permit(r); err != nil {
		refuse(w, err)
		return
	}
	var body modeChange
	err := json.NewDecoder(r.Body).Decode(&body)
	body.Client = cmp.Or(body.Client, body.ClientName)
	if err != nil || body.Client == "" || !body.Mode.Valid() {
		refuse(w, steps.Errorf(steps.Invalid, `wanted {"client": NAME, "mode": "ask" or "act"}, and perhaps "blocked_tools": [TOOL, …]`))
		return
	}
	by, _ := auth.From(r.Context())
	o.o.SetMode(by.Name, body.Client, access.Limits{Mode: body.Mode, Blocked: body.Blocked})
	o.o.Log.Info("mode changed", "client", body.Client, "mode", body.Mode, "blocked", body.Blocked)
	writeJSON(w, http.StatusOK, body)
}

// modeChange is the body of a request to change a mode. ClientName is what other servers
// call the client.
type modeChange struct {
	Client     string      `json:"client"`
	ClientName string      `json:"client_name,omitempty"`
	Mode       access.Mode `json:"mode"`
	Blocked    []string    `json:"blocked_tools,omitempty"`
}
