package cli

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"

	"understudy/mcpserver"
	"understudy/steps/kinds"
)

// TestCommandsOfTheSkillAreKnown reads the commands that the skill shows, as far as their
// flags.
func TestCommandsOfTheSkillAreKnown(t *testing.T) {
	_, block, _ := strings.Cut(mcpserver.Skill(), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) < 10 {
		t.Errorf("%d commands, want ten", len(lines))
	}
	for _, line := range lines {
		words, err := shell.Fields(line, nil)
		if err != nil {
			t.Fatal(err)
		}
		cmd, args, err := (&app{library: library{kinds: kinds.All()}}).root().Find(words[1:])
		if err == nil {
			err = cmd.ParseFlags(args)
		}
		if err == nil {
			err = cmd.ValidateArgs(cmd.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
