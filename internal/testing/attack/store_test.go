//go:build linux

package attack

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"understudy/internal/testing/scratch"
)

// damagedStore changes files of the data folder: no command panics or hangs, and
// each ends with a status that it is known for.
func damagedStore(a *arena) func() {
	path := a.put(filepath.Join(a.work, "note.yaml"), workflow)
	for range 5 {
		a.understudy("run", path)
	}
	healthy := map[string][]byte{}
	a.must(filepath.WalkDir(a.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		rel, _ := filepath.Rel(a.data, path)
		healthy[rel] = raw
		return err
	}))
	return func() {
		r := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
		for i := 0; i < smallestRound || i < 200 && !a.over(); i++ {
			dir := a.folder(a.home, "damaged")
			for rel, raw := range healthy {
				a.folder(filepath.Dir(filepath.Join(dir, rel)))
				a.put(filepath.Join(dir, rel), string(damaged(r, raw, strings.HasSuffix(rel, ".db"))))
			}
			for _, args := range [][]string{{"runs", "check"}, {"runs", "ls"}, {"runs", "show", "last", "--json"}, {"run", path}, {"service", "stop"}} {
				ctx, cancel := context.WithDeadline(a.t.Context(), scratch.Deadline(a.t))
				cmd := a.command(ctx, ownerUID, "understudy", append([]string{"--home", dir}, args...)...)
				out, _ := cmd.CombinedOutput() // its status says what came of it
				cancel()
				known := cmd.ProcessState.ExitCode() >= 0 && cmd.ProcessState.ExitCode() <= 4
				a.attempt(known && !bytes.Contains(out, []byte("panic")) && !bytes.Contains(out, []byte("goroutine ")), "%v: %v: %s", args, cmd.ProcessState, out)
			}
			a.must(os.RemoveAll(dir))
		}
	}
}

// damaged is a file with a few changes, more of them in a database.
func damaged(r *rand.Rand, raw []byte, database bool) []byte {
	raw = bytes.Clone(raw)
	if len(raw) == 0 || !database && r.IntN(3) > 0 {
		return raw
	}
	for range 1 + r.IntN(8) {
		i := r.IntN(len(raw))
		switch r.IntN(5) {
		case 0:
			raw[i] ^= 1 << r.IntN(8)
		case 1:
			clear(raw[i:min(len(raw), i+r.IntN(4096))])
		case 2:
			copy(raw[i:], raw[r.IntN(len(raw)):])
		case 3:
			for j := range raw[i:min(len(raw), i+64)] {
				raw[i+j] = byte(r.IntN(256))
			}
		default:
			if r.IntN(4) == 0 {
				return raw[:i]
			}
		}
	}
	return raw
}

