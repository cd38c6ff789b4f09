package workflows_test

import (
	"testing"

	"understudy/steps/kinds"
	"understudy/workflows"
)

func TestEveryExampleIsValid(t *testing.T) {
	names := workflows.ExampleNames()
	if len(names) < 8 {
		t.Fatalf("there are only %d examples", len(names))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			src, err := workflows.Example(name, workflows.Source{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := workflows.Compile(src, workflows.CompileOptions{Kinds: kinds.All(), Load: workflows.Example})
			if err != nil {
				t.Fatal(err)
			}
			if p.Description == "" {
				t.Error("it does not say what it does")
			}
			if _, err := workflows.Format(src.Text); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestExampleRefusesUnknownNames(t *testing.T) {
	if _, err := workflows.Example("nothing", workflows.Source{}); err == nil {
		t.Error("an example that is not there was found")
	}
}
