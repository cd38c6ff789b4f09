package steps

import (
	"encoding/json"
	"regexp"
	"strings"

	"understudy/steps/desktop/selector"
)

// Selectors is a list of selectors. One string may hold several, separated by commas.
type Selectors []Selector

// UnmarshalJSON reads a list or a string.
func (s *Selectors) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*s = splitSelectors(text)
		return nil
	}
	return json.Unmarshal(b, (*[]Selector)(s))
}

// nextSelector matches a comma before a selector, unlike one inside a name or in
// pos:10,20.
var nextSelector = regexp.MustCompile(`,\s*[A-Za-z]+[~-]?[:\d]`)

func splitSelectors(text string) []Selector {
	var all []Selector
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, Selector(part))
		}
	}
	for {
		at := nextSelector.FindStringIndex(text)
		if at == nil {
			add(text)
			return all
		}
		add(text[:at[0]])
		text = text[at[0]+1:]
	}
}

// ParseSelectors parses selectors.
func ParseSelectors(texts []Selector) ([]*selector.Selector, error) {
	all := make([]*selector.Selector, len(texts))
	for i, text := range texts {
		var err error
		if all[i], err = ParseSelector(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ParseSelector parses a selector; an error has the code Invalid.
func ParseSelector(text Selector) (*selector.Selector, error) {
	s, err := selector.Parse(string(text))
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	return s, nil
}