// sinks are steps that are given a secret, each in another way.
var sinks = []string{
	`{tool_name: log, arguments: {message: "the ${{ inputs.s }}"}}`,
	`{tool_name: log, arguments: {message: "${{ upper(inputs.s) }}"}}`,
	`{tool_name: log, arguments: {message: "${{ inputs.s[0:9] }}"}}`,
	`{tool_name: set_env, arguments: {values: {a: "${{ inputs.s }}"}}}`,
	`{tool_name: set_env, arguments: {values: {a: "${{ toBase64('u:' + inputs.s) }}"}}}`,
	`{tool_name: set_env, arguments: {values: "${{ fromJSON('{\"' + inputs.s + '\":1}') }}"}}`,
	`{tool_name: set_env, arguments: {values: {a: "${{ split(inputs.s, '-') }}"}}}`,
	`{tool_name: set_env, arguments: {values: {a: "${{ map(1..3, inputs.s) }}"}}}`,
	`{tool_name: set_env, arguments: {values: {a: "${{ toJSON({'k': inputs.s}) }}"}}}`,
	`{tool_name: assert, continue_on_error: true, arguments: {condition: "inputs.s == 'x'", message: "not ${{ inputs.s }}"}}`,
	`{tool_name: fail, continue_on_error: true, arguments: {message: "${{ inputs.s }}"}}`,
	`{tool_name: read_file, continue_on_error: true, arguments: {path: "${{ inputs.s }}.txt"}}`,
	`{tool_name: grep_files, continue_on_error: true, arguments: {pattern: "${{ inputs.s }}("}}`,
	`{tool_name: run_command, arguments: {run: "printf %s ${{ inputs.s }}"}}`,
	`{tool_name: run_command, continue_on_error: true, arguments: {run: "echo ${{ inputs.s }} >&2; false"}}`,
	`{tool_name: run_command, arguments: {engine: python, run: "return ${{ inputs.s }}"}}`,
	`{tool_name: run_command, continue_on_error: true, arguments: {run: "true", working_directory: "${{ inputs.s }}"}}`,
	`{foreach: "${{ [inputs.s] }}", as: x, steps: [{tool_name: log, arguments: {message: "${{ x }}"}}]}`,
	`{if: "inputs.s contains 'x'", tool_name: log, arguments: {message: "it does"}}`,
	`{tool_name: log, expect: "inputs.s == 'x'", continue_on_error: true, arguments: {message: x}}`,
}

// secrets play documents that do all sorts of things with a secret input: neither
// it nor what a template makes of it is found in what is kept and printed.
func secrets(a *arena) func() {
	return func() {
		r := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
		letters := "bcdfghjkmnpqrstvwxz23456789"
		var b strings.Builder
		for range 20 {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		secret := b.String()[:10] + "-" + b.String()[10:]
		chosen := make([]string, 8)
		for i := range chosen {
			chosen[i] = one(r, sinks)
		}
		marker := fmt.Sprintf("marker%d", r.Uint32())
		a.put(filepath.Join(a.work, "secret.txt"), secret)
		doc := "name: " + marker + "\nvariables: {s: {type: string, secret: true}}\nsteps:\n  - " + strings.Join(chosen, "\n  - ") + "\noutput: {y: 'toBase64(inputs.s)', z: inputs.s}\n"
		path := a.put(filepath.Join(a.work, "secret.yaml"), doc)
		ctx, cancel := context.WithDeadline(a.t.Context(), scratch.Deadline(a.t))
		defer cancel()
		cmd := a.command(ctx, ownerUID, "understudy", "run", path, "-i", "s=@"+filepath.Join(a.work, "secret.txt"), "--json")
		out, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 0 && code != 3 {
			a.t.Errorf("%s: %v: %s", doc, err, out)
		}
		kept := bytes.Clone(out)
		kept = append(kept, a.understudy("runs", "logs", "last")...)
		kept = append(kept, a.understudy("runs", "show", "last", "--json")...)
		a.must(filepath.WalkDir(a.data, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			raw, err := os.ReadFile(path)
			kept = append(kept, raw...)
			return err
		}))
		if !bytes.Contains(kept, []byte(marker)) {
			a.t.Errorf("what is kept does not have the name of the run: %s", out)
		}
		for _, form := range forms(secret) {
			for range chosen {
				a.attempt(!bytes.Contains(kept, []byte(form)), "%q is kept of the secret %s by one of\n%s", form, secret, doc)
			}
		}
	}
}

// forms are what a secret can look like.
func forms(s string) []string {
	reversed := []byte(s)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	out := []string{s, strings.ToUpper(s), s[:9], s[len(s)-9:], string(reversed), hex.EncodeToString([]byte(s)), url.QueryEscape(s + "&")[:len(s)], strings.Join(strings.Split(s, ""), " ")}
	for _, before := range []string{"", "u:", "x"} { // the three ways in which base64 may fall
		encoded := base64.StdEncoding.EncodeToString([]byte(before + s))
		out = append(out, encoded[4:len(encoded)-4])
	}
	return out
}
