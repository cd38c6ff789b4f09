package dialect

import "regexp"

// bareName matches the atom name: of a selector where one can begin.
var bareName = regexp.MustCompile(`(^|&&|\|\|?|>>|[(!,]|(?:of|near|above|below|has):)(\s*)name:`)

// LooseNames returns a selector in which name:VALUE is name?:VALUE, since in other
// programs it is a part of the name, in any case.
func LooseNames(selector string) string { return bareName.ReplaceAllString(selector, "${1}${2}name?:") }

// lookedFor matches the selector of exists() and text() in an expression, and that of
// locator() in a script.
var lookedFor = regexp.MustCompile(`\b(?:exists|text|locator)\(\s*(?:'[^'\n]*'|"[^"\n]*"|` + "`[^`]*`" + `)`)

// opening matches what stands before that selector.
var opening = regexp.MustCompile(`^\w+\(\s*['"` + "`" + `]`)

// LooseNamesIn is LooseNames for the selectors in an expression or a script.
func LooseNamesIn(expression string) string {
	return lookedFor.ReplaceAllStringFunc(expression, func(s string) string {
		begin := opening.FindString(s)
		return begin + LooseNames(s[len(begin):])
	})
}
