package workflows

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// mostLabels is how many labels a run may have.
const mostLabels = 20

const labelPattern = `^[A-Za-z0-9][A-Za-z0-9._=-]{0,62}$`

var labelForm = regexp.MustCompile(labelPattern)

// JoinLabels returns the labels of both lists, each once, or an error about the first that
// cannot be one.
func JoinLabels(some, more []string) ([]string, error) {
	all := slices.Sorted(slices.Values(slices.Concat(some, more)))
	all = slices.Compact(all)
	for _, l := range all {
		if !labelForm.MatchString(l) {
			return nil, fmt.Errorf("%q cannot be a label: wanted letters, digits and . _ = -, at most 63", l)
		}
	}
	if len(all) > mostLabels {
		return nil, fmt.Errorf("a run has at most %d labels, found %d", mostLabels, len(all))
	}
	return all, nil
}

// labelsType is a list of labels, or one.
var labelsType = fieldType{
	read: readLabels,
	refine: func(s *jsonschema.Schema, _ *key) {
		one := &jsonschema.Schema{Type: "string", Pattern: labelPattern}
		s.AnyOf = []*jsonschema.Schema{one, {Type: "array", Items: one, MaxItems: new(mostLabels)}}
	},
}

func readLabels(v *value, k *key, r *report) *value {
	for _, x := range v.elements() {
		if wanted(x, sortText, k, r) == nil {
			return nil
		}
	}
	if _, err := JoinLabels(v.texts(), nil); err != nil {
		r.add(v.position, "", "%s: %v", k.name, err)
		return nil
	}
	return v
}

func (v *value) texts() (all []string) {
	for _, x := range v.elements() {
		all = append(all, x.text)
	}
	return all
}
