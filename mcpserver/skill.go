package mcpserver

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:embed skill.md
var skillText string

// Skill returns the file SKILL.md, by which an agent learns the command line. Its rules
// are those of the sheet, and its advice after a failure is that of the guide.
func Skill() string {
	_, rules, _ := strings.Cut(sheetText, "\nSelectors:")
	rules, _, _ = strings.Cut(rules, "\nKinds:")
	_, failing, _ := strings.Cut(guideText, "\n## When something fails\n")
	failing, _, _ = strings.Cut(failing, "\n## ")
	return fmt.Sprintf(skillText, "Selectors:"+rules, "## When something fails\n"+strings.TrimRight(failing, "\n"))
}

// The extension for skills, and the address of the one that there is.
const (
	skillExtension = "io.modelcontextprotocol/skills"
	skillURI       = "skill://understudy/SKILL.md"
)

// skillLifetime is how long a client may keep what it was told of the skill, which differs
// only between versions of the program.
const skillLifetime = 5 * time.Minute

// skillEntry describes a skill, so that a client can verify what it loads.
type skillEntry struct {
	URI         string            `json:"uri"`
	Frontmatter map[string]string `json:"frontmatter"`
	Resources   []skillFile       `json:"resources"`
}

type skillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"`
	Size   int    `json:"size"`
}

// skillsResult is the result of skills/list and of skills/get.
type skillsResult struct {
	mcp.ResultBase
	ResultType string       `json:"resultType"`
	TTLMs      int64        `json:"ttlMs"`
	CacheScope string       `json:"cacheScope"`
	Skills     []skillEntry `json:"skills,omitempty"`
	Skill      *skillEntry  `json:"skill,omitempty"`
}

type skillParams struct {
	mcp.ParamsBase
	URI string `json:"uri"`
}

// describeSkill returns what clients are told of the skill. Each line at the head of the
// file is a name and a text.
func describeSkill() skillEntry {
	text := Skill()
	_, head, _ := strings.Cut(text, "---\n")
	head, _, _ = strings.Cut(head, "\n---\n")
	e := skillEntry{URI: skillURI, Frontmatter: map[string]string{}}
	for line := range strings.SplitSeq(head, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		e.Frontmatter[name] = value
	}
	e.Resources = []skillFile{{skillURI, fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))), len(text)}}
	return e
}

// addSkills answers clients that ask for skills.
func addSkills(s *mcp.Server) error {
	answer := func() *skillsResult {
		return &skillsResult{ResultType: "complete", TTLMs: skillLifetime.Milliseconds(), CacheScope: "public"}
	}
	list := func(context.Context, *mcp.ServerSession, *skillParams) (*skillsResult, error) {
		r := answer()
		r.Skills = []skillEntry{describeSkill()}
		return r, nil
	}
	get := func(_ context.Context, _ *mcp.ServerSession, p *skillParams) (*skillsResult, error) {
		if p == nil || p.URI != skillURI {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such skill; skills/list names those that there are"}
		}
		r := answer()
		r.Skill = new(describeSkill())
		return r, nil
	}
	return errors.Join(mcp.AddReceivingCustomMethod(s, "skills/list", list), mcp.AddReceivingCustomMethod(s, "skills/get", get))
}

func (s *resources) readSkill(context.Context, *call, string) (*mcp.ResourceContents, error) {
	return &mcp.ResourceContents{Text: Skill()}, nil
}
