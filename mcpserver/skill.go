package mcpserver

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed skill.md
var skillText string

// Skill returns the file SKILL.md, by which an agent learns the command line. Its rules
// are those of the sheet, and its advice after a failure is that of the guide.
func Skill() string {
	_, rules, _ := strings.Cut(sheetText, "\nSelectors:")
	rules, _, _ = strings.Cut(rules, "\nKinds of steps")
	_, failing, _ := strings.Cut(guideText, "\n## When something fails\n")
	failing, _, _ = strings.Cut(failing, "\n## ")
	return fmt.Sprintf(skillText, "Selectors:"+rules, "## When something fails\n"+strings.TrimRight(failing, "\n"))
}
