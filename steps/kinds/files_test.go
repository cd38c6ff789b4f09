package kinds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/steps/confined"
)

// tree writes files, and links where the content begins with "->", into a
// new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if to, link := strings.CutPrefix(content, "->"); link {
			err = os.Symlink(to, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o640)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func code(o steps.Outcome) steps.Code {
	if o.Err == nil {
		return ""
	}
	return o.Err.Code
}

func TestFilesStayInBounds(t *testing.T) {
	outside := tree(t, map[string]string{"secret.txt": "secret", "sub/x.txt": "x"})
	other := tree(t, map[string]string{"shared.txt": "shared"})
	dir := tree(t, map[string]string{
		"in.txt": "in", "deep/in.txt": "in", "inner": "->in.txt", "out": "->" + filepath.Join(outside, "secret.txt"), "outdir": "->" + outside,
		"up": "->../..", "dangling": "->" + filepath.Join(outside, "new.txt"), "loop": "->loop", "shared": "->" + filepath.Join(other, "shared.txt"),
	})
	for _, c := range []struct {
		say, path string
		read      steps.Code
		write     steps.Code
	}{
		{"a file inside", "in.txt", "", ""},
		{"a path that turns back inside", "deep/../in.txt", "", ""},
		{"a link to a file inside", "inner", "", ""},
		{"a link into another folder that may be used", "shared", "", ""},
		{"a path that climbs out", "../secret.txt", steps.Denied, steps.Denied},
		{"a path that climbs out far", strings.Repeat("../", 40) + "etc/passwd", steps.Denied, steps.Denied},
		{"an absolute path outside", filepath.Join(outside, "secret.txt"), steps.Denied, steps.Denied},
		{"a link to a file outside", "out", steps.Denied, steps.Denied},
		{"a file behind a link to a folder outside", "outdir/secret.txt", steps.Denied, steps.Denied},
		{"a new file behind a link to a folder outside", "outdir/new.txt", steps.Denied, steps.Denied},
		{"a link that climbs", "up/x", steps.Denied, steps.Denied},
		{"a link to nothing outside", "dangling", steps.Denied, steps.Denied},
		{"a link to itself", "loop", steps.Internal, steps.Internal},
		{"a NUL byte", "in.txt\x00.png", steps.Invalid, steps.Invalid},
		{"a folder", "deep", steps.Invalid, steps.Invalid},
	} {
		t.Run(c.say, func(t *testing.T) {
			env := &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir, other}}}
			o := ReadFile.Run(t.Context(), env, map[string]any{"path": c.path})
			if code(o) != c.read {
				t.Errorf("reading gave %v, want code %q", o.Err, c.read)
			}
			o = WriteFile.Run(t.Context(), env, map[string]any{"path": c.path, "content": "new"})
			if code(o) != c.write {
				t.Errorf("writing gave %v, want code %q", o.Err, c.write)
			}
			if o.Err != nil && o.Acted != steps.ActedNo {
				t.Errorf("a write that was refused says acted: %s", o.Acted)
			}
			if code(o) == steps.Denied && !strings.Contains(o.Err.Error(), dir) {
				t.Errorf("%q does not say where files may be used", o.Err)
			}
		})
	}
	if got := content(t, filepath.Join(outside, "secret.txt")); got != "secret" {
		t.Errorf("the file outside holds %q", got)
	}
	if _, err := os.Stat(filepath.Join(outside, "new.txt")); err == nil {
		t.Error("a file outside was made")
	}
	if info, err := os.Lstat(filepath.Join(dir, "inner")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("writing through a link replaced the link")
	}
	if got := content(t, filepath.Join(other, "shared.txt")); got != "new" {
		t.Errorf("the file behind the link holds %q, want what was written", got)
	}
}

func TestNoRootsMeansNoFiles(t *testing.T) {
	dir := tree(t, map[string]string{"a": "a"})
	o := ReadFile.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir}}, map[string]any{"path": "a"})
	if code(o) != steps.Denied {
		t.Errorf("got %v, want denied", o.Err)
	}
}

