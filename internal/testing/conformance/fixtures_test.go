package conformance

//lint:file-ignore SA1019 The suite also asks for what the protocol will drop.

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// object is a JSON object.
type object = map[string]any

// handler handles a call of a fixture.
type handler = func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)

func said(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// failed makes an error of a tool.
func failed(format string, args ...any) *mcp.CallToolResult {
	res := said(format, args...)
	res.IsError = true
	return res
}

// always replies to every call alike.
func always(content ...mcp.Content) handler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

// dot is a picture of one pixel, and silence the shortest sound.
var (
	dot     = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")
	silence = []byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")
)

// addFixtures adds the tools that the suite expects.
func addFixtures(s *mcp.Server) {
	picture := &mcp.ImageContent{Data: dot, MIMEType: "image/png"}
	embedded := &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://embedded-resource", MIMEType: "text/plain", Text: "an embedded text"}}
	for name, h := range map[string]handler{
		"test_simple_text":            always(&mcp.TextContent{Text: "This is a simple text response for testing."}),
		"test_image_content":          always(picture),
		"test_audio_content":          always(&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"}),
		"test_embedded_resource":      always(embedded),
		"test_multiple_content_types": always(&mcp.TextContent{Text: "a text"}, picture, embedded),
		"test_tool_with_logging":      logging,
		"test_tool_with_progress":     progress,
		"test_error_handling": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return failed("this tool always fails"), nil
		},
		"test_sampling":                     sampling,
		"test_elicitation":                  elicitation,
		"test_elicitation_sep1034_defaults": eliciting(defaultsForm),
		"test_elicitation_sep1330_enums":    eliciting(enumsForm),
		"test_reconnection":                 reconnection,
		"test_missing_capability":           missingCapability,
		"test_streaming_elicitation":        always(&mcp.TextContent{Text: "no question was asked"}),
		"test_logging_tool": func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return said("logged"), req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "a message"})
		},
		"test_trigger_tool_change": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			add(s, "passing_tool", nil, always(&mcp.TextContent{Text: "passing"}))
			return said("the list of tools changed"), nil
		},
		"test_trigger_prompt_change": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			prompt(s, "passing_prompt", nil, &mcp.TextContent{Text: "passing"})
			return said("the list of prompts changed"), nil
		},
		"test_input_required_result_elicitation":     asksName,
		"test_input_required_result_sampling":        asksModel,
		"test_input_required_result_list_roots":      asksRoots,
		"test_input_required_result_request_state":   confirms,
		"test_input_required_result_tampered_state":  confirms,
		"test_input_required_result_multiple_inputs": asksAll,
		"test_input_required_result_multi_round":     asksTwice,
		"test_input_required_result_capabilities":    asksWhatItMay,
	} {
		add(s, name, nil, h)
	}
	add(s, "json_schema_2020_12_tool", json.RawMessage(richSchema), always(&mcp.TextContent{Text: "called"}))
	add(s, "test_x_mcp_header", json.RawMessage(headerSchema), always(&mcp.TextContent{Text: "called"}))
	addResources(s)
	addPrompts(s)
	if err := addTasks(s); err != nil {
		panic(err) // impossible, as for the server's own
	}
}

func add(s *mcp.Server, name string, schema json.RawMessage, h handler) {
	if schema == nil {
		schema = json.RawMessage(`{"type": "object"}`)
	}
	s.AddTool(&mcp.Tool{Name: name, Description: "A tool of the conformance suite.", InputSchema: schema}, h)
}

const richSchema = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
	"properties": {
		"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`

const headerSchema = `{"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "level": {"type": "integer"}}}`

func logging(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, text := range []string{"begun", "under way", "done"} {
		if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: text}); err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond) // the suite wants to see them apart
	}
	return said("logged"), nil
}

func progress(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, n := range []float64{0, 50, 100} {
		if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: n, Total: 100}); err != nil {
			return nil, err
		}
		time.Sleep(50 * time.Millisecond) // the suite wants to see them apart
	}
	return said("%v", token), nil
}

func argument(req *mcp.CallToolRequest, name string) string {
	args := object{}
	_ = json.Unmarshal(req.Params.Arguments, &args)
	text, _ := args[name].(string)
	return text
}

func sampling(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	res, err := req.Session.CreateMessage(ctx, modelQuestion(argument(req, "prompt")))
	if err != nil {
		return failed("sampling: %v", err), nil
	}
	text, _ := res.Content.(*mcp.TextContent)
	return said("LLM response: %s", text.Text), nil
}

func modelQuestion(text string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{
		Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}, MaxTokens: 100,
	}
}

func form(message string, properties object, required ...string) *mcp.ElicitParams {
	schema := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: schema}
}

func elicitation(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	q := form(argument(req, "message"), object{"username": object{"type": "string", "description": "the user's name"}}, "username")
	return eliciting(q)(ctx, req)
}

