package dialect

import (
	"regexp"
)

// bareName matches the atom name: of a selector where one can begin.
var bareName = regexp.MustCompile(`(^|&&|\|\|?|>>|[(!,]|(?:of|near|above|below|has):)(\s*)name:`)

// LooseNames returns a selector in which name:VALUE is name?:VALUE, since in other
// programs it is a part of the name, in any case.
func LooseNames(selector string) string { return bareName.ReplaceAllString(selector, "${1}${2}name?:") }

// atomRole matches the atom role: of a selector where a part or an alternative can begin.
var atomRole = regexp.MustCompile(`(^|&&|\|\|?|>>|[(!,])(\s*)role:([A-Za-z]+)(\s*(?:[&|>),]|$))`)

// WideRoles returns a selector in which the name of a role that means several of ours names
// them all.
func WideRoles(selector string) string {
	// Where two such atoms stand beside each other, the first match takes the sign between them.
	for range 2 {
		selector = atomRole.ReplaceAllStringFunc(selector, func(s string) string {
			m := atomRole.FindStringSubmatch(s)
			if r, ok := Find(Role, "", m[3]); ok {
				return m[1] + m[2] + "(" + r.Now + ")" + m[4]
			}
			return s
		})
	}
	return selector
}

// lookedFor matches the selector of exists() and text() in an expression, and that of
// locator() in a script.
var lookedFor = regexp.MustCompile(`\b(?:exists|text|locator)\(\s*(?:'[^'\n]*'|"[^"\n]*"|` + "`[^`]*`" + `)`)

// opening matches what stands before that selector.
var opening = regexp.MustCompile(`^\w+\(\s*['"` + "`" + `]`)

// In returns an expression or a script with its selectors changed.
func In(expression string, change func(selector string) string) string {
	return lookedFor.ReplaceAllStringFunc(expression, func(s string) string {
		begin := opening.FindString(s)
		end := s[len(s)-1:]
		return begin + change(s[len(begin):len(s)-1]) + end
	})
}

// Loose returns a selector of other programs in the spelling that means the same here.
func Loose(selector string) string { return WideRoles(LooseNames(selector)) }
