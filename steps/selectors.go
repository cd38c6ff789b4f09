package steps

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"understudy/steps/desktop/selector"
)

// Selectors is a list of selectors; one string may hold several, set apart by
// commas.
type Selectors []Selector

// UnmarshalJSON reads a list or a string.
func (s *Selectors) UnmarshalJSON(b []byte) error {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*s = nil
	switch v := v.(type) {
	case nil:
	case string:
		*s = splitSelectors(v)
	case []any:
		for _, x := range v {
			text, ok := x.(string)
			if !ok {
				return fmt.Errorf("wanted selectors, found %v", x)
			}
			*s = append(*s, Selector(text))
		}
	default:
		return fmt.Errorf("wanted a selector or a list of them, found %v", v)
	}
	return nil
}

// nextSelector is a comma behind which a selector begins: not one inside a
// name, nor the one of pos:10,20.
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

// ParseSelectors understands selectors.
func ParseSelectors(texts []Selector) ([]*selector.Selector, error) {
	all := make([]*selector.Selector, len(texts))
	for i, text := range texts {
		s, err := selector.Parse(string(text))
		if err != nil {
			return nil, err
		}
		all[i] = s
	}
	return all, nil
}

// ParseSelector is a selector that the check of arguments has let pass.
func ParseSelector(text Selector) (*selector.Selector, error) {
	s, err := selector.Parse(string(text))
	if err != nil {
		return nil, &Error{Code: Invalid, Err: err}
	}
	return s, nil
}
