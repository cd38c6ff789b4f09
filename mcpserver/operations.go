package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"net/http"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/operations"
	"understudy/internal/words"
	"understudy/mcpserver/httpd"
	"understudy/steps"
)

// operation is an operation on desktops, schedules or versions of workflows. It is
// offered as a tool and at an address of the server.
type operation struct {
	operations.Declaration
	group   string // the part of its address that names the objects, such as desktops
	toolset steps.Toolset
	do      func(ctx context.Context, who caller, t access.Tool, args any) (operations.Result, error)
}

// operationsOn returns the operations of a group. The argument to returns the objects
// that a caller may see with a tool, and the caller in the form that the operations take.
func operationsOn[On, By any](group string, toolset steps.Toolset, all []operations.Operation[On, By], to func(caller, access.Tool) (On, By)) []operation {
	out := make([]operation, len(all))
	for i, op := range all {
		out[i] = operation{op.Declaration, group, toolset, func(ctx context.Context, who caller, t access.Tool, args any) (operations.Result, error) {
			on, by := to(who, t)
			return op.Do(ctx, on, by, args)
		}}
	}
	return out
}

func (o operation) access() access.Tool {
	return access.Tool{Name: o.Tool, Toolset: o.toolset, Reads: o.Reads, Risk: steps.Normal}
}

func (o operation) tool() *tool {
	return &tool{
		Tool: o.access(), summary: o.Summary, destructive: o.Destructive, idempotent: o.Idempotent, openWorld: o.Tool == runOnDesktop,
		unlisted: o.toolset == steps.Runs, // otherwise every client would be offered it
		args:     schemaOf(reflect.TypeOf(o.New()).Elem()),
		run: func(ctx context.Context, c *call) (*reply, error) {
			answer, err := o.doAs(ctx, c.caller, c.req.Params.Arguments)
			if err != nil {
				return nil, err
			}
			out := &reply{value: o.Object(answer), text: words.Told(answer.Text)}
			if answer.Picture != nil {
				err = out.screen(answer.Picture)
			}
			return out, err
		},
	}
}

// doAs performs the operation for a caller that may use its tool.
func (o operation) doAs(ctx context.Context, who caller, raw []byte) (operations.Result, error) {
	args, err := o.Decode(raw)
	if err != nil {
		return operations.Result{}, err
	}
	return o.do(ctx, who, o.access(), args)
}

// operate performs an operation for the sender of an HTTP request.
func (s *Server) operate(r *http.Request, things, name string, args json.RawMessage) (httpd.Operated, error) {
	for _, o := range s.operations {
		if o.group != things || o.Command != name {
			continue
		}
		if r.Method == http.MethodGet && !o.Reads {
			return httpd.Operated{}, steps.Errorf(steps.Invalid, "%s changes something: send it with POST", name)
		}
		who := s.clients.httpCaller(r, "http")
		why := who.May(o.access())
		s.o.Log.Info("operation", "client", who.Owner, "things", things, "operation", name, "allowed", why == nil)
		if why != nil {
			return httpd.Operated{}, why.Denied()
		}
		answer, err := o.doAs(r.Context(), who, args)
		if err != nil || answer.Picture == nil {
			return httpd.Operated{Value: o.Object(answer)}, err
		}
		var b bytes.Buffer
		err = png.Encode(&b, answer.Picture)
		return httpd.Operated{Picture: b.Bytes()}, err
	}
	return httpd.Operated{}, steps.Errorf(steps.NotFound, "there is no operation %q on %s", name, things)
}

// screen shows a picture of a whole screen.
func (r *reply) screen(p image.Image) error {
	small, size, err := encodeForModel(p)
	if err != nil {
		return err
	}
	r.captions += "\nthe picture: " + pixelMapping(desktop.Rect{W: p.Bounds().Dx(), H: p.Bounds().Dy()}, size)
	r.attachments = append(r.attachments, &mcp.ImageContent{Data: small, MIMEType: pngType})
	return nil
}
