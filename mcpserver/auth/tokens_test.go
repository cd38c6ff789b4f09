package auth

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
)

func TestTokensAreKeptAsHashesForTheirOwnerOnly(t *testing.T) {
	st := newStage(t)
	token := st.add(laptop)
	text, err := os.ReadFile(st.tokens.Path())
	if err != nil {
		t.Fatal(err)
	}
	if secret := strings.TrimPrefix(token, tokenPrefix); strings.Contains(string(text), secret) || len(secret) < 43 {
		t.Errorf("the token %s stands in the file, or is short:\n%s", token, text)
	}
	info, err := os.Stat(st.tokens.Path())
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %o", info.Mode().Perm())
	}
}

func TestTokensTwoAreNeverTheSame(t *testing.T) {
	st := newStage(t)
	one, other := st.add(laptop), st.add(Token{Name: "other", Mode: Ask})
	if one == other {
		t.Error("two clients have one token")
	}
}

func TestFileThatOthersCanReadIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a system that heeds the permissions of files")
	}
	st := newStage(t)
	token := st.add(laptop)
	for _, mode := range []os.FileMode{0o640, 0o604, 0o660, 0o602} {
		if err := os.Chmod(st.tokens.Path(), mode); err != nil {
			t.Fatal(err)
		}
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != 503 {
			t.Errorf("with the file %o: %s", mode, res.Status)
		}
		if _, err := st.tokens.List(); steps.CodeOf(err) != steps.Denied {
			t.Errorf("with the file %o: %v", mode, err)
		}
	}
}

func TestFileOfAnotherUserIsRefused(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() != 0 {
		t.Skip("needs root, to give a file to another user")
	}
	st := newStage(t)
	token := st.add(laptop)
	for _, x := range []struct{ owner, want int }{{12345, 503}, {0, 200}} {
		if err := os.Chown(st.tokens.Path(), x.owner, x.owner); err != nil {
			t.Fatal(err)
		}
		if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != x.want {
			t.Errorf("it belongs to user %d: %s, want %d", x.owner, res.Status, x.want)
		}
	}
}

func TestDamagedFileLetsNobodyIn(t *testing.T) {
	for say, text := range map[string]string{
		"half a file":        `{"tokens": [{"name": "laptop"`,
		"no hash":            `{"tokens": [{"name": "laptop", "mode": "act", "sha256": ""}]}`,
		"no mode":            `{"tokens": [{"name": "laptop", "sha256": "` + strings.Repeat("00", 32) + `"}]}`,
		"a name with a line": `{"tokens": [{"name": "a\nb", "mode": "act", "sha256": "` + strings.Repeat("00", 32) + `"}]}`,
	} {
		t.Run(say, func(t *testing.T) {
			st := newStage(t)
			token := st.add(laptop)
			if err := os.WriteFile(st.tokens.Path(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if res := st.try("GET", "/runs", "Authorization", "Bearer "+token); res.StatusCode != 503 {
				t.Errorf("%s", res.Status)
			}
		})
	}
}

func TestChangesCountWithoutARestart(t *testing.T) {
	st := newStage(t)
	first := st.add(laptop)
	says := func(token string) string {
		res := st.try("GET", "/runs", "Authorization", "Bearer "+token)
		if res.StatusCode != 200 {
			return res.Status
		}
		return textOf(t, res)
	}
	if got := says(first); got != "laptop act core files" {
		t.Errorf("%s", got)
	}
	// another process, with the same file
	other := NewTokens(st.tokens.Path())
	second, err := other.Add(Token{Name: "watcher", Mode: Ask})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Remove("laptop"); err != nil {
		t.Fatal(err)
	}
	if got := []string{says(first), says(second)}; !cmp.Equal(got, []string{"401 Unauthorized", "watcher ask"}) {
		t.Errorf("%v", got)
	}
	if err := os.Remove(st.tokens.Path()); err != nil {
		t.Fatal(err)
	}
	if got := says(second); got != "401 Unauthorized" {
		t.Errorf("without the file: %s", got)
	}
}

func TestGrantIsTakenBack(t *testing.T) {
	st := newStage(t)
	token := st.add(laptop)
	g, err := st.tokens.verify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := g.Current(); err != nil || now.Mode != Act {
		t.Errorf("%v, %v", now, err)
	}
	if err := st.tokens.Remove("laptop"); err != nil {
		t.Fatal(err)
	}
	st.add(laptop) // another client with the same name
	if _, err := g.Current(); err == nil {
		t.Error("the grant outlived its token")
	}
}

func TestAddRefusesWhatItCannotKeep(t *testing.T) {
	st := newStage(t)
	st.add(laptop)
	for say, x := range map[string]Token{
		"a name twice":             laptop,
		"no name":                  {Mode: Ask},
		"a long name":              {Name: strings.Repeat("a", 65), Mode: Ask},
		"a name with a line":       {Name: "a\nb", Mode: Ask},
		"a name with a colour":     {Name: "a\x1b[31m", Mode: Ask},
		"a name that runs back":    {Name: "a\u202eb", Mode: Ask},
		"a name that is an id's":   {Name: "a#b", Mode: Ask},
		"a name with a slash":      {Name: "a/b", Mode: Ask},
		"a mode that there is not": {Name: "b", Mode: "do"},
	} {
		if _, err := st.tokens.Add(x); steps.CodeOf(err) != steps.Invalid {
			t.Errorf("%s: %v", say, err)
		}
	}
	if list, err := st.tokens.List(); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestTokensWantAFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := NewTokens(dir).List(); err == nil {
		t.Error("a folder was taken")
	}
}
