package watch

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"understudy/recorder"
)

// holder is what has the keyboard. The zero holder is unknown.
type holder struct {
	field  int  // its number; 0: unknown
	secret bool // it is, or once was, a password field
}

// open reports whether text that goes there may be written: never if that is unknown.
func (h holder) open() bool { return h.field > 0 && !h.secret }

// secrecy decides which field typed keys went to, and whether their text may be
// written. Keys are reported after the fact: by then they themselves, later keys
// or the program may have moved the keyboard. Three rules follow:
//
//   - Once a password field had the keyboard, all text counts as the password's
//     until input of the person may have moved the keyboard. A program that moves
//     it does not end that: keys of the password may still be on their way.
//   - When later input may have moved the keyboard, the keys went to what surely
//     had it before them. Otherwise they went to what has it now.
//   - Text is written only if it went to an open field.
type secrecy struct {
	password int // the password field that had the keyboard since input last moved it; 0: none
}

// had notes what surely had the keyboard.
func (s *secrecy) had(h holder) {
	if h.secret && s.password == 0 {
		s.password = h.field
	}
}

// inputMoved notes that input may have moved the focus, and all keys before it are written.
func (s *secrecy) inputMoved() { s.password = 0 }

// mayWait reports whether keys may be held back for longer: they were typed in an
// open field, and the application does not say now what has the keyboard.
func (s *secrecy) mayWait(before, after holder, moved bool) bool {
	return after.field == 0 && !moved && before.open() && s.password == 0
}

// attribute returns the field that keys went to, and whether their text is
// hidden. Before is what surely had the keyboard before them, after what has it
// now; moved says that input after them may have moved it.
func (s *secrecy) attribute(before, after holder, moved bool) (field int, hidden bool) {
	to := before
	s.had(before)
	if !moved {
		to = after
		s.had(after)
	}
	if s.password > 0 {
		return s.password, true
	}
	return to.field, !to.open()
}

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