func TestReadFile(t *testing.T) {
	dir := tree(t, map[string]string{
		"abc": "a\nb\nc\n", "open": "a\nb", "empty": "", "bin": "a\x00b", "long": strings.Repeat("x", 300<<10) + "\nend\n", "latin": "caf\xe9\n",
		"wide": strings.Repeat(strings.Repeat("y", 150<<10)+"\n", 2), "letters": "x" + strings.Repeat("é", confined.ContentLimit),
	})
	for _, c := range []struct {
		say  string
		args map[string]any
		want map[string]any
		code steps.Code
	}{
		{"whole", map[string]any{"path": "abc"}, map[string]any{"content": "a\nb\nc\n", "lines": 3.0, "total_lines": 3.0, "truncated": false}, ""},
		{"without an end to the last line", map[string]any{"path": "open"}, map[string]any{"content": "a\nb", "lines": 2.0, "total_lines": 2.0}, ""},
		{"a part", map[string]any{"path": "abc", "offset": 2.0, "limit": 1.0}, map[string]any{"content": "b\n", "first_line": 2.0, "total_lines": 3.0, "truncated": true}, ""},
		{"behind the end", map[string]any{"path": "abc", "offset": 4.0}, nil, steps.NotFound},
		{"an empty file", map[string]any{"path": "empty"}, map[string]any{"content": "", "lines": 0.0}, ""},
		{"what is not text", map[string]any{"path": "bin"}, nil, steps.Invalid},
		{"a file that is not there", map[string]any{"path": "none"}, nil, steps.NotFound},
		{"a line that does not fit is left for the next time", map[string]any{"path": "wide"}, map[string]any{"content": strings.Repeat("y", 150<<10) + "\n", "lines": 1.0, "total_lines": 2.0, "truncated": true}, ""},
		{"a line that is too long is cut between letters", map[string]any{"path": "letters"}, map[string]any{"content": "x" + strings.Repeat("é", (confined.ContentLimit-1)/2), "truncated": true}, ""},
		{"a line that is too long is cut", map[string]any{"path": "long"}, map[string]any{"content": strings.Repeat("x", confined.ContentLimit), "total_lines": 2.0, "truncated": true}, ""},
		{"letters that are not Unicode", map[string]any{"path": "latin"}, map[string]any{"content": "caf�\n"}, ""},
		{"from a folder of its own", map[string]any{"path": "abc", "working_directory": dir}, map[string]any{"lines": 3.0}, ""},
		{"no lines at all", map[string]any{"path": "abc", "limit": 0.0}, nil, steps.Invalid},
	} {
		t.Run(c.say, func(t *testing.T) {
			o := ReadFile.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, c.args)
			if code(o) != c.code {
				t.Fatalf("got %v, want code %q", o.Err, c.code)
			}
			if o.Acted != steps.ActedNo {
				t.Errorf("reading says acted: %s", o.Acted)
			}
			for k, v := range c.want {
				if d := cmp.Diff(v, o.Result[k]); d != "" {
					t.Errorf("%s (-want +got):\n%s", k, d)
				}
			}
		})
	}
}

func TestWriteFile(t *testing.T) {
	dir := tree(t, map[string]string{"old": "old"})
	env := func() *steps.Env { return &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}} }
	o := WriteFile.Run(t.Context(), env(), map[string]any{"path": "old", "content": "new"})
	if o.Err != nil || o.Acted != steps.ActedYes || o.Result["created"] != false || content(t, filepath.Join(dir, "old")) != "new" {
		t.Errorf("outcome %+v", o)
	}
	if info, _ := os.Stat(filepath.Join(dir, "old")); info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions became %v", info.Mode())
	}
	o = WriteFile.Run(t.Context(), env(), map[string]any{"path": "a/b/new", "content": "x"})
	if o.Err != nil || o.Result["created"] != true || content(t, filepath.Join(dir, "a", "b", "new")) != "x" {
		t.Errorf("outcome %+v", o)
	}
	o = WriteFile.Run(t.Context(), env(), map[string]any{"path": "old/below", "content": "x"})
	if o.Err == nil {
		t.Error("a file was written below a file")
	}
	left, err := filepath.Glob(filepath.Join(dir, "**", ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files were left over: %v %v", left, err)
	}
}

