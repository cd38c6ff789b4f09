package remote

import (
	"reflect"
	"testing"

	"understudy/engine"
)

func TestEveryMethodOfRunsIsServed(t *testing.T) {
	runs := reflect.TypeFor[engine.Runs]()
	if want, got := runs.NumMethod(), len(methods); want != got {
		t.Errorf("engine.Runs has %d methods, %d are served", want, got)
	}
	for name := range methods {
		if _, known := runs.MethodByName(name); !known {
			t.Errorf("engine.Runs has no method %s", name)
		}
	}
}
