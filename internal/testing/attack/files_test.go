//go:build linux

package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"understudy/internal/testing/byhand"
)

// private is what stands in files that no client may read.
const private = "what nobody may read"

func packed(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is one of ours
	}
	return string(raw)
}

// fileRoots are tries to read and write outside of the root, while links are
// exchanged, and in the data folder, which is inside of it.
func fileRoots(a *arena) func() {
	act := a.token("files", "--mode", "act", "--toolsets", "core,files")
	outside := a.folder(a.home, "outside")
	a.put(filepath.Join(outside, "a.txt"), private)
	a.put(filepath.Join(outside, "a.yaml"), "password: "+private)
	a.folder(a.work, "inside")
	a.put(filepath.Join(a.work, "inside", "a.txt"), "what everyone may read")
	for name, to := range map[string]string{"link": outside, "file": filepath.Join(outside, "a.txt"), "up": "..", "root": "/", "self": "/proc/self/root"} {
		a.must(os.Symlink(to, filepath.Join(a.work, name)))
	}
	tokens, err := os.ReadFile(filepath.Join(a.data, "tokens.json"))
	a.must(err)
	site := a.serve("--toolsets", "core,files", "--root", a.work+","+a.data)
	c := a.client(site, byhand.Modern, act)
	places := []string{
		outside, "link", "up/outside", "root" + outside, "self" + outside, "../outside", "inside/../../outside", "./link/.", "swapped", "swapped/../swapped", "inside/../swapped", "/proc/self/cwd/../outside",
		"/proc/self/root" + outside, a.data, a.data + "/../data", "up/data", "..//data", "~/outside", "link\x00", "//" + outside, "inside\\..\\..\\outside", "%2e%2e/outside", "\u2025/outside",
	}
	names := []string{"a.txt", "a.yaml", "tokens.json", "workflows/x.yaml", "*", "**/*.txt", "{a,b}.txt", "new.txt", "A.TXT", "a.txt/", "a.txt/.", ""}
	return func() {
		ctx, stop := context.WithCancel(a.t.Context())
		swapped := make(chan struct{})
		go func() {
			defer close(swapped)
			swap(ctx, a.work, outside)
		}()
		a.parallel(1_000, func(r *rand.Rand) {
			dir, name := one(r, places), one(r, names)
			path := strings.TrimSuffix(dir+"/"+name, "/")
			var tool string
			var args byhand.Object
			switch r.IntN(8) {
			case 0, 1:
				tool, args = "read_file", byhand.Object{"path": path}
			case 2:
				tool, args = "write_file", byhand.Object{"path": path, "content": "changed"}
			case 3:
				tool, args = "edit_file", byhand.Object{"path": path, "old_string": "nobody", "new_string": "everyone"}
			case 4:
				tool, args = "copy_content", byhand.Object{"source_path": path, "target_path": "inside/copy.txt"}
			case 5:
				tool, args = "grep_files", byhand.Object{"pattern": "nobody|sha256", "working_directory": dir}
			case 6:
				tool, args = "glob_files", byhand.Object{"pattern": name, "working_directory": dir}
			default:
				// One run may act at a time: the others wait, for what is sent here is to be tried and not refused as busy.
				tool, args = "execute_sequence", byhand.Object{"queue": true, "steps": []any{byhand.Object{"workflow": one(r, []string{"", "file://"}) + path}}}
			}
			status, res := a.call(c, tool, args)
			for status == http.StatusServiceUnavailable { // one call may write at a time, and this is to be tried
				status, res = a.call(c, tool, args)
			}
			text := fmt.Sprint(res)
			shown := strings.Contains(text, private) || strings.Contains(text, "sha256:") || strings.Contains(text, `"sha256`) || tool == "glob_files" && strings.Contains(text, "tokens.json ")
			a.attempt(status == 200 && !shown, "%s %v: %d %s", tool, args, status, text)
		})
		stop()
		<-swapped
		text, err := os.ReadFile(filepath.Join(outside, "a.txt"))
		a.attempt(err == nil && string(text) == private && len(a.left(outside)) == 2, "outside there is %v, %q, %v", a.left(outside), text, err)
		now, err := os.ReadFile(filepath.Join(a.data, "tokens.json"))
		a.attempt(err == nil && string(now) == string(tokens), "the tokens are %s, %v", now, err)
		copied, _ := os.ReadFile(filepath.Join(a.work, "inside", "copy.txt"))
		a.attempt(!strings.Contains(string(copied), private) && !strings.Contains(string(copied), "sha256"), "copied: %s", copied)
	}
}

// swap exchanges a folder inside for a link that leads out, and back, without end.
func swap(ctx context.Context, inside, outside string) {
	name := filepath.Join(inside, "swapped")
	for ctx.Err() == nil {
		_ = os.Symlink(outside, name+".link")
		_ = os.Rename(name+".link", name)
		_ = os.Symlink("inside", name+".link")
		_ = os.Rename(name+".link", name)
		runtime.Gosched()
	}
}
