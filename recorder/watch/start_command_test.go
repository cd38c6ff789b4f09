package watch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAProgramIsStartedAsAPersonStartsIt looks at what a program became, and what
// a person had written.
func TestAProgramIsStartedAsAPersonStartsIt(t *testing.T) {
	files := programFiles{
		find: func(name string) (path, resolved string) {
			switch name {
			case "soffice":
				return "/usr/bin/soffice", "/usr/lib/libreoffice/program/soffice"
			case "chromium", "editor", "notes", "wrapped", "python3":
				return "/usr/bin/" + name, "/usr/bin/" + name
			case "twice":
				return "/usr/local/bin/twice", "/usr/local/bin/twice"
			}
			return "", ""
		},
		script: func(path string) string {
			switch path {
			case "/usr/bin/chromium":
				return "#!/bin/sh\nexport FLAGS=\"$FLAGS --enable-gpu\"\nFLAGS=\"$FLAGS --media-router=0\""
			case "/usr/bin/wrapped", "/usr/local/bin/twice":
				return "#!/bin/sh"
			}
			return ""
		},
		isApplication: func(id string) bool { return id == "org.example.Clock" },
		searched:      func(dir string) bool { return dir == "/usr/bin" },
		exists:        func(path string) bool { return path == "/home/me/list.txt" || path == "/opt/My Tools/paint" },
	}
	line := func(exe, text string) launched {
		return launched{args: strings.Fields(text), exe: exe, dir: "/home/me"}
	}
	for _, c := range []struct {
		say   string
		class string
		chain []launched
		want  []string
	}{
		{"a program in PATH", "", []launched{line("/usr/bin/editor", "editor --new a.txt")}, []string{"editor", "--new", "a.txt"}},
		{"a program in PATH by its full path", "", []launched{line("/usr/bin/editor", "/usr/bin/editor")}, []string{"editor"}},
		{"a file where it was started is found from anywhere", "", []launched{line("/usr/bin/editor", "editor list.txt")}, []string{"editor", "/home/me/list.txt"}},
		{
			"a launcher that added arguments and replaced itself, and whose program writes them as one", "Chromium",
			[]launched{{
				args: []string{"/usr/lib/chromium/chromium --enable-gpu --media-router=0 --incognito http://a.example/"},
				exe:  "/usr/lib/chromium/chromium",
			}},
			[]string{"chromium", "--incognito", "http://a.example/"},
		},
		{
			"a file that nobody calls, beside the one that people call", "libreoffice-calc",
			[]launched{line("/usr/lib/libreoffice/program/soffice.bin", "/usr/lib/libreoffice/program/soffice.bin --calc list.txt"), line("/usr/lib/libreoffice/program/oosplash", "/usr/lib/libreoffice/program/oosplash --calc list.txt")},
			[]string{"soffice", "--calc", "/home/me/list.txt"},
		},
		{"a script in PATH", "", []launched{line("/usr/bin/python3.11", "/usr/bin/python3 /usr/bin/notes --all")}, []string{"notes", "--all"}},
		{"a script that is not in PATH", "", []launched{line("/usr/bin/python3.11", "python3 /home/me/notes.py")}, []string{"python3", "/home/me/notes.py"}},
		{"an interpreter of one's own", "", []launched{line("/usr/bin/python3.11", "/home/me/venv/bin/python3 /home/me/notes.py")}, []string{"/home/me/venv/bin/python3", "/home/me/notes.py"}},
		{"one of two programs of a name", "", []launched{line("/usr/bin/twice", "/usr/bin/twice a.txt")}, []string{"/usr/bin/twice", "a.txt"}},
		{
			"a script that waits for what it started", "",
			[]launched{line("/opt/wrapped/wrapped-bin", "/opt/wrapped/wrapped-bin --internal a.txt"), line("/usr/bin/dash", "/bin/sh /usr/bin/wrapped a.txt")},
			[]string{"wrapped", "a.txt"},
		},
		{"an application that is known only by its desktop file", "org.example.Clock", []launched{line("/opt/clock/run", "/opt/clock/run")}, []string{"org.example.Clock"}},
		{"a path with blanks", "", []launched{{args: []string{"/opt/My Tools/paint"}, exe: "/opt/My Tools/paint"}}, []string{"/opt/My Tools/paint"}},
		{"what nothing is known of", "", []launched{line("/opt/clock/run", "/opt/clock/run --small")}, []string{"/opt/clock/run", "--small"}},
		{"no process", "", nil, nil},
		{"a process that says nothing", "", []launched{{}}, nil},
	} {
		t.Run(c.say, func(t *testing.T) {
			if diff := cmp.Diff(c.want, files.command(c.class, c.chain)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
