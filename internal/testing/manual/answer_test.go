package manual

import (
	"regexp"
	"strings"
	"testing"
)

// same tells whether an answer is the one that a page shows: line by line, where
// … stands for anything, and a line with nothing else for any lines.
func same(shown, got string) bool {
	var b strings.Builder
	b.WriteString(`\A`)
	for line := range strings.Lines(plain(shown)) {
		if strings.TrimSpace(line) == "…" {
			b.WriteString(`(?:.*\n)*?`)
			continue
		}
		parts := strings.Split(strings.TrimSpace(line), "…")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		b.WriteString(strings.Join(parts, ".*") + `\n`)
	}
	b.WriteString(`\z`)
	return regexp.MustCompile(b.String()).MatchString(plain(got))
}

// What differs from one time to the next.
var changing = []struct {
	pattern *regexp.Regexp
	word    string
}{
	{regexp.MustCompile(`\b01[0-9a-hjkmnp-tv-z]{24}\b`), "RUN"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?`), "DATE"},
	{regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+(\.\d+)?(s|ms|µs|ns)\b`), "TIME"},
	{regexp.MustCompile(`\b\d+ ms\b`), "TIME"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "ADDRESS"},
	{regexp.MustCompile(`[ \t]+`), " "},
}

// plain is a text without what changes, and without blanks around lines.
func plain(text string) string {
	for _, c := range changing {
		text = c.pattern.ReplaceAllString(text, c.word)
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimSpace(line) + "\n")
	}
	return b.String()
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		say, shown, got string
		want            bool
	}{
		{"the same", "a\nb\n", "a\nb\n", true},
		{"another line", "a\n", "a\nb\n", false},
		{"any lines", "a\n…\nd\n", "a\nb\nc\nd\n", true},
		{"no line where any may be", "a\n…\nd\n", "a\nd\n", true},
		{"anything within a line", "in …/x: ok\n", "in /tmp/1/x: ok\n", true},
		{"ids and times", "run 01m7ys5t6js1p97s9swagwnjg4 after 861ms\n", "run 01m7z1h0zwkwwc3wyh2v1fm6a5 after 2m1.5s\n", true},
		{"another word beside an id", "run 01m7ys5t6js1p97s9swagwnjg4 failed\n", "run 01m7z1h0zwkwwc3wyh2v1fm6a5 ended\n", false},
		{"marks of patterns mean themselves", "a.b\n", "axb\n", false},
	} {
		if got := same(c.shown, c.got); got != c.want {
			t.Errorf("%s: %t", c.say, got)
		}
	}
}
