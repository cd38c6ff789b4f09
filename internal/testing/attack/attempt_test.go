//go:build linux

package attack

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// attempt does what each of the words says, such as "read FILE", and writes what
// came of it: done, or why not.
func attempt(words []string) {
	came := map[string]string{}
	for _, w := range words {
		verb, rest, _ := strings.Cut(w, " ")
		came[w] = "done"
		if err := verbs[verb](rest); err != nil {
			came[w] = err.Error()
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(came)
}

var verbs = map[string]func(string) error{
	"list": func(dir string) error {
		_, err := os.ReadDir(dir)
		return err
	},
	"create": func(dir string) error {
		f, err := os.CreateTemp(dir, "stranger-*")
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), os.Remove(f.Name()))
	},
	"read": func(path string) error {
		_, err := os.ReadFile(path)
		return err
	},
	"append": func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return f.Close()
	},
	"dial": func(path string) error {
		c, err := net.Dial("unix", path)
		if err != nil {
			return err
		}
		return c.Close()
	},
	"get":      func(address string) error { return request(http.MethodGet, address, "") },
	"call":     func(address string) error { return request(http.MethodPost, address, call) },
	"fling":    fling,
	"stay":     stay,
	"takeover": takePorts,
	"show":     show,
	"browse":   browse,
	"pipe": func(string) error {
		return ofBrowser("fd/3", os.O_WRONLY, func(f *os.File) error {
			_, err := io.WriteString(f, `{"id":1,"method":"Target.getTargets"}`+"\x00")
			return err
		})
	},
	"memory": func(string) error { return ofBrowser("mem", os.O_RDWR, func(*os.File) error { return nil }) },
}

// browse asks the keepers of desktops in a data folder for the tabs of a browser.
func browse(data string) error {
	came := errors.New("there is no keeper of a browser")
	for _, folder := range []string{data, os.TempDir()} {
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, _ error) error {
			if d != nil && d.Name() == "control" && came != nil {
				came = browseBy(path)
			}
			return nil
		})
	}
	return came
}

func browseBy(socket string) error {
	ask := func(question string) (io.ReadWriteCloser, *bufio.Reader, string, error) {
		c, err := net.Dial("unix", socket)
		if err != nil {
			return nil, nil, "", err
		}
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		_, _ = io.WriteString(c, question+"\n")
		r := bufio.NewReader(c)
		answer, err := r.ReadString('\n')
		return c, r, answer, err
	}
	c, _, answer, err := ask(`{"do":"browsers"}`)
	if err != nil {
		return err
	}
	c.Close()
	var got struct{ Browsers []struct{ PID int } }
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Browsers) == 0 {
		return fmt.Errorf("the keeper answers %s %w", answer, err)
	}
	c, r, answer, err := ask(fmt.Sprintf(`{"do":"browse","browser":%d}`, got.Browsers[0].PID))
	if err != nil || strings.Contains(answer, "error") {
		return fmt.Errorf("the keeper answers %s %w", answer, err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, `{"id":1,"method":"Target.getTargets"}`+"\x00")
	if tabs, err := r.ReadString(0); !strings.Contains(tabs, "targetInfos") {
		return fmt.Errorf("the browser answers %s %w", tabs, err)
	}
	return nil
}

// ofBrowser opens a file of a browser that has a pipe.
func ofBrowser(name string, mode int, use func(*os.File) error) error {
	came := errors.New("there is no browser with a pipe")
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range all {
		line, _ := os.ReadFile(filepath.Join(process, "cmdline"))
		if !strings.Contains(string(line), "--remote-debugging-pipe") || strings.Contains(string(line), "--type=") {
			continue
		}
		f, err := os.OpenFile(filepath.Join(process, name), mode, 0)
		if err != nil {
			came = err
			continue
		}
		defer f.Close()
		return use(f)
	}
	return came
}

