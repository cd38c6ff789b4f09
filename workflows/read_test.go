package workflows

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestYAMLMeansWhatYAML12Says(t *testing.T) {
	for _, c := range []struct {
		say, text string
		want      any
	}{
		{"on, yes and no are texts", "[on, yes, no, off, y]", []any{"on", "yes", "no", "off", "y"}},
		{"true and false are booleans", "[true, False, TRUE]", []any{true, false, true}},
		{"a date is a text", "2026-11-21", "2026-11-21"},
		{"null has several spellings", "[null, ~, ]", []any{nil, nil}},
		{"numbers", "[1, -2, 3.5, 1e3, 0x10, 0o17, .5]", []any{1.0, -2.0, 3.5, 1000.0, 16.0, 15.0, .5}},
		{"a leading zero is not octal", "0755", 755.0},
		{"versions and times are texts", "[1.2.3, '1', 12:30, 1_000]", []any{"1.2.3", "1", "12:30", "1_000"}},
		{"quoted words are texts", `["true", 'null', "1"]`, []any{"true", "null", "1"}},
		{"not a number is a text", "[.nan, .inf]", []any{".nan", ".inf"}},
		{"a forced text", "!!str 12", "12"},
		{"an alias is what it names", "{a: &x {b: 1}, c: *x}", map[string]any{"a": map[string]any{"b": 1.0}, "c": map[string]any{"b": 1.0}}},
		{"a merge adds what is not there", "{a: &x {b: 1, c: 2}, d: {<<: *x, c: 3}}", map[string]any{
			"a": map[string]any{"b": 1.0, "c": 2.0}, "d": map[string]any{"b": 1.0, "c": 3.0},
		}},
		{"JSON with pairs of escapes", `{"a": "\ud83d\ude00\/", "b": [1e2, null]}`, map[string]any{"a": "😀/", "b": []any{100.0, nil}}},
		{"JSON with tabs and a byte order mark", "\ufeff{\n\t\"a\":\t1}", map[string]any{"a": 1.0}},
	} {
		t.Run(c.say, func(t *testing.T) {
			r := &report{}
			v := read(Source{Text: []byte(c.text)}, r)
			if err := r.err(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, v.plain()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestReadRefusesInvalidDocuments(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a: &a [x,x,x,x,x,x,x,x,x]\n")
	for c := 'b'; c <= 'i'; c++ {
		bomb.WriteString(fmt.Sprintf("%c: &%[1]c [%[2]s]\n", c, strings.Repeat(fmt.Sprintf("*%c,", c-1), 9)))
	}
	for _, c := range []struct{ say, text, want string }{
		{"nothing", " \n", "1:1 the document is empty"},
		{"only a comment", "# later\n", "1:1 the document is empty"},
		{"too large", "a: " + strings.Repeat("x", MaxSize), "1:1 the document has 4194307 bytes, and the limit is 4194304"},
		{"not UTF-8", "name: a\nb: \xff", "2:4 byte 11 is not UTF-8"},
		{"two documents", "a: 1\n---\nb: 2\n", "2:1 the file holds more than one document"},
		{"a doubled key", "name: a\nversion: 1\nname: b\n", `3:1 the key "name" occurs twice; first in line 1`},
		{"a doubled key in JSON", "{\"name\": 1,\n \"name\": 2}", `2:2 the key "name" occurs twice; first in line 1`},
		{"too deep in YAML", strings.Repeat("[", 70) + strings.Repeat("]", 70), "1:66 the document is nested more than 64 levels deep"},
		{"too deep in JSON", strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), "the document is nested more than 64 levels deep"},
		{"very deep", strings.Repeat("[", 100_000), "this is not YAML"},
		{"an alias bomb", bomb.String(), "the document holds more than 250000 values when its aliases are expanded"},
		{"an alias inside itself", "a: &x [1, *x]", "the alias contains itself"},
		{"too many values", "[" + strings.Repeat("a,", 300_000) + "]", "the document holds more than 250000 values"},
		{"too many values in JSON", `{"a":[` + strings.Repeat("1,", 300_000) + "1]}", "the document holds more than 250000 values"},
		{"a tab", "steps:\n\t- id: a\n", "this is not YAML: found character that cannot start any token"},
		{"a colon in a text", "name: a: b\n", "this is not YAML: mapping values are not allowed"},
		{"a list as a key", "? [a]\n: b\n", "1:3 a key is a text"},
		{"an unknown tag", "a: !!int x", "1:4 the tag !!int is not known here"},
		{"a huge number in JSON", `{"a": 1e999}`, "1:7 the number 1e999 is too large"},
		{"an open quote", "name: \"a\n", "this is not YAML: found unexpected end of stream"},
	} {
		t.Run(c.say, func(t *testing.T) {
			r := &report{root: "test.yaml"}
			read(Source{Name: "test.yaml", Text: []byte(c.text)}, r)
			if got := strings.Join(lines(t, r.err()), "\n"); !strings.Contains(got, c.want) {
				t.Errorf("wanted %q, found %q", c.want, got)
			}
		})
	}
}

func TestAPlaceInsideATextIsFound(t *testing.T) {
	for _, c := range []struct {
		say, text      string
		offset, length int
		want           string
	}{
		{"plain", "if: a == bad", 5, 3, "1:10+3"},
		{"in single quotes, one of them doubled", "if: 'it''s bad'", 5, 3, "1:12+3"},
		{"in double quotes with escapes", `if: "\"a\" bad"`, 4, 3, "1:12+3"},
		{"in JSON with pairs of escapes", `{"if": "\ud83d\ude00 bad"}`, 5, 3, "1:22+3"},
		{"behind wide letters", "if: grüße bad", 8, 3, "1:11+3"},
		{"in a block", "if: |\n  a\n  b bad\n", 4, 3, "3:5+3"},
		{"at the end", "if: a", 1, 0, "1:6+1"},
		{"of a text over two lines", "if: a\n  bad", 2, 3, "1:4+1"},
	} {
		t.Run(c.say, func(t *testing.T) {
			r := &report{}
			v := read(Source{Text: []byte(c.text)}, r).get("if")
			p := v.within(c.offset, c.length)
			if c.say == "of a text over two lines" {
				if p.line != 1 {
					t.Errorf("found line %d", p.line)
				}
				return
			}
			if got := fmt.Sprintf("%d:%d+%d", p.line, p.column, p.length); got != c.want {
				t.Errorf("wanted %s, found %s", c.want, got)
			}
		})
	}
}
