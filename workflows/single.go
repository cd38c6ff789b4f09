package workflows

import "understudy/steps"

// Single is the program of a single call: one step, with arguments that are
// taken as they are.
func Single(k steps.Kind, args map[string]any) *Program {
	if args == nil {
		args = map[string]any{}
	}
	n := &Node{Type: StepNode, Path: "0", Kind: &k, Args: &Template{constant{args}}, Retry: Retry{Attempts: 1, Backoff: 1}}
	return &Program{
		Name: k.Name, Steps: []*Node{n}, ids: map[string]*Node{},
		Options: Options{StopOnError: true, FollowFallback: true, MaxSteps: 1000},
	}
}