const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_runs","arguments":{},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"stranger","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`

func header(set func(name, value string)) {
	for _, pair := range [][2]string{
		{"Content-Type", "application/json"},
		{"Accept", "application/json, text/event-stream"},
		{"MCP-Protocol-Version", "2026-07-28"},
		{"Mcp-Method", "tools/call"},
		{"Mcp-Name", "list_runs"},
	} {
		set(pair[0], pair[1])
	}
}

// request is done when it is answered as wanted.
func request(method, address, body string) error {
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	header(req.Header.Set)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("%s %s", res.Status, text)
	}
	return nil
}

// fling sends calls that begin a run that makes a file, and closes each
// connection at once.
func fling(where string) error {
	for i := range 200 {
		c, err := beginRun(where)
		if err != nil {
			return err
		}
		if i%2 == 0 {
			_ = c.(*net.TCPConn).SetLinger(0) // a reset, not a farewell
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	return nil
}

// stay sends such a call, and waits for the answer.
func stay(where string) error {
	c, err := beginRun(where)
	if err != nil {
		return err
	}
	defer c.Close()
	answer := make([]byte, len("HTTP/1.1 200"))
	if _, err := io.ReadFull(c, answer); err != nil || string(answer) != "HTTP/1.1 200" {
		return fmt.Errorf("%s, %w", answer, err)
	}
	return nil
}

// takePorts sends calls that begin a run, each from a port that one of the next
// connections to the server would have, and resets. It says how many it sent.
func takePorts(where string) error {
	fields := strings.Fields(where)
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return err
	}
	sent := 0
	for i := range n {
		probe, err := net.Dial("tcp", fields[0])
		if err != nil {
			return err
		}
		next := probe.LocalAddr().(*net.TCPAddr)
		next.Port += 2 * (1 + i%8)
		if err := probe.Close(); err != nil {
			return err
		}
		from := net.Dialer{LocalAddr: next}
		c, err := from.Dial("tcp", fields[0])
		if err != nil {
			continue // somebody has that port by now
		}
		if _, err := io.WriteString(c, runRequest(fields[2])); err == nil {
			sent++
		}
		_ = c.(*net.TCPConn).SetLinger(0) // a reset, so that the port is free at once
		if err := c.Close(); err != nil {
			return err
		}
	}
	return fmt.Errorf("sent %d", sent)
}

// beginRun sends a call over a connection of its own.
func beginRun(where string) (net.Conn, error) {
	address, path, _ := strings.Cut(where, " ")
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	_, err = io.WriteString(c, runRequest(path))
	return c, err
}

// runRequest is a call that begins a run that writes a file.
func runRequest(path string) string {
	named := strings.NewReplacer("list_runs", "execute_sequence", `"arguments":{}`,
		fmt.Sprintf(`"arguments":{"wait":false,"steps":[{"tool_name":"write_file","arguments":{"path":%q,"content":"x"}}]}`, path))
	var b strings.Builder
	fmt.Fprintf(&b, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n", len(named.Replace(call)))
	header(func(name, value string) { fmt.Fprintf(&b, "%s: %s\r\n", name, named.Replace(value)) })
	return b.String() + "\r\n" + named.Replace(call)
}

// show greets an X server, with the cookie at the end of a file if there is one:
// who is let in can see and type.
func show(where string) error {
	socket, authority, _ := strings.Cut(where, " ")
	hello := []byte{'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if authority != "" {
		text, err := os.ReadFile(authority)
		if err != nil {
			return err
		}
		const name, cookie = "MIT-MAGIC-COOKIE-1", 16
		hello[6], hello[8] = byte(len(name)), cookie
		hello = append(append(append(hello, name...), 0, 0), text[len(text)-cookie:]...)
	}
	c, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := c.Write(hello); err != nil {
		return err
	}
	answer := make([]byte, 8)
	if _, err := io.ReadFull(c, answer); err != nil {
		return err
	}
	if answer[0] != 1 {
		return fmt.Errorf("the X server answers with %d", answer[0])
	}
	return nil
}
