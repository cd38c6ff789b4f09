package mcpserver

import (
	"context"
	"net/http"
	"slices"

	"understudy/engine"
	"understudy/mcpserver/httpd"
	"understudy/workflows"
)

// documentsForPage returns the workflows that the sender of a request may see.
func (s *Server) documentsForPage(r *http.Request, tool string) (httpd.Documents, error) {
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
		known := slices.ContainsFunc(all, func(s workflows.Source) bool { return s.Name == name })
		if !known && (l.who.Owner == "" || l.readable(name)) {
			all = append(all, called.Source)
		}
	}
	return all, nil
}

func (l *library) readable(name string) bool {
	_, err := l.get(name)
	return err == nil
}

// Mended returns the document of a run with another text of the document called name.
// Documents that the run calls already are found as they were kept with it.
func (l *library) Mended(ctx context.Context, runs engine.Runs, h engine.Header, name, text string) (engine.Bundle, *workflows.Program, error) {
	b, err := engine.BundleOf(ctx, runs, h)
	if err != nil {
		return b, nil, err
	}
	mend := func(s workflows.Source) workflows.Source {
		if s.Name == name {
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
