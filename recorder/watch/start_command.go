package watch

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/internal/desktop"
	"understudy/recorder/compile"
)

// launched is how a process was started.
type launched struct {
	args []string // its command line
	exe  string   // the file of its program
	dir  string   // its working directory
}

// programFiles looks up installed programs. It is a value, so tests need no programs.
type programFiles struct {
	// find returns the file of a command in PATH, without and with links followed, or "".
	find func(name string) (path, resolved string)
	// script returns the text of a script and of its included files; "" for other files.
	script func(path string) string
	// isApplication reports whether a desktop file has this name.
	isApplication func(id string) bool
	exists        func(path string) bool
	// searched reports whether a folder is in PATH.
	searched func(dir string) bool
}

// command returns the command line with which a person starts the program of a window. The process
// may have another, because a launcher adds arguments and executes another file. The chain is the
// process and its parents, the nearest first.
func (f *programFiles) command(class string, chain []launched) []string {
	if len(chain) == 0 {
		return nil
	}
	own := chain[0]
	words := f.given(own)
	if len(words) == 0 {
		return nil
	}
	if script := f.scriptOf(words); script != nil {
		return script
	}
	name := filepath.Base(words[0])
	if path, _ := f.find(name); path != "" && (path == words[0] || name == words[0]) {
		return withName(name, words)
	}
	if filepath.IsAbs(words[0]) && f.searched(filepath.Dir(words[0])) {
		return words // its name alone would start another
	}
	if len(chain) > 1 {
		if script := f.scriptOf(f.given(chain[1])); script != nil {
			return script
		}
	}
	for _, n := range []string{name, strings.TrimSuffix(name, filepath.Ext(name))} {
		path, resolved := f.find(n)
		if path == "" {
			continue
		}
		if script := f.script(path); script != "" || own.exe == words[0] && filepath.Dir(resolved) == filepath.Dir(own.exe) {
			return withName(n, withoutAdded(words, script))
		}
	}
	for _, id := range []string{class, strings.ToLower(class)} {
		if len(words) == 1 && f.isApplication(id) {
			return []string{id}
		}
	}
	return words
}

// scriptOf returns the command of a script in PATH that an interpreter runs, or nil.
func (f *programFiles) scriptOf(words []string) []string {
	if len(words) < 2 || !filepath.IsAbs(words[1]) {
		return nil
	}
	name := filepath.Base(words[1])
	if path, resolved := f.find(name); path == "" || path != words[1] && resolved != words[1] {
		return nil
	}
	return withName(name, words[1:])
}

// withoutAdded drops the options that the script of a launcher adds.
func withoutAdded(words []string, script string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "-") && strings.Contains(script, w) })
}

func withName(name string, words []string) []string {
	return append([]string{name}, words[1:]...)
}

// given returns the words of a command line, with absolute paths of files.
func (f *programFiles) given(p launched) []string {
	words := p.args
	if len(words) == 1 && strings.Contains(words[0], " ") && !f.exists(words[0]) {
		words = strings.Fields(words[0]) // some programs overwrite their command line
	}
	words = slices.Clone(words)
	for i, w := range words {
		if path := filepath.Join(p.dir, w); i > 0 && w != "" && !filepath.IsAbs(w) && p.dir != "" && f.exists(path) {
			words[i] = path
		}
	}
	return words
}

// installed are the programs of this machine.
var installed = programFiles{
	find: func(name string) (path, resolved string) {
		path, err := exec.LookPath(name)
		if err != nil || strings.ContainsRune(name, filepath.Separator) {
			return "", ""
		}
		resolved, _ = filepath.EvalSymlinks(path)
		return path, resolved
	},
	script: readScript,
	isApplication: func(id string) bool {
		return id != "" && slices.ContainsFunc(desktop.EntryFolders(), func(dir string) bool {
			_, err := os.Stat(filepath.Join(dir, id+".desktop"))
			return err == nil
		})
	},
	exists: func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	},
	searched: func(dir string) bool { return slices.Contains(filepath.SplitList(os.Getenv("PATH")), dir) },
}

// included matches the files that a script reads, such as /etc/chromium.d/*.
var included = regexp.MustCompile(`/etc/[\w.*/-]+`)

// readScript returns the text of a script and of the settings that it includes.
func readScript(path string) string {
	const most = 1 << 20 // a larger file is no script
	if info, err := os.Stat(path); err != nil || info.Size() > most {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(text, []byte("#!")) {
		return ""
	}
	for _, pattern := range included.FindAllString(string(text), -1) {
		settings, _ := filepath.Glob(pattern)
		for _, file := range settings {
			more, _ := os.ReadFile(file)
			text = append(text, more...)
		}
	}
	return string(text)
}

// commandLine returns the command line that starts a program, quoted for a shell, or "".
func commandLine(class string, pid int, parents []int) string {
	chain := []launched{readLaunched(pid)}
	for _, p := range parents {
		chain = append(chain, readLaunched(p))
	}
	words := installed.command(class, chain)
	for i, w := range words {
		words[i] = compile.QuoteWord(w)
	}
	return strings.Join(words, " ")
}

// readLaunched reads from /proc how a process was started.
func readLaunched(pid int) (p launched) {
	of := func(name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }
	text, err := os.ReadFile(of("cmdline"))
	if text = bytes.TrimRight(text, "\x00"); err != nil || len(text) == 0 {
		return p
	}
	p.args = strings.Split(string(text), "\x00")
	p.exe, _ = os.Readlink(of("exe"))
	p.dir, _ = os.Readlink(of("cwd"))
	return p
}

// parentPIDs returns the ancestors of a process, the nearest first.
func parentPIDs(pid int) (pids []int) {
	const most = 16
	for range most {
		stat := desktop.ProcessStat(pid)
		if stat == nil {
			return pids
		}
		if pid, _ = strconv.Atoi(stat[1]); pid <= 1 {
			return pids
		}
		pids = append(pids, pid)
	}
	return pids
}
