package local

import (
	"fmt"
	"runtime"
	"strings"
)

// splitCommand splits a command line as a shell does that expands nothing:
// blanks separate, quotes and backslashes keep together. On Windows backslashes are parts of
// paths.
func splitCommand(line string) ([]string, error) {
	var args []string
	var arg strings.Builder
	var quote rune
	inside, escaped := false, false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`\n", c) {
				arg.WriteByte('\\')
			}
			arg.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'' && runtime.GOOS != "windows":
			escaped, inside = true, true
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				arg.WriteRune(c)
			}
		case c == '\'' || c == '"':
			quote, inside = c, true
		case strings.ContainsRune(" \t\n\r", c):
			if inside {
				args = append(args, arg.String())
				arg.Reset()
			}
			inside = false
		default:
			arg.WriteRune(c)
			inside = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("command line %q: the quote %c is opened and not closed", line, quote)
	}
	if escaped {
		return nil, fmt.Errorf("command line %q: nothing follows the last backslash", line)
	}
	if inside {
		args = append(args, arg.String())
	}
	return args, nil
}
