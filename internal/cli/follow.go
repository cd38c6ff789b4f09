package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop/virtual"
)

type showFlags struct {
	json   bool
	output string
	all    bool
}

func (f *showFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.json, "json", false, "the run as one JSON document on the standard output")
	cmd.Flags().StringVar(&f.output, "output", "", "jsonl: events on the standard output, as they happen")
	cmd.Flags().BoolVar(&f.all, "all", false, "with --json: every step, not only the first 200")
}

// follow shows a run until it stands still. When the command is interrupted
// the run is stopped, and can be resumed.
func (a *app) follow(ctx context.Context, runs engine.Runs, h engine.Header, f *showFlags) error {
	return a.followFrom(ctx, runs, h, 0, f)
}

func (a *app) followFrom(ctx context.Context, runs engine.Runs, h engine.Header, seen uint64, f *showFlags) error {
	if f.output != "" && f.output != "jsonl" {
		return steps.Errorf(steps.Invalid, "--output %s: the only one is jsonl", f.output)
	}
	p := newProgress(a, f)
	stop := context.AfterFunc(ctx, func() {
		c, cancel := context.WithTimeout(context.WithoutCancel(ctx), hurriedTime)
		defer cancel()
		_, _ = runs.Stop(c, h.ID, engine.ByUser, stopWords)
	})
	defer stop()
	h, err := p.watch(context.WithoutCancel(ctx), runs, h, seen)
	if err != nil {
		return err
	}
	return a.conclude(context.WithoutCancel(ctx), runs, h, f)
}

// watch shows the events of a run after the first seen ones, until it stands still.
func (p *progress) watch(ctx context.Context, runs engine.Runs, h engine.Header, seen uint64) (engine.Header, error) {
	for {
		evs, err := runs.Events(ctx, h.ID, seen+1)
		if err != nil {
			return h, err
		}
		for _, ev := range evs {
			p.event(ev)
			seen = ev.Seq
		}
		if len(evs) > 0 {
			continue
		}
		if h.Status != engine.Running && h.Status != engine.Queued && h.Seq <= seen {
			p.end()
			return runs.Wait(ctx, h.ID)
		}
		if h, err = p.await(ctx, runs, h.ID, seen); err != nil {
			return h, err
		}
	}
}

// await waits for more events, and says when the run waits for the desktop.
func (p *progress) await(ctx context.Context, runs engine.Runs, id string, seen uint64) (engine.Header, error) {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	h, err := runs.Await(c, id, seen)
	if err != nil && c.Err() != nil && ctx.Err() == nil {
		h, err = runs.Get(ctx, id)
		if h.Waits != "" {
			p.say("waiting: " + h.Waits)
		} else if h.Status == engine.Queued {
			p.say(fmt.Sprintf("waiting: another run has the desktop (number %d in the queue)", max(1, h.Position)))
		}
	}
	return h, err
}

// conclude shows what came of a run, and turns it into the error that gives
// the exit status.
func (a *app) conclude(ctx context.Context, runs engine.Runs, h engine.Header, f *showFlags) error {
	report, err := runs.Report(ctx, h.ID, engine.Page{All: f.all})
	if err != nil {
		return err
	}
	report.Error = h.Error
	switch {
	case f.json:
		err = a.document(report)
	case f.output == "" && report.Output != nil:
		err = a.document(report.Output)
	}
	if err != nil {
		return err
	}
	if !a.quiet || h.Status != engine.Succeeded {
		a.lastWords(h, report)
	}
	if code := codeOf(h); code != "" {
		return &shownError{code}
	}
	return nil
}

func codeOf(h engine.Header) steps.Code {
	switch h.Status {
	case engine.Succeeded:
		return ""
	case engine.Waiting, engine.Paused:
		return waitingCode
	case engine.Cancelled, engine.Interrupted:
		return steps.Interrupted
	}
	if h.Error != nil && statusOf[h.Error.Code] != statusInvalid {
		return h.Error.Code
	}
	return steps.Unexpected // a step failed, whatever was wrong with it
}

func (a *app) lastWords(h engine.Header, r engine.Report) {
	w := a.errOut
	paint := paintFor(w)
	took := (time.Duration(r.DurationMS) * time.Millisecond).Round(time.Millisecond)
	state := string(h.Status)
	if h.Status == engine.Succeeded {
		state = paint.green(state)
	} else {
		state = paint.red(state)
	}
	fmt.Fprintf(w, "run %s %s after %s: %s executed\n", h.ID, state, took, count(h.Executed, "step"))
	if h.Errors > 0 && h.Status == engine.Succeeded {
		fmt.Fprintf(w, "  %s tolerated\n", count(h.Errors, "failure"))
	}
	if h.Error != nil {
		fmt.Fprintf(w, "  %s: %s\n", h.Error.Code, cleanLines(h.Error.Message))
		if h.Error.Next != "" {
			fmt.Fprintf(w, "  %s\n", cleanLines(h.Error.Next))
		}
	}
	if h.Waits != "" {
		fmt.Fprintf(w, "  it waits: %s\n", cleanLines(h.Waits))
	}
	for _, line := range append(nextWords(h), a.desktopWords(h)...) {
		fmt.Fprintf(w, "  %s\n", cleanLines(line))
	}
}

// desktopWords say what became of the desktop of a run that did not succeed.
func (a *app) desktopWords(h engine.Header) []string {
	if h.Desktop == nil || h.Status == engine.Succeeded {
		return nil
	}
	dir, err := a.folder()
	if err != nil {
		return nil
	}
	dir = desktopsFolder(dir)
	k, err := virtual.Find(dir, h.Desktop.Name)
	if err != nil || k.Birth != h.Desktop.Birth {
		c, _ := virtual.FindClosing(dir, h.Desktop.Birth)
		return []string{fmt.Sprintf("its desktop %s was closed: %s", h.Desktop.Name, cmp.Or(c.Why, "nobody noted why"))}
	}
	kept := "its desktop " + k.Name + " is kept until it is stopped"
	if k.Linger > 0 {
		if k.Until.IsZero() { // it is just given up
			k.Until = time.Now().Add(k.Linger)
		}
		kept = "its desktop " + k.Name + " is kept until " + k.Until.Local().Format(time.DateTime)
	}
	return []string{kept, "to look at it: understudy desktop show " + k.Name}
}

func nextWords(h engine.Header) []string {
	if q := h.Question; q != nil && h.Status == engine.Waiting {
		switch q.Sort {
		case engine.AskDoubt:
			return []string{
				q.Text,
				"to do it again:      understudy resume " + h.ID + " --redo",
				"to go on without it: understudy resume " + h.ID + " --skip",
			}
		case engine.AskSecret:
			return []string{q.Text, fmt.Sprintf("to go on: understudy resume %s --input %s=@FILE", h.ID, q.Choices[0])}
		}
		lines := []string{q.Text}
		for _, c := range q.Choices {
			lines = append(lines, "  - "+c)
		}
		return append(lines, "to answer: understudy answer "+h.ID+" ANSWER")
	}
	switch {
	case h.Call != "":
		return nil // a single call is made again instead
	case h.Status == engine.Paused:
		return []string{"to go on: understudy resume " + h.ID}
	case h.Status == engine.Succeeded, h.Waits != "":
		return nil
	}
	at := ""
	if h.ResumeFrom != "" {
		at = "   (goes on at " + h.ResumeFrom + ")"
	}
	return []string{"to go on: understudy resume " + h.ID + at}
}
