package input

import (
	"errors"
	"slices"
	"testing"
)

func TestLetGo(t *testing.T) {
	stuck := errors.New("it is stuck")
	var released []string
	err := LetGo(map[string]bool{"a": true, "b": false, "c": true}, func(key string) error {
		released = append(released, key)
		if key == "a" {
			return stuck
		}
		return nil
	})
	slices.Sort(released)
	if !errors.Is(err, stuck) || !slices.Equal(released, []string{"a", "c"}) {
		t.Errorf("released %v, %v", released, err)
	}
}