func TestEditFile(t *testing.T) {
	for _, c := range []struct {
		say, file, old, new string
		all                 bool
		want                string
		code                steps.Code
	}{
		{"once", "one two", "two", "2", false, "one 2", ""},
		{"twice is ambiguous", "a a", "a", "b", false, "a a", steps.Ambiguous},
		{"everywhere", "a a", "a", "b", true, "b b", ""},
		{"what is not there", "a", "b", "c", false, "a", steps.NotFound},
		{"line ends count as equal", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", false, "x\r\ny\r\nc\r\n", ""},
		{"the other line ends stay", "a\nb\r\nc\n", "c", "x\ny", false, "a\nb\r\nx\ny\n", ""},
		{"signs of patterns are only signs", "a.c abc", "a.c", "$1", false, "$1 abc", ""},
		{"letters that are not Unicode stay", "caf\xe9\nx\n", "caf\ufffd\nx", "y", false, "caf\xe9\nx\n", steps.NotFound},
		{"the same text", "a", "a", "a", false, "a", steps.Invalid},
		{"nothing", "a", "", "b", false, "a", steps.Invalid},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := tree(t, map[string]string{"f": c.file})
			o := EditFile.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}},
				map[string]any{"path": "f", "old_string": c.old, "new_string": c.new, "replace_all": c.all})
			if got := content(t, filepath.Join(dir, "f")); code(o) != c.code || got != c.want {
				t.Errorf("got %q %v, want %q %q", got, o.Err, c.want, c.code)
			}
		})
	}
}

func TestCopyContent(t *testing.T) {
	const source, target = "1\n2\n3\n4\n", "a\nb x\nc\n"
	for _, c := range []struct {
		say  string
		args map[string]any
		want string
		code steps.Code
	}{
		{"all at the end", map[string]any{}, target + source, ""},
		{"all at the beginning", map[string]any{"target_mode": "prepend"}, source + target, ""},
		{"some lines", map[string]any{"source_mode": "lines", "source_start_line": 2.0, "source_end_line": 3.0}, target + "2\n3\n", ""},
		{"from one text to another", map[string]any{"source_mode": "pattern", "source_start_pattern": "3", "source_end_pattern": "4"}, target + "3\n4\n", ""},
		{"before a line", map[string]any{"source_mode": "lines", "source_start_line": 1.0, "source_end_line": 1.0, "target_mode": "at_line", "target_line": 2.0}, "a\n1\nb x\nc\n", ""},
		{"after the line with a text", map[string]any{"source_mode": "lines", "source_start_line": 1.0, "source_end_line": 2.0, "target_mode": "after", "target_pattern": "b"}, "a\nb x\n1\n2\nc\n", ""},
		{"before the line with a text", map[string]any{"source_mode": "lines", "source_start_line": 1.0, "source_end_line": 1.0, "target_mode": "before", "target_pattern": "x"}, "a\n1\nb x\nc\n", ""},
		{"in the place of a text", map[string]any{"source_mode": "lines", "source_start_line": 1.0, "source_end_line": 1.0, "target_mode": "replace", "target_pattern": "b x"}, "a\n1\nc\n", ""},
		{"too few lines", map[string]any{"source_mode": "lines", "source_start_line": 1.0, "source_end_line": 9.0}, target, steps.NotFound},
		{"no such text", map[string]any{"target_mode": "after", "target_pattern": "q"}, target, steps.NotFound},
		{"a mode without what it needs", map[string]any{"target_mode": "after"}, target, steps.Invalid},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := tree(t, map[string]string{"s": source, "t": target})
			c.args["source_path"], c.args["target_path"] = "s", "t"
			o := CopyContent.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, c.args)
			if got := content(t, filepath.Join(dir, "t")); code(o) != c.code || got != c.want {
				t.Errorf("got %q %v, want %q %q", got, o.Err, c.want, c.code)
			}
		})
	}
}

