package watch

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"understudy/recorder"
)

// A terminal is one field. A password in it is recognised by its prompt.

// passwordPrompt matches a line that ends with a prompt for a password.
var passwordPrompt = regexp.MustCompile(`(?i)(pass(word|phrase|code|wort)|kennwort|\bpin\b|mot de passe|contraseña|palavra-passe|senha|wachtwoord|lösenord|hasło|heslo|пароль|パスワード|密码|密碼|비밀번호)[^:：]*[:：]\s*$`)

// linesBehind is the number of lines that may follow the prompt if it is read after Enter.
const linesBehind = 2

// asksInTerminal reports whether a field is a terminal with a password prompt, or unreadable.
func (r *reader) asksInTerminal(ctx context.Context, t *recorder.Seen, moved bool) bool {
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

// asksForPassword reports whether one of the last lines of a screen is a password prompt.
func asksForPassword(screen string, behind int) bool {
	var lines []string
	for line := range strings.Lines(screen) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return slices.ContainsFunc(lines[max(0, len(lines)-1-behind):], passwordPrompt.MatchString)
}
