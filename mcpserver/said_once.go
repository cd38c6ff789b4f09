package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A result is told twice: in a text, for models, and as structured content, for
// programs. A model may be shown both, so what is long, a tree or the content of a
// file, stands in the text alone. --structured gives programs all of it.

// longText is how long a text of a result must be to be left out where the text of
// the answer has it.
const longText = 100

// saidOnce is a result without the long texts that the text of the answer has.
func saidOnce(value any, text string) any {
	raw, err := json.Marshal(value)
	if err != nil {
		return value
	}
	var copied any
	if json.Unmarshal(raw, &copied) != nil {
		return value
	}
	return withoutSaid(copied, text)
}

func withoutSaid(value any, text string) any {
	switch v := value.(type) {
	case map[string]any:
		for key, x := range v {
			if long, is := x.(string); is && len(long) > longText && strings.Contains(text, strings.TrimSpace(long)) {
				delete(v, key)
				continue
			}
			v[key] = withoutSaid(x, text)
		}
	case []any:
		for i, x := range v {
			v[i] = withoutSaid(x, text)
		}
	}
	return value
}

// textIn is the text of an answer.
func textIn(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if t, is := c.(*mcp.TextContent); is {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
