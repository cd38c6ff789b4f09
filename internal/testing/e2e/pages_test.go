//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"understudy/internal/desktop"
)

// pageScenarios are what is hard about pages: each has one that we wrote, in the folder pages of
// testdata, which judges.
func pageScenarios() []scenario {
	told := func(name, page string, want ...string) scenario {
		p := &site{page: "pages/" + page + ".html"}
		return p.scenario(name, page, func(*stage) error { return p.wasTold(want...) })
	}
	registers := &site{page: "pages/registration.html"}
	uploads := &site{page: "pages/upload.html"}
	downloads := told("a download, and what its bubble covers", "download", "signed out")
	onlyTold := downloads.check
	downloads.check = func(s *stage) error { return errors.Join(onlyTold(s), s.downloaded("report.csv", reportText)) }
	return []scenario{
		registers.scenario("a form of 40 fields", "registration", func(s *stage) error { return registers.received(registration(s)) }),
		told("a table of 1,000 rows", "ledger", "INV-0742 opened", "INV-0031 paid true", "INV-0999 paid true", "closed with 2"),
		told("an application of one page that shows late", "late", "went", "approving 17", "approved 17"),
		uploads.scenario("uploads", "upload", func(*stage) error {
			return uploads.received(url.Values{"contract": {"contract.txt: We agree."}, "photo": {"a photo.txt: A cat."}})
		}),
		downloads,
		told("a frame of another site", "checkout", "paid with 4111 1111 1111 1111", "heard paid for Ada"),
		told("two windows of one browser", "desk", "First stamped with one", "Second stamped with two"),
		told("alerts and beforeunload", "dialogs", "warned", "removed false", "renamed to new", "left with a poem"),
	}
}

// scenario plays the workflow of a page in a connected browser.
func (p *site) scenario(name, page string, check func(*stage) error) scenario {
	return scenario{
		name: "page: " + name, workflow: "page_" + page, needs: []string{"chromium"}, check: check,
		screen: desktop.Size{W: 1280, H: 800},
		setup: func(s *stage) {
			s.chromium()
			p.serve(s)
		},
	}
}

// reportText is the file that pages offer.
const reportText = "a;b\n1;2\n"

// other answers for what is beside the page: what it tells, a file, and the other pages.
func (p *site) other(s *stage, w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/told":
		line, _ := io.ReadAll(r.Body)
		p.said = append(p.said, string(line))
	case "/report.csv":
		w.Header().Set("Content-Type", "text/csv")
		w.Header().Set("Content-Disposition", `attachment; filename="report.csv"`)
		_, _ = io.WriteString(w, reportText)
	default:
		text, err := os.ReadFile(s.testdata("pages/" + filepath.Base(r.URL.Path) + ".html"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	}
}

// wasTold says what the page told of, in any order: two messages may overtake each other.
func (p *site) wasTold(want ...string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if got := slices.Sorted(slices.Values(p.said)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("the page told of %q, wanted %q", p.said, want)
	}
	return nil
}

// downloaded says that the browser has saved a file, where it puts downloads.
func (s *stage) downloaded(name, want string) error {
	return eventually(s.t, func() error {
		got, err := os.ReadFile(filepath.Join(s.root, "home/Downloads", name))
		if err == nil && string(got) != want {
			err = fmt.Errorf("%s: wanted %q, found %q", name, want, got)
		}
		return err
	})
}

// posted is what a form sent. Of a file it has the name and the text.
func posted(r *http.Request) url.Values {
	_ = r.ParseMultipartForm(1 << 20)
	if r.MultipartForm == nil {
		return r.PostForm
	}
	for name, files := range r.MultipartForm.File {
		for _, f := range files {
			text := ""
			if file, err := f.Open(); err == nil {
				all, _ := io.ReadAll(file)
				text = string(all)
				file.Close()
			}
			r.PostForm.Add(name, f.Filename+": "+text)
		}
	}
	return r.PostForm
}

// labelled is a field of a page with its label.
var labelled = regexp.MustCompile(`<label for="([^"]*)">([^<]*)</label> <(\w+)( type="(\w+)")?`)

// registration is what the form of 40 fields sends when all is filled in, as its page says.
func registration(s *stage) url.Values {
	page, err := os.ReadFile(s.testdata("pages/registration.html"))
	if err != nil {
		s.t.Fatal(err)
	}
	want := url.Values{}
	for _, m := range labelled.FindAllStringSubmatch(string(page), -1) {
		value := m[2] + " of Ada"
		switch m[3] + m[5] {
		case "select":
			value = "Special"
		case "inputdate":
			value = "2024-05-10"
		case "inputcheckbox":
			value = "yes"
		}
		want.Set(m[1], value)
	}
	if len(want) != 40 {
		s.t.Fatalf("the page has %d fields", len(want))
	}
	return want
}
