package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/mcpserver/httpd"
	"understudy/mcpserver/viewer"
	"understudy/steps"
	"understudy/workflows"
)

// pages returns the handler of the pages for people.
func (s *Server) pages() http.Handler {
	return viewer.New(viewer.Options{
		RunsFor: s.tools.runsForPage, DocumentsFor: s.documentsForPage, Do: s.callForPage, StatusOf: httpd.StatusOf, Open: s.live, Life: s.inflight.life, Kinds: s.o.Kinds,
		Recordings: s.recordingsForPage, Workers: s.workersForPage,
	})
}

// workersForPage returns where runs are executed, once they are open.
func (s *Server) workersForPage(ctx context.Context) (all []engine.Workplace, fleet bool, err error) {
	runs, err := s.runs.get(ctx)
	if err != nil {
		return nil, s.o.Fleet, err
	}
	if list := s.runs.opened().Workers; list != nil {
		all, err = list(ctx)
		return all, true, err
	}
	places, err := runs.Places(ctx)
	return []engine.Workplace{{Worker: "this machine", Places: places}}, false, err
}

// callForPage calls a tool for a person at a page, as for any client: with the credential
// of the request, under the same policy and limits. It returns the structured content.
func (s *Server) callForPage(r *http.Request, p viewer.Call) (json.RawMessage, error) {
	t := s.tools.named[p.Tool]
	if t == nil {
		return nil, steps.Errorf(steps.NotFound, "%s", s.tools.unknownMessage(p.Tool))
	}
	args, err := json.Marshal(p.Args)
	if err != nil {
		return nil, err
	}
	r = r.WithContext(r.Context())
	r.Header = http.Header{} // those of a browser are not those of a client
	leave, err := s.http.Admit(r, p.Tool, args)
	if err != nil {
		return nil, err
	}
	defer leave()
	c := &call{caller: s.clients.httpCaller(r, viewer.PageClient), tool: t, typed: p.Typed}
	c.req = &mcp.CallToolRequest{
		Params: &mcp.CallToolParamsRaw{Name: p.Tool, Arguments: args}, Extra: &mcp.RequestExtra{Header: r.Header},
	}
	out, err := s.handle(r.Context(), c)
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return nil, steps.Errorf(steps.Denied, "%s", refused.Message)
	}
	switch {
	case err != nil:
		return nil, err
	case out.failure != nil && len(out.failure.Problems) > 0:
		return nil, &workflows.InvalidError{Problems: out.failure.Problems}
	case out.failure != nil:
		return nil, &steps.Error{Code: out.failure.Code, Err: errors.New(string(out.failure.text()))}
	}
	return json.Marshal(out.value)
}

// documentsForPage returns the workflows that the sender of a request may see.
func (s *Server) documentsForPage(r *http.Request, tool string) (viewer.Documents, error) {
	who, err := s.tools.pageFor(r, tool)
	if err != nil {
		return nil, err
	}
	return s.library.viewFor(who), nil
}

// Saved returns the text of a saved workflow and its program.
func (l *library) Saved(name string) ([]byte, *workflows.Program, error) {
	src, err := l.get(name)
	if err != nil {
		return nil, nil, err
	}
	_, p, err := l.pack(name, src.Dir, src.Text)
	return src.Text, p, err
}

// OfRun returns the document of a run and the documents that it calls, as they were
// stored with it. A called document is included only if it is a saved workflow that may
// be read.
func (l *library) OfRun(ctx context.Context, runs engine.Runs, h engine.Header) ([]workflows.Source, error) {
	b, err := engine.BundleOf(ctx, runs, h)
	if err != nil {
		return nil, err
	}
	all := []workflows.Source{b.Main}
	for _, called := range b.Calls {
		name := called.Source.Name
		if slices.ContainsFunc(all, func(s workflows.Source) bool { return s.Name == name }) {
			continue
		}
		if _, err := l.get(name); err == nil || l.who.Owner == "" {
			all = append(all, called.Source)
		}
	}
	return all, nil
}

// Mended returns the document of a run with another text of the document called name,
// unless that is empty. Documents that the run calls already are found as they were kept
// with it.
func (l *library) Mended(ctx context.Context, runs engine.Runs, h engine.Header, name, text string) (engine.Bundle, *workflows.Program, error) {
	b, err := engine.BundleOf(ctx, runs, h)
	if err != nil {
		return b, nil, err
	}
	mend := func(s workflows.Source) workflows.Source {
		if s.Name == name && text != "" {
			s.Text = []byte(text)
		}
		return s
	}
	kept := workflows.LoaderOf(b.Calls)
	return l.packWith(name, mend(b.Main), func(ref string, from workflows.Source) (workflows.Source, error) {
		if called, err := kept(ref, from); err == nil {
			return mend(called), nil
		}
		return l.load(ref, from)
	})
}
