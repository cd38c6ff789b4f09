package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"understudy/engine"
	"understudy/mcpserver/httpd"
	"understudy/workflows"
)

// pageDocuments are workflows as whoever opened a page may see them.
type pageDocuments struct{ *library }

// documentsForPage are the workflows that whoever sent a request may see.
func (s *Server) documentsForPage(r *http.Request, tool string) (httpd.Documents, error) {
	who, err := s.tools.pageFor(r, tool)
	if err != nil {
		return nil, err
	}
	return pageDocuments{s.library.of(who)}, nil
}

func (d pageDocuments) Names() ([]string, error) { return d.names() }

func (d pageDocuments) Saved(name string) ([]byte, *workflows.Program, error) {
	src, err := d.get(name)
	if err != nil {
		return nil, nil, err
	}
	_, p, err := d.pack(name, src.Dir, src.Text)
	return src.Text, p, err
}

// OfRun are the document of a run and those that it calls, as they were kept with it.
// What is called is told only if it is a saved workflow that may be read.
func (d pageDocuments) OfRun(ctx context.Context, runs engine.Runs, h engine.Header) ([]workflows.Source, error) {
	b, err := keptBundle(ctx, runs, h)
	if err != nil {
		return nil, err
	}
	all := []workflows.Source{b.Main}
	for _, l := range b.Calls {
		known := slices.ContainsFunc(all, func(s workflows.Source) bool { return s.Name == l.Source.Name })
		if !known && (d.who.Owner == "" || d.readable(l.Source.Name)) {
			all = append(all, l.Source)
		}
	}
	return all, nil
}

func (l *library) readable(name string) bool {
	_, err := l.get(name)
	return err == nil
}

// Mended is the document of a run with another text of the one with a name.
func (d pageDocuments) Mended(ctx context.Context, runs engine.Runs, h engine.Header, name, text string) (engine.Bundle, *workflows.Program, error) {
	return d.mended(ctx, runs, h, name, text)
}

// mended is the document of a run with another text of the one with a name. What is
// called already is found as it was kept with the run.
func (l *library) mended(ctx context.Context, runs engine.Runs, h engine.Header, name, text string) (engine.Bundle, *workflows.Program, error) {
	b, err := keptBundle(ctx, runs, h)
	if err != nil {
		return b, nil, err
	}
	sent := workflows.Source{Name: name, Text: []byte(text)}
	mend := func(s workflows.Source) workflows.Source {
		if s.Name == name {
			s.Text = sent.Text
		}
		return s
	}
	kept := workflows.LoaderOf(b.Calls)
	b, p, err := engine.Pack(mend(b.Main), l.kinds, func(ref string, from workflows.Source) (workflows.Source, error) {
		if called, err := kept(ref, from); err == nil {
			return mend(called), nil
		}
		return l.load(ref, from)
	})
	if err == nil {
		err = withoutSecrets(p)
	}
	return b, p, l.withoutForeignLines(sent, err)
}

// keptBundle is the document of a run with what it calls.
func keptBundle(ctx context.Context, runs engine.Runs, h engine.Header) (engine.Bundle, error) {
	raw, err := runs.File(ctx, engine.Documents, h.Document)
	if err != nil {
		return engine.Bundle{}, fmt.Errorf("run %s: reading its document: %w", h.ID, err)
	}
	return engine.ReadBundle(raw)
}
