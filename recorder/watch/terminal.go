package watch

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// A terminal is one field, whatever is asked in it. A password that is typed there
// is known by the line that asks for it.

// passwordPrompt is a line that ends with a question for a password.
var passwordPrompt = regexp.MustCompile(`(?i)(pass(word|phrase|code|wort)|kennwort|\bpin\b|mot de passe|contraseña|palavra-passe|senha|wachtwoord|lösenord|hasło|heslo|пароль|パスワード|密码|密碼|비밀번호)[^:：]*[:：]\s*$`)

// linesBehind is how many lines of answer may stand behind the question, where the
// terminal was looked at when Enter had been pressed already.
const linesBehind = 2

// asksInTerminal reports whether a field is a terminal that asks for a password, or
// one that does not say what it shows.
func (r *recording) asksInTerminal(ctx context.Context, field int, moved bool) bool {
	t := r.focus.of(field)
	if t == nil || t.Role != "terminal" {
		return false
	}
	e, err := r.refresh(ctx, t.Handle, focusTimeout)
	if err != nil {
		return true
	}
	behind := 0
	if moved {
		behind = linesBehind
	}
	return asksForPassword(e.Text, behind)
}

// asksForPassword reports whether the last line of a screen asks for a password, or
// one with at most so many lines behind it.
func asksForPassword(screen string, behind int) bool {
	var lines []string
	for line := range strings.Lines(screen) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return slices.ContainsFunc(lines[max(0, len(lines)-1-behind):], passwordPrompt.MatchString)
}
