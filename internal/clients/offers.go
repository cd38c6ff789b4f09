package clients

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An Offer is a tool, a prompt or a resource of a server.
type Offer struct {
	Name        string   `json:"name"` // of a resource, its address
	Description string   `json:"description,omitempty"`
	Arguments   []string `json:"arguments,omitempty"` // one that may be left out ends with ?
}

// list asks for everything that a server says it has.
func (r *ProbeResult) list(ctx context.Context, s *mcp.ClientSession) (err error) {
	r.Tools, r.Prompts, r.Resources = []Offer{}, []Offer{}, []Offer{}
	has := s.InitializeResult().Capabilities
	if has == nil {
		return nil
	}
	if has.Tools != nil {
		r.Tools, err = offers("tools", s.Tools(ctx, nil), ofTool)
	}
	if err == nil && has.Prompts != nil {
		r.Prompts, err = offers("prompts", s.Prompts(ctx, nil), ofPrompt)
	}
	if err != nil || has.Resources == nil {
		return err
	}
	if r.Resources, err = offers("resources", s.Resources(ctx, nil), ofResource); err != nil {
		return err
	}
	templates, err := offers("templates of resources", s.ResourceTemplates(ctx, nil), ofTemplate)
	r.Resources = append(r.Resources, templates...)
	return err
}

func offers[T any](what string, all iter.Seq2[T, error], offer func(T) Offer) ([]Offer, error) {
	list := []Offer{}
	for one, err := range all {
		if err != nil {
			return list, fmt.Errorf("listing the %s: %w", what, err)
		}
		list = append(list, offer(one))
	}
	return list, nil
}

func ofTool(t *mcp.Tool) Offer {
	return Offer{t.Name, cmp.Or(t.Description, t.Title), argumentsOf(t.InputSchema)}
}

// argumentsOf returns the names in a schema, which may be anything.
func argumentsOf(schema any) (names []string) {
	var s struct {
		Properties map[string]any
		Required   []string
	}
	raw, err := json.Marshal(schema)
	if err != nil || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		names = append(names, argument(name, slices.Contains(s.Required, name)))
	}
	return names
}

func argument(name string, required bool) string {
	if required {
		return name
	}
	return name + "?"
}

func ofPrompt(p *mcp.Prompt) Offer {
	o := Offer{Name: p.Name, Description: cmp.Or(p.Description, p.Title)}
	for _, a := range p.Arguments {
		o.Arguments = append(o.Arguments, argument(a.Name, a.Required))
	}
	return o
}

func ofResource(r *mcp.Resource) Offer {
	return Offer{Name: r.URI, Description: cmp.Or(r.Description, r.Title, r.Name)}
}

func ofTemplate(r *mcp.ResourceTemplate) Offer {
	return Offer{Name: r.URITemplate, Description: cmp.Or(r.Description, r.Title, r.Name)}
}
