package dialect

import "regexp"

var (
	firstOfResult = regexp.MustCompile(`\b([A-Za-z_][\w-]*)_result(\?\.)?\[0\]`)
	template      = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
)

// WithoutFirst returns an expression without [0] behind the results of the steps with known
// ids: in other programs a result is a list of one.
func WithoutFirst(expression string, known func(id string) bool) string {
	return firstOfResult.ReplaceAllStringFunc(expression, func(s string) string {
		if m := firstOfResult.FindStringSubmatch(s); known(m[1]) {
			return m[1] + "_result"
		}
		return s
	})
}

// WithoutFirstIn is WithoutFirst for the expressions in the templates of a text.
func WithoutFirstIn(text string, known func(id string) bool) string {
	return template.ReplaceAllStringFunc(text, func(s string) string { return WithoutFirst(s, known) })
}
