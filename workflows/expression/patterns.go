package expression

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Limits of patterns. The time for a match is proportional to the size of the pattern's
// program times that of the text.
const (
	maxPattern     = 1000
	maxPatternSize = 20_000
	maxMatchEffort = 30_000_000
)

// A pattern is a compiled regular expression, and its size.
type pattern struct {
	*regexp.Regexp
	size int
}

func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("the pattern is longer than %d characters", maxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if bad := (*syntax.Error)(nil); errors.As(err, &bad) {
		return nil, fmt.Errorf("the pattern is not valid: %s: %s", bad.Code, bad.Expr)
	}
	if err != nil {
		return nil, fmt.Errorf("the pattern is not valid: %w", err)
	}
	size := patternSize(tree)
	if size > maxPatternSize {
		return nil, errors.New("the pattern repeats too much; use * or + instead of large numbers")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not valid: %w", err)
	}
	return &pattern{re, size}, nil
}

// patternSize estimates the size of a pattern's program without compiling it.
func patternSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		size = 2
	}
	for _, sub := range re.Sub {
		size += patternSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxPatternSize+1)
}

func matches(e *evaluation, a, b any) bool {
	if isNil(a) || isNil(b) {
		return false
	}
	text, ok := textOf(a)
	if !ok {
		fail("%s is no text to match", kindOf(a))
	}
	p, ok := b.(*pattern)
	if !ok {
		p = e.pattern(b)
	}
	effort := p.size * (utf8.RuneCountInString(text) + 1)
	if effort > maxMatchEffort {
		fail("the text is too long for this pattern; match a part of it")
	}
	e.spend(1 + effort>>4)
	return p.MatchString(text)
}

// pattern compiles a pattern that is not a literal.
func (e *evaluation) pattern(v any) *pattern {
	s, ok := v.(string)
	if !ok {
		fail("a pattern is a string, not %s", kindOf(v))
	}
	p, err := compilePattern(s)
	if err != nil {
		panic(err)
	}
	e.spend(100 * p.size)
	return p
}