// TestCopiesKeepTheirEncoding copies between files with other line endings, with a byte
// order mark and without a final line break.
func TestCopiesKeepTheirEncoding(t *testing.T) {
	const bom = "\ufeff"
	for _, c := range []struct {
		say, source, target string
		args                map[string]any
		want                string
	}{
		{"lines of Windows after a line of Windows", "1\r\n2\r\n", "a\r\nb\r\n", args("target_mode", "after", "target_pattern", "a"), "a\r\n1\r\n2\r\nb\r\n"},
		{"in the place of a text", "1\r\n2\r\n", "a\r\nb\r\n", args("target_mode", "replace", "target_pattern", "a"), "1\r\n2\r\nb\r\n"},
		{"before a line", "1\r\n", "a\r\nb\r\n", args("target_mode", "before", "target_pattern", "b"), "a\r\n1\r\nb\r\n"},
		{"lines of Unix at the end of a file of Windows", "1\n2\n", "a\r\nb", args(), "a\r\nb\r\n1\r\n2\r\n"},
		{"at its beginning", "1\n2\n", "a\r\nb", args("target_mode", "prepend"), "1\r\n2\r\na\r\nb"},
		{"at a line of it", "1", "a\r\nb", args("target_mode", "at_line", "target_line", 2.0), "a\r\n1\r\nb"},
		{"behind its last line", "1", "a\r\nb", args("target_mode", "at_line", "target_line", 3.0), "a\r\nb\r\n1\r\n"},
		{"lines of Windows into a file of Unix", "1\r\n2\r\n", "a\nb\n", args(), "a\nb\n1\n2\n"},
		{"lines of Windows into an empty file", "1\r\n2", "", args(), "1\r\n2\r\n"},
		{"before a byte order mark", "1\n", bom + "a\n", args("target_mode", "prepend"), bom + "1\na\n"},
		{"before the first line behind one", "1\n", bom + "a\n", args("target_mode", "before", "target_pattern", "a"), bom + "1\na\n"},
		{"from a file with a byte order mark", bom + "1\n", "a\n", args(), "a\n1\n"},
		{"from it into an empty file", bom + "1\n", "", args(), bom + "1\n"},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := tree(t, map[string]string{"s": c.source, "t": c.target})
			c.args["source_path"], c.args["target_path"] = "s", "t"
			o := CopyContent.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, c.args)
			if got := content(t, filepath.Join(dir, "t")); o.Err != nil || got != c.want {
				t.Errorf("got %q %v, want %q", got, o.Err, c.want)
			}
		})
	}
}

func TestGlobFiles(t *testing.T) {
	outside := tree(t, map[string]string{"x.go": ""})
	dir := tree(t, map[string]string{
		"a.go": "", "b.txt": "", "d/c.go": "", "d/e/f.go": "", ".git/g.go": "", "out": "->" + outside, "self": "->.", "lost.go": "->none",
	})
	for _, c := range []struct {
		pattern string
		want    []string
		code    steps.Code
	}{
		{"*.go", []string{"a.go"}, ""},
		{"**/*.go", []string{"a.go", "d/c.go", "d/e/f.go"}, ""},
		{"d/*.go", []string{"d/c.go"}, ""},
		{"{a,b}.*", []string{"a.go", "b.txt"}, ""},
		{dir + "/d/**", []string{dir + "/d/c.go", dir + "/d/e/f.go"}, ""},
		{"out/*", nil, steps.Denied},
		{"../*", nil, steps.Denied},
		{"none/*", nil, steps.NotFound},
		{"[", nil, steps.Invalid},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			o := GlobFiles.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, map[string]any{"pattern": c.pattern})
			if code(o) != c.code {
				t.Fatalf("got %v, want code %q", o.Err, c.code)
			}
			got := map[string]bool{}
			files, _ := o.Result["files"].([]any)
			for _, f := range files {
				got[f.(map[string]any)["path"].(string)] = true
			}
			want := map[string]bool{}
			for _, w := range c.want {
				want[w] = true
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
		})
	}
}

