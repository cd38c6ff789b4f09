package mcpserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"understudy/internal/schedules"
	"understudy/internal/telemetry"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// board is the part of the Grafana dashboard that queries Prometheus.
type board struct {
	Panels []struct {
		Title   string
		Targets []struct{ Expr string }
	}
}

// TestTheBoardShowsWhatPrometheusKnows has Prometheus scrape a server, and sends it all
// queries of the Grafana dashboard.
func TestTheBoardShowsWhatPrometheusKnows(t *testing.T) {
	t.Parallel() // it waits
	program, err := exec.LookPath("prometheus")
	if err != nil {
		if os.Getenv("UNDERSTUDY_REQUIRE_DESKTOP") != "" {
			t.Fatal(err)
		}
		t.Skip("needs prometheus: ", err)
	}
	raw, err := os.ReadFile(filepath.Join("..", "docs", "grafana.json"))
	var b board
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err != nil {
		t.Fatal(err)
	}
	st := newStage(t, func(o *Options) {
		o.Telemetry, o.Schedules, o.Desktops = &telemetry.Telemetry{}, schedules.NewFolder(t.TempDir()), &keptInMemory{}
	})
	st.engine.Observe = st.o.Telemetry.Observe
	site := st.site().URL
	address := startPrometheus(t, program, strings.TrimPrefix(site, "http://"))
	v := byhand.Visitor{Version: byhand.Modern, Address: site + "/mcp"}
	count := 0
	for _, p := range b.Panels {
		for _, x := range p.Targets {
			count++
			query := strings.ReplaceAll(x.Expr, "$__rate_interval", "1m")
			deadline := scratch.Deadline(t)
			for {
				v.Call(t, "execute_sequence", byhand.Object{"steps": []any{byhand.Object{"tool_name": "log", "arguments": byhand.Object{"message": "x"}}, byhand.Object{"tool_name": "fail"}}})
				found, err := askPrometheus(address, query)
				if err == nil && found {
					break
				}
				if time.Now().After(deadline) {
					t.Errorf("%s: %s: found %t, %v", p.Title, query, found, err)
					break
				}
			}
		}
	}
	if count < 15 {
		t.Errorf("the board asks %d things", count)
	}
}

// startPrometheus starts a Prometheus that scrapes a server, and returns its address.
func startPrometheus(t *testing.T, program, target string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf("global: {scrape_interval: 200ms}\nscrape_configs: [{job_name: understudy, static_configs: [{targets: [%q]}]}]\n", target)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	cmd.Stdout, cmd.Stderr = io.Discard, io.Discard
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return address
}

// askPrometheus evaluates a query, and reports whether it has a value.
func askPrometheus(address, query string) (found bool, err error) {
	res, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []any }
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return false, err
	}
	if answer.Status != "success" {
		return false, fmt.Errorf("%s: %s", answer.Status, answer.Error)
	}
	return len(answer.Data.Result) > 0, nil
}
