package kinds

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

// A secret is recognised whole only, so a message that shortens it would show a part.
func TestNoMessageHoldsAPartOfALongSecret(t *testing.T) {
	secret := strings.Repeat("0123456789", 10)
	dir := tree(t, map[string]string{"f": "text\n"})
	for _, c := range []struct {
		say  string
		kind steps.Kind
		args map[string]any
	}{
		{"to replace", EditFile, args("path", "f", "old_string", secret, "new_string", "")},
		{"to copy from", CopyContent, args("source_path", "f", "target_path", "f", "source_mode", "pattern", "source_start_pattern", secret, "source_end_pattern", "x")},
		{"to copy up to", CopyContent, args("source_path", "f", "target_path", "f", "source_mode", "pattern", "source_start_pattern", "text", "source_end_pattern", secret)},
		{"to copy behind", CopyContent, args("source_path", "f", "target_path", "f", "target_mode", "after", "target_pattern", secret)},
		{"to wait for", WaitForElement, args("selector", "role:entry", "condition", "text", "text", secret)},
		{"as a condition", Assert, args("condition", secret)},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := fake.New(fake.MustParse(notes)...)
				defer d.Close()
				env := seeing(d)
				env.Dir, env.Roots = dir, []string{dir}
				env.Secret = func(text string) bool { return strings.Contains(text, secret) }
				o := c.kind.Run(t.Context(), env, c.args)
				if o.Err == nil || strings.Contains(strings.ReplaceAll(o.Err.Error(), secret, ""), secret[:10]) {
					t.Errorf("got %v, want an error without a part of the secret", o.Err)
				}
			})
		})
	}
}

// An outline cuts long texts, and joins their lines.
func TestNoTreeHoldsAPartOfASecret(t *testing.T) {
	const secret = "0123456789  abcdefghij"
	for say, text := range map[string]string{
		"cut": strings.Repeat("x", 70) + strings.ReplaceAll(secret, " ", "-"), "joined": "is " + secret,
	} {
		d := fake.New(fake.MustParse(notes)...)
		defer d.Close()
		env := seeing(d)
		env.Secret = func(text string) bool {
			return strings.Contains(text, secret) || strings.Contains(text, strings.ReplaceAll(secret, " ", "-"))
		}
		d.OnPress("enter", func() { d.Set(d.Find("role:entry"), func(e *desktop.Element) { e.Text = text }) })
		o := PressKey.Run(t.Context(), env, args("selector", "role:entry", "key", "enter", "ui_diff_before_after", true))
		tree := GetWindowTree.Run(t.Context(), env, args())
		if told := fmt.Sprint(o.Result["ui_diff"], tree.Result); o.Err != nil || tree.Err != nil || strings.Contains(told, secret[:5]) || !strings.Contains(told, "holds a secret") {
			t.Errorf("%s: %v %v: %s", say, o.Err, tree.Err, told)
		}
	}
}