// eliciting asks a question during the call.
func eliciting(q *mcp.ElicitParams) handler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := req.Session.Elicit(ctx, q)
		if err != nil {
			return failed("elicitation: %v", err), nil
		}
		return said("Elicitation result: action=%s, content=%v", res.Action, res.Content), nil
	}
}

var defaultsForm = form("defaults", object{
	"name":     object{"type": "string", "default": "John Doe"},
	"age":      object{"type": "integer", "default": 30},
	"score":    object{"type": "number", "default": 95.5},
	"status":   object{"type": "string", "enum": []string{"active", "inactive", "pending"}, "default": "active"},
	"verified": object{"type": "boolean", "default": true},
})

var (
	threeWords = []string{"option1", "option2", "option3"}
	titled     = []object{{"const": "value1", "title": "First"}, {"const": "value2", "title": "Second"}, {"const": "value3", "title": "Third"}}
	enumsForm  = form("words to choose from", object{
		"untitledSingle": object{"type": "string", "enum": threeWords},
		"titledSingle":   object{"type": "string", "oneOf": titled},
		"legacyEnum":     object{"type": "string", "enum": []string{"opt1", "opt2"}, "enumNames": []string{"One", "Two"}},
		"untitledMulti":  object{"type": "array", "items": object{"type": "string", "enum": threeWords}},
		"titledMulti":    object{"type": "array", "items": object{"anyOf": titled}},
	})
)

func reconnection(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	time.Sleep(100 * time.Millisecond) // until the client has reconnected
	return said("the answer after the stream was closed"), nil
}

func missingCapability(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
		return said("the client can sample"), nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "the client must be able to sample", Data: data}
}

// wants asks the client to call again with inputs.
func wants(state string, inputs mcp.InputRequestMap) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{InputRequests: inputs, RequestState: state}, nil
}

// accepted returns what a person entered in a form.
func accepted(req *mcp.CallToolRequest, name string) object {
	if res, ok := req.Params.InputResponses[name].(*mcp.ElicitResult); ok && res.Action == "accept" {
		return res.Content
	}
	return nil
}

// sampled returns the text of a model.
func sampled(req *mcp.CallToolRequest, name string) (string, bool) {
	res, ok := req.Params.InputResponses[name].(*mcp.CreateMessageWithToolsResult)
	if !ok || len(res.Content) == 0 {
		return "", false
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		return "", false
	}
	return text.Text, true
}

var nameForm = form("What is your name?", object{"name": object{"type": "string"}}, "name")

func asksName(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if name, _ := accepted(req, "user_name")["name"].(string); name != "" {
		return said("Hello, %s!", name), nil
	}
	return wants("", mcp.InputRequestMap{"user_name": nameForm})
}

func asksModel(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if text, ok := sampled(req, "capital_question"); ok {
		return said("Sampling response: %s", text), nil
	}
	return wants("", mcp.InputRequestMap{"capital_question": modelQuestion("What is the capital of France?")})
}

func asksRoots(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if res, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok {
		return said("%d roots", len(res.Roots)), nil
	}
	return wants("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}})
}

// confirms accepts only its own state.
func confirms(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	const state = "the-state"
	if got := req.Params.RequestState; got != "" && got != state {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState was changed"}
	}
	if accepted(req, "confirm") != nil && req.Params.RequestState == state {
		return said("state-ok"), nil
	}
	return wants(state, mcp.InputRequestMap{"confirm": form("Please confirm", object{"ok": object{"type": "boolean"}}, "ok")})
}

func asksAll(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, _ := accepted(req, "user_name")["name"].(string)
	greeting, greeted := sampled(req, "greeting")
	if roots, ok := req.Params.InputResponses["client_roots"].(*mcp.ListRootsResult); ok && greeted && name != "" {
		return said("%s %s, %d roots", greeting, name, len(roots.Roots)), nil
	}
	return wants("all", mcp.InputRequestMap{"user_name": nameForm, "greeting": modelQuestion("A greeting, please."), "client_roots": &mcp.ListRootsParams{}})
}

func asksTwice(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	switch state := req.Params.RequestState; {
	case state == "":
		return wants("first", mcp.InputRequestMap{"step1": nameForm})
	case state == "first":
		name, _ := accepted(req, "step1")["name"].(string)
		return wants("second "+name, mcp.InputRequestMap{"step2": form("Which colour?", object{"color": object{"type": "string"}}, "color")})
	default:
		color, _ := accepted(req, "step2")["color"].(string)
		return said("%s likes %s", strings.TrimPrefix(state, "second "), color), nil
	}
}

func asksWhatItMay(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return said("answered"), nil
	}
	inputs := mcp.InputRequestMap{}
	c := req.ClientCapabilities()
	if c != nil && c.Elicitation != nil {
		inputs["user_name"] = nameForm
	}
	if c != nil && c.Sampling != nil {
		inputs["greeting"] = modelQuestion("A greeting, please.")
	}
	if c != nil && c.RootsV2 != nil {
		inputs["client_roots"] = &mcp.ListRootsParams{}
	}
	if len(inputs) == 0 {
		return said("nothing can be asked"), nil
	}
	return wants("", inputs)
}
