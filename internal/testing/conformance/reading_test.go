package conformance

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watched is the address of the resource that changes.
const watched = "test://watched-resource"

func addResources(s *mcp.Server) {
	text := func(mime string, text func(uri string) string) mcp.ResourceHandler {
		return func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			uri := req.Params.URI
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text(uri)}}}, nil
		}
	}
	static := func(content string) func(string) string { return func(string) string { return content } }
	s.AddResource(&mcp.Resource{URI: "test://static-text", Name: "text", Description: "A text.", MIMEType: "text/plain"},
		text("text/plain", static("This is the content of the static text resource.")))
	s.AddResource(&mcp.Resource{URI: watched, Name: "watched", Description: "A text that changes.", MIMEType: "text/plain"},
		text("text/plain", static("watched")))
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "A text with an id.", MIMEType: "application/json"},
		text("application/json", func(uri string) string {
			id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
			return fmt.Sprintf(`{"id": %q, "templateTest": true, "data": "Data for ID: %s"}`, id, id)
		}))
	s.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "binary", Description: "A picture.", MIMEType: "image/png"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "image/png", Blob: dot}}}, nil
		})
}

// prompt adds a prompt that ignores its arguments.
func prompt(s *mcp.Server, name string, args []string, content ...mcp.Content) {
	prompting(s, name, args, func(map[string]string) []mcp.Content { return content })
}

func prompting(s *mcp.Server, name string, args []string, write func(map[string]string) []mcp.Content) {
	p := &mcp.Prompt{Name: name, Description: "A prompt of the conformance suite."}
	for _, a := range args {
		p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "An argument.", Required: true})
	}
	s.AddPrompt(p, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		res := &mcp.GetPromptResult{Description: p.Description}
		for _, c := range write(req.Params.Arguments) {
			res.Messages = append(res.Messages, &mcp.PromptMessage{Role: "user", Content: c})
		}
		return res, nil
	})
}

func addPrompts(s *mcp.Server) {
	prompt(s, "test_simple_prompt", nil, &mcp.TextContent{Text: "This is a simple prompt for testing."})
	prompt(s, "test_prompt_with_image", nil, &mcp.ImageContent{Data: dot, MIMEType: "image/png"}, &mcp.TextContent{Text: "What is it?"})
	prompting(s, "test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []mcp.Content {
		return []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])}}
	})
	prompting(s, "test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []mcp.Content {
		r := &mcp.ResourceContents{URI: a["resourceUri"], MIMEType: "text/plain", Text: "an embedded text"}
		return []mcp.Content{&mcp.EmbeddedResource{Resource: r}, &mcp.TextContent{Text: "Read it."}}
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "A prompt that asks."}, askingPrompt)
}

func askingPrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if res, ok := req.Params.InputResponses["user_context"].(*mcp.ElicitResult); ok && res.Action == "accept" {
		message := &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: fmt.Sprintf("Context: %v", res.Content["context"])}}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{message}}, nil
	}
	q := form("In which context?", object{"context": object{"type": "string"}}, "context")
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": q}}, nil
}
