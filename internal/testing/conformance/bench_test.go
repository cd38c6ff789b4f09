package conformance

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/internal/testing/byhand"
)

// BenchmarkGreeting starts the program and waits for the reply to a client's first
// message, which is to take less than 100 ms: clients give up on servers that start
// slowly. There is no desktop, which the reply does not need.
func BenchmarkGreeting(b *testing.B) {
	file, err := built()
	if err != nil {
		b.Fatal(err)
	}
	const version = "2025-11-25"
	hello, err := json.Marshal(byhand.Message(version, object{}, 1, "initialize", byhand.Greeting(version, object{})))
	if err != nil {
		b.Fatal(err)
	}
	home := b.TempDir()
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		cmd := exec.Command(file, "mcp", "--home", home)
		cmd.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=")
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		if _, err := in.Write(append(hello, '\n')); err != nil {
			b.Fatal(err)
		}
		answer, err := bufio.NewReader(out).ReadString('\n')
		took = append(took, time.Since(began))
		if err != nil || !strings.Contains(answer, `"protocolVersion":"2025-11-25"`) {
			b.Fatalf("%v: %s", err, answer)
		}
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}
