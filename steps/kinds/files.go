package kinds

import (
	"regexp"
	"slices"
	"strings"

	"understudy/steps"
)

// Folder is where relative paths of arguments start.
type Folder struct {
	WorkingDirectory steps.Path `json:"working_directory,omitzero" jsonschema:"where relative paths start; without it the caller's folder"`
}

// findText returns where a text is in another. All line endings count as equal.
func findText(text, sought string) [][]int {
	sought = toLF(sought)
	parts := strings.Split(sought, "\n")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	places := regexp.MustCompile(strings.Join(parts, "\r?\n")).FindAllStringIndex(text, -1)
	// To an expression, a byte that is not UTF-8 equals the letter that read_file shows for it.
	return slices.DeleteFunc(places, func(p []int) bool { return toLF(text[p[0]:p[1]]) != sought })
}

// checkPlaces returns an error if there are no places of a text in a file, or several and not
// all are meant.
func checkPlaces(env *steps.Env, path string, places [][]int, sought string, all bool) error {
	switch {
	case len(places) == 0:
		return steps.Errorf(steps.NotFound, "%s does not hold %s", path, env.Quote(sought)).
			WithNext("read the file, and give the text exactly as it is there")
	case len(places) > 1 && !all:
		return steps.Errorf(steps.Ambiguous, "%s holds %s %d times", path, env.Quote(sought), len(places)).
			WithNext("give more of the text around it, or set replace_all")
	}
	return nil
}

// replaceAt replaces parts of a text, and gives the new lines a line ending.
func replaceAt(text string, places [][]int, with, end string) string {
	with = strings.ReplaceAll(toLF(with), "\n", end)
	b, at := &strings.Builder{}, 0
	for _, p := range places {
		b.WriteString(text[at:p[0]])
		b.WriteString(with)
		at = p[1]
	}
	return b.String() + text[at:]
}

// toLF returns a text with the line endings of Unix.
func toLF(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// lineEnd returns the line ending of most lines of a text.
func lineEnd(text string) string {
	if strings.Count(text, "\r\n") > strings.Count(text, "\n")/2 {
		return "\r\n"
	}
	return "\n"
}
