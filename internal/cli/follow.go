package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"understudy/engine"
	"understudy/internal/desktop/virtual"
	"understudy/steps"
)

type showFlags struct {
	JSON   bool   `flag:"json" usage:"print the run as one JSON document"`
	Output string `flag:"output" words:"jsonl" usage:"jsonl: print events as they happen"`
	All    bool   `flag:"all" usage:"with --json: all steps, not only the first 200"`
}

// follow shows the events of a run after the first seen ones, until it stands still.
// If the command is interrupted, the run is stopped and can be resumed.
func (a *app) follow(ctx context.Context, runs engine.Runs, h engine.Header, seen uint64, f *showFlags) error {
	lasting, forget := stopOnInterrupt(ctx, runs, h.ID)
	defer forget()
	h, err := newProgress(&a.console, f).watch(lasting, runs, h, seen)
	if err != nil {
		return err
	}
	return a.conclude(lasting, runs, h, f)
}

// stopOnInterrupt stops a run if the command is interrupted, until forget is called. The
// context that it returns goes on then, to see how the run ends.
func stopOnInterrupt(ctx context.Context, runs engine.Runs, id string) (lasting context.Context, forget func() bool) {
	lasting = context.WithoutCancel(ctx)
	return lasting, context.AfterFunc(ctx, func() {
		c, cancel := context.WithTimeout(lasting, hurriedTime)
		defer cancel()
		_, _ = runs.Stop(c, id, engine.ByUser, stopReason)
	})
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

// await waits for more events, and tells if the run waits for the desktop.
func (p *progress) await(ctx context.Context, runs engine.Runs, id string, seen uint64) (engine.Header, error) {
	c, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	h, err := runs.Await(c, id, seen)
	if err != nil && c.Err() != nil && ctx.Err() == nil {
		h, err = runs.Get(ctx, id)
		if h.Waits != "" {
			p.say("waiting: " + h.Waits)
		} else if h.Status == engine.Queued {
			p.say(fmt.Sprintf("waiting for a place (number %d in the queue)", max(1, h.Position)))
		}
	}
	return h, err
}

// conclude shows the result of a run, and returns the error that gives the exit
// status.
func (a *app) conclude(ctx context.Context, runs engine.Runs, h engine.Header, f *showFlags) error {
	report, err := runs.Report(ctx, h.ID, engine.Page{All: f.All})
	if err != nil {
		return err
	}
	report.Error = h.Error
	switch {
	case f.JSON:
		err = a.document(report)
	case f.Output == "" && report.Output != nil:
		err = a.document(report.Output)
	}
	if err != nil {
		return err
	}
	if !a.Quiet || h.Status != engine.Succeeded {
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
	if h.Error != nil && statusOf[h.Error.Code] != statusInvalid && statusOf[h.Error.Code] != statusOK {
		return h.Error.Code
	}
	return steps.Unexpected // a step failed, whatever was wrong with it
}

// lastWords tell how a run ended and how to go on.
func (a *app) lastWords(h engine.Header, r engine.Report) {
	w, paint := a.errOut, paintFor(a.errOut)
	took := (time.Duration(r.DurationMS) * time.Millisecond).Round(time.Millisecond)
	colour := paint.red
	if h.Status == engine.Succeeded {
		colour = paint.green
	}
	fmt.Fprintf(w, "run %s %s after %s: %s executed\n", h.ID, colour(string(h.Status)), took, count(h.Executed, "step"))
	if h.Errors > 0 && h.Status == engine.Succeeded {
		fmt.Fprintf(w, "  %s tolerated\n", count(h.Errors, "failure"))
	}
	if h.Error != nil {
		a.showError(" ", h.Error)
	}
	if h.Waits != "" {
		a.showLines("it waits: " + h.Waits)
	}
	a.showLines(append(nextWords(h), a.desktopWords(h)...)...)
}

func (c *console) showError(before string, e *engine.ErrorRecord) {
	fmt.Fprintf(c.errOut, "%s %s: %s\n", before, e.Code, cleanLines(e.Message))
	if e.Next != "" {
		c.showLines(e.Next)
	}
}

func (c *console) showLines(lines ...string) {
	for _, line := range lines {
		fmt.Fprintf(c.errOut, "  %s\n", cleanLines(line))
	}
}

// desktopWords tell where the desktop of a run is that did not succeed.
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
	if h.Status == engine.Running {
		kept = "it is on the desktop " + k.Name
	} else if k.Linger > 0 {
		if k.Until.IsZero() { // it is just given up
			k.Until = time.Now().Add(k.Linger)
		}
		kept = "its desktop " + k.Name + " is kept until " + k.Until.Local().Format(time.DateTime)
	}
	return []string{kept, "to look at it: understudy desktop show " + k.Name}
}

// nextWords tell how to go on with a run.
func nextWords(h engine.Header) []string {
	if q := h.Question; q != nil && h.Status == engine.Waiting {
		switch q.Sort {
		case engine.AskDoubt:
			return []string{
				q.Text,
				"to repeat it: understudy resume " + h.ID + " --redo",
				"to skip it:   understudy resume " + h.ID + " --skip",
			}
		case engine.AskSecret:
			return []string{q.Text, fmt.Sprintf("to continue: understudy resume %s --input %s=@FILE", h.ID, q.Choices[0])}
		}
		lines := []string{q.Text}
		for _, c := range q.Choices {
			lines = append(lines, "  - "+c)
		}
		if q.Fields != nil {
			return append(lines, "to answer: understudy answer "+h.ID+" JSON, an object with "+fieldsOf(q))
		}
		return append(lines, "to answer: understudy answer "+h.ID+" ANSWER")
	}
	switch {
	case h.Call != "":
		return nil // a single call is repeated, not resumed
	case h.Status == engine.Paused:
		return []string{"to continue: understudy resume " + h.ID}
	case h.Status == engine.Succeeded, h.Waits != "":
		return nil
	case h.Status == engine.Running, h.Status == engine.Queued:
		return []string{"to follow it: understudy runs logs -f " + h.ID, "to stop it:   understudy stop " + h.ID}
	}
	at := ""
	if h.ResumeFrom != "" {
		at = "   (continues at " + h.ResumeFrom + ")"
	}
	return []string{"to continue: understudy resume " + h.ID + at}
}
