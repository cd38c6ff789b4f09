//go:build linux

package attack

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"understudy/internal/schedules"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
)

// timetables floods a server with schedules and with messages for webhooks, writes cron
// expressions of every length, and exchanges folders that are watched: what is kept stays
// small, nothing is told of what is outside, and others are served.
func timetables(a *arena) func() {
	greedy, friend := a.token("greedy", "--mode", "act"), a.token("friend", "--mode", "act")
	a.folder(a.data)
	saved := a.folder(a.data, "workflows")
	a.put(filepath.Join(saved, "note.yaml"), "variables: {file: {type: string, default: none}}\nsteps: [{tool_name: log, arguments: {message: '${{ file }}'}}]\n")
	site := a.serve("--toolsets", "all", "--root", a.work)
	c, other := a.client(site, byhand.Modern, greedy), a.client(site, byhand.Modern, friend)
	_, res := a.call(other, "add_schedule", byhand.Object{"name": "hook", "workflow": "note", "hook": true})
	secret := fmt.Sprint(byhand.Dig(res, "result", "structuredContent", "secret"))
	if !strings.HasPrefix(secret, "whsec_") {
		a.t.Fatalf("no webhook was made: %v", res)
	}
	a.put(filepath.Join(a.data, "schedules", "damaged.json"), "{")
	outside := a.folder(a.home, "outside")
	var made, swapped atomic.Int64
	return func() {
		a.parallel(200, func(r *rand.Rand) {
			args := byhand.Object{"name": fmt.Sprint("s", made.Add(1)), "workflow": "note"}
			line := one(r, []string{"0", "*/7", "1-5", "L", "*"}) + strings.Repeat(one(r, []string{",1", "/1", " ", ",0-59", ",*"}), 1<<r.IntN(19)) + " * * * *"
			switch r.IntN(4) {
			case 0:
				args["cron"], args["zone"] = line, one(r, []string{"UTC", "Europe/Berlin", strings.Repeat("x", 1<<r.IntN(18))})
			case 1:
				args["cron"], args["input"] = "0 0 29 2 *", byhand.Object{"file": strings.Repeat("x", 1<<r.IntN(21))}
			case 2:
				args["files"] = filepath.Join(a.work, strings.Repeat("*a", 1<<r.IntN(16)))
			case 3:
				args["hook"], args["needs"] = true, []string{strings.Repeat("x", 1<<r.IntN(20))}
			}
			status, res := a.call(c, "add_schedule", args)
			long, _ := args["cron"].(string)
			a.attempt(status == http.StatusOK && len(fmt.Sprint(res)) < 1<<20 && (len(long) <= 200 || byhand.IsError(res)), "%.300s: %d %.300s", packed(args), status, fmt.Sprint(res))
		})
		kept := 0
		for _, name := range a.left(filepath.Join(a.data, "schedules")) {
			if info, err := os.Stat(filepath.Join(a.data, "schedules", name)); err == nil {
				kept += int(info.Size())
			}
		}
		_, list := a.call(c, "list_schedules", byhand.Object{})
		all, _ := byhand.Dig(list, "result", "structuredContent", "schedules").([]any)
		a.attempt(len(all) <= 100 && kept < 3<<20, "a client has %d schedules, and all files %d bytes", len(all), kept)
		a.serves(other)
		for _, x := range all {
			a.call(c, "remove_schedule", byhand.Object{"name": byhand.Dig(x, "name")})
		}
		a.messages(site, secret)
		a.exchanges(c, outside, int(swapped.Add(1)))
		a.unharmed()
	}
}

