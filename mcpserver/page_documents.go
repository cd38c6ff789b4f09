package mcpserver

import (
	"context"
	"net/http"

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

// Names are those of the saved workflows.
func (d pageDocuments) Names() ([]string, error) { return d.names() }

// Saved is a saved workflow.
func (d pageDocuments) Saved(name string) ([]byte, *workflows.Program, error) {
	src, err := d.get(name)
	if err != nil {
		return nil, nil, err
	}
	_, p, err := d.pack(name, src.Dir, src.Text)
	return src.Text, p, err
}

// Mended is the document of a run with another text.
func (d pageDocuments) Mended(ctx context.Context, runs engine.Runs, h engine.Header, text string) (engine.Bundle, *workflows.Program, error) {
	return d.mended(ctx, runs, h, text)
}

// mended is the document of a run with another text. What it called already it finds
// as it was kept with the run.
func (l *library) mended(ctx context.Context, runs engine.Runs, h engine.Header, text string) (engine.Bundle, *workflows.Program, error) {
	raw, err := runs.File(ctx, engine.Documents, h.Document)
	if err != nil {
		return engine.Bundle{}, nil, err
	}
	b, err := engine.ReadBundle(raw)
	if err != nil {
		return b, nil, err
	}
	src, kept := b.Main, workflows.LoaderOf(b.Calls)
	if text != "" {
		src.Text = []byte(text)
	}
	b, p, err := engine.Pack(src, l.kinds, func(ref string, from workflows.Source) (workflows.Source, error) {
		if called, err := kept(ref, from); err == nil {
			return called, nil
		}
		return l.load(ref, from)
	})
	if err == nil {
		err = withoutSecrets(p)
	}
	return b, p, l.withoutForeignLines(src, err)
}