// The text of a time has no zeros at its end, so its order is not that of the times.
func TestTheNewestFileIsFirst(t *testing.T) {
	dir := tree(t, map[string]string{"whole": "", "tenth": "", "later": ""})
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, after := range map[string]time.Duration{"whole": 0, "tenth": 100 * time.Millisecond, "later": 120 * time.Millisecond} {
		if err := os.Chtimes(filepath.Join(dir, name), begin, begin.Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	o := GlobFiles.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, args("pattern", "*"))
	files, _ := o.Result["files"].([]any)
	var got []string
	for _, f := range files {
		got = append(got, f.(map[string]any)["path"].(string))
	}
	if want := []string{"later", "tenth", "whole"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGrepFiles(t *testing.T) {
	dir := tree(t, map[string]string{
		"a.txt": "one\ntwo\nthree\ntwo and a half\n", "d/b.md": "Two\n", "bin": "two\x00", "w.txt": "zwei\r\ntwo\r\n", "d/e/f/deep.txt": "sunk\n",
	})
	for _, c := range []struct {
		say  string
		args map[string]any
		want []string
	}{
		{"everywhere", map[string]any{"pattern": "two"}, []string{"a.txt:2:two", "a.txt:4:two and a half", "w.txt:2:two"}},
		{"a file in folders of folders once", map[string]any{"pattern": "sunk"}, []string{"d/e/f/deep.txt:1:sunk"}},
		{"whole lines, whatever their ends", map[string]any{"pattern": "^two$"}, []string{"a.txt:2:two", "w.txt:2:two"}},
		{"large and small letters", map[string]any{"pattern": "TWO", "ignore_case": true, "glob": "*.md"}, []string{"d/b.md:1:Two"}},
		{"some files", map[string]any{"pattern": "two", "glob": "d/*"}, nil},
		{"at most one", map[string]any{"pattern": "two", "max_results": 1.0}, []string{"a.txt:2:two"}},
	} {
		t.Run(c.say, func(t *testing.T) {
			o := GrepFiles.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, c.args)
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			var got []string
			for _, m := range o.Result["matches"].([]any) {
				m := m.(map[string]any)
				got = append(got, m["path"].(string)+":"+string('0'+rune(m["line"].(float64)))+":"+m["text"].(string))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("matches (-want +got):\n%s", d)
			}
		})
	}
	o := GrepFiles.Run(t.Context(), &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, map[string]any{"pattern": "three", "context_lines": 1.0})
	m := o.Result["matches"].([]any)[0].(map[string]any)
	if d := cmp.Diff([]any{m["before"], m["after"]}, []any{[]any{"two"}, []any{"two and a half"}}); d != "" {
		t.Errorf("context: %s", d)
	}
}

// TestManyLinesThatMatch finds so many lines that each may be looked at only once.
func TestManyLinesThatMatch(t *testing.T) {
	const lines = 300_000
	dir := tree(t, map[string]string{"f": strings.Repeat("x\n", lines)})
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	r, err := grepFiles(ctx, &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}, GrepArgs{Pattern: "x", Glob: "f", ContextLines: 1, MaxResults: lines})
	if err != nil || len(r.Matches) != lines || len(r.Matches[0].After) != 1 || len(r.Matches[lines-1].After) != 0 {
		t.Errorf("%d lines, %v", len(r.Matches), err)
	}
}

func TestPatternsThatTakeForeverAreRefused(t *testing.T) {
	env := &steps.Env{Folders: steps.Folders{Dir: t.TempDir()}}
	env.Roots = []string{env.Dir}
	for _, c := range []struct {
		kind steps.Kind
		args map[string]any
		code steps.Code
	}{
		{GlobFiles, map[string]any{"pattern": strings.Repeat("{a,b}", 40)}, steps.Invalid},
		{GlobFiles, map[string]any{"pattern": strings.Repeat("{a,{b,c}}", 9)}, steps.Invalid},
		{GlobFiles, map[string]any{"pattern": "{" + strings.Repeat("a,", 1000) + "b}"}, steps.Invalid},
		{GlobFiles, map[string]any{"pattern": strings.Repeat("{a,b}", 9)}, ""},
		{GlobFiles, map[string]any{"pattern": "{" + strings.Repeat("a,", 900) + "b}"}, ""},
		{GlobFiles, map[string]any{"pattern": strings.Repeat("**/a/", 12)}, steps.Invalid},
		{GlobFiles, map[string]any{"pattern": strings.Repeat("**/", 12) + "a"}, ""},
		{GrepFiles, map[string]any{"pattern": "a", "glob": strings.Repeat("{a,b}", 40)}, steps.Invalid},
		{GrepFiles, map[string]any{"pattern": strings.Repeat("(a|b){500}", 40)}, steps.Invalid},
		{GrepFiles, map[string]any{"pattern": `(?i)\bfunc (\w+)\b.{0,200}$`}, ""},
	} {
		if o := c.kind.Run(t.Context(), env, c.args); code(o) != c.code {
			t.Errorf("%.60v: %v, want code %q", c.args, o.Err, c.code)
		}
	}
}

// TestASearchEndsWithItsStep holds that the costliest pattern that is allowed
// stops soon after its step has ended.
func TestASearchEndsWithItsStep(t *testing.T) {
	files := map[string]string{}
	for i := range 200 {
		files[strings.Repeat("a/", 1+i%20)+fmt.Sprint(i)] = ""
	}
	dir := tree(t, files)
	env := &steps.Env{Folders: steps.Folders{Dir: dir, Roots: []string{dir}}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	err := confined.Walk(ctx, env, "**/{a,b}/**/{a,b}/**/{a,b}/**/{a,b}"+strings.Repeat("{a,b}", 5), "", func(confined.Match) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it ended by %v", err)
	}
}