// messages sends messages to webhooks that are there, missing and damaged, without a valid
// signature: each is answered like the others. What is signed counts once.
func (a *arena) messages(site, secret string) {
	post := func(name, id, stamp, signature, body string) (int, string) {
		req, err := http.NewRequestWithContext(a.t.Context(), http.MethodPost, site+"/hooks/"+name, strings.NewReader(body))
		if err != nil {
			return 0, err.Error()
		}
		req.Header = http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signature}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err.Error()
		}
		defer res.Body.Close()
		var answer struct{ Error struct{ Code, Next string } }
		_ = json.NewDecoder(res.Body).Decode(&answer)
		return res.StatusCode, answer.Error.Code
	}
	a.parallel(200, func(r *rand.Rand) {
		now := time.Now()
		id, stamp, body := fmt.Sprint("m", r.Int()), fmt.Sprint(now.Unix()), `{"file": "x"}`
		sign := func() string { return schedules.Sign(secret, id, stamp, []byte(body)) }
		signature, name := sign(), one(r, []string{"hook", "missing", "damaged"})
		switch forged := r.IntN(12); forged {
		case 0:
			signature = ""
		case 1:
			signature = strings.Repeat("v1, ", 1000)
		case 2:
			signature = "v1a" + strings.TrimPrefix(signature, "v1")
		case 3:
			signature = strings.ToUpper(signature)
		case 4:
			signature = signature[:len(signature)-1-r.IntN(40)]
		case 5:
			body += " "
		case 6:
			id += "x"
		case 7:
			stamp = fmt.Sprint(now.Add(one(r, []time.Duration{-time.Hour, time.Hour, 1 << 62})).Unix())
			signature = sign()
		case 8:
			stamp = one(r, []string{"", "0", "-1", "1e9", stamp + ".0", " " + strings.Repeat("0", 100), "99999999999999999999"})
			signature = sign()
		case 9: // the message split anew
			id, stamp = id+"."+stamp, "1"
			signature = sign()
		case 10:
			id += ".x"
			signature = sign()
		case 11:
			signature = schedules.Sign("", id, stamp, []byte(body))
		}
		status, code := post(name, id, stamp, signature, body)
		a.attempt((status == http.StatusForbidden || status == http.StatusTooManyRequests) && code == "denied", "a message for %s, %q %q %.100q: %d %s", name, id, stamp, signature, status, code)
	})
	id, stamp := fmt.Sprint("good", rand.Int()), fmt.Sprint(time.Now().Unix())
	for _, want := range []int{http.StatusAccepted, http.StatusOK, http.StatusOK} {
		status, code := post("hook", id, stamp, schedules.Sign(secret, id, stamp, nil), "")
		a.attempt(status == want, "a signed message: %d %s, want %d", status, code, want)
	}
}

// exchanges puts links in the places of folders that are watched: their files are not told.
func (a *arena) exchanges(c byhand.Visitor, outside string, round int) {
	hidden := fmt.Sprint("hidden", round, ".csv")
	names := []string{}
	for i, to := range []string{outside, a.data, filepath.Join(a.data, "schedules"), "/", "../outside"} {
		name := fmt.Sprintf("swap%d-%d", round, i)
		dir := a.folder(a.work, name)
		names = append(names, name)
		if _, res := a.call(c, "add_schedule", byhand.Object{"name": name, "workflow": "note", "files": dir + "/*"}); byhand.IsError(res) {
			a.t.Fatalf("%s is not watched: %v", dir, res)
		}
		// At once: a look between two acts would find no folder at all, and note that.
		a.must(os.Symlink(to, dir+".link"))
		a.must(unix.Renameat2(unix.AT_FDCWD, dir+".link", unix.AT_FDCWD, dir, unix.RENAME_EXCHANGE))
		a.must(os.Remove(dir + ".link"))
	}
	a.put(filepath.Join(outside, hidden), "")
	for _, name := range names {
		a.noted(c, name)
		_, shown := a.call(c, "show_schedule", byhand.Object{"name": name})
		said := fmt.Sprint(shown)
		a.attempt(strings.Contains(said, "out of bounds") && !strings.Contains(said, "run_id") && !strings.Contains(said, hidden), "a schedule whose folder was exchanged: %.1000s", said)
		a.call(c, "remove_schedule", byhand.Object{"name": name})
		_ = os.Remove(filepath.Join(a.work, name))
	}
}

// noted waits until a schedule has a note.
func (a *arena) noted(c byhand.Visitor, name string) {
	for end := scratch.Deadline(a.t); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		_, shown := a.call(c, "show_schedule", byhand.Object{"name": name})
		if notes, _ := byhand.Dig(shown, "result", "structuredContent", "notes").([]any); len(notes) > 0 {
			return
		}
	}
}
