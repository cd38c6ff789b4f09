package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/engine"
	"understudy/steps"
	"understudy/workflows"
)

type eachFlags struct {
	Each        string `flag:"each" usage:"a CSV, .xlsx or .jsonl file: a run for each of its rows"`
	Failed      bool   `flag:"failed" usage:"with --each: resume only the rows that failed"`
	MaxFailures int    `flag:"max-failures" usage:"with --each: end after so many rows failed; 0: never"`
	Yes         bool   `flag:"yes" usage:"with --each: the columns are matched as meant"`
}

// rowRuns are the runs of the rows of a table. Each has an id made from its row, so a row whose run
// is there already is recognised, wherever it stands in the table now.
type rowRuns struct {
	*app
	eachFlags
	program *workflows.Program
	request engine.Request
	table   workflows.Table
	columns map[string]string // by variable
	before  []engine.Header   // the runs of earlier commands
	summary rowSummary
}

// rowSummary says what came of the rows.
type rowSummary struct {
	Group     string      `json:"execution_id"`
	Rows      int         `json:"rows"`
	Succeeded int         `json:"succeeded"`
	Failed    int         `json:"failed"`
	Waiting   int         `json:"waiting"`
	Left      int         `json:"left"` // were not begun, or not ended
	Problems  []rowResult `json:"problems"`
}

// rowResult is a row that did not succeed.
type rowResult struct {
	Row    int           `json:"row"` // from 1
	Run    string        `json:"run_id,omitempty"`
	Status engine.Status `json:"status,omitempty"`
	Error  string        `json:"error,omitempty"`
}

// rows returns the runs of the rows of --each, or nil.
func (f *eachFlags) rows(a *app, p *workflows.Program, src workflows.Source, r engine.Request) (*rowRuns, error) {
	if f.Each == "" {
		if f.Failed || f.Yes || f.MaxFailures != 0 {
			return nil, steps.Errorf(steps.Invalid, "--failed, --max-failures and --yes belong to --each").WithNext("name the file of the rows with --each")
		}
		return nil, nil
	}
	if r.DryRun || r.StepThrough {
		return nil, steps.Errorf(steps.Invalid, "--dry-run and --step are for one run, and --each begins many").WithNext("try one row with --input")
	}
	file, err := fileSource(f.Each)
	if err != nil {
		return nil, err
	}
	table, err := workflows.ReadTable(file)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(src.Dir + "\x00" + src.Name + "\x00" + filepath.Join(file.Dir, filepath.Base(file.Name))))
	r.ExecutionID = "each-" + hex.EncodeToString(sum[:6])
	return &rowRuns{
		app: a, eachFlags: *f, program: p, request: r, table: table, columns: table.Match(p.Variables),
		summary: rowSummary{Group: r.ExecutionID, Rows: len(table.Rows), Problems: []rowResult{}},
	}, nil
}

// run executes the rows, one after the other.
func (e *rowRuns) run(ctx context.Context, runs engine.Runs, show *showFlags) (err error) {
	if e.before, err = runs.List(ctx, engine.Query{ExecutionID: e.request.ExecutionID}); err != nil {
		return err
	}
	rows, err := e.prepare()
	if err != nil {
		return err
	}
	if err := e.confirmColumns(); err != nil {
		return err
	}
	for i, row := range rows {
		if ctx.Err() != nil || e.MaxFailures > 0 && e.summary.Failed >= e.MaxFailures {
			e.summary.Left++
			continue
		}
		h, err := e.runRow(ctx, runs, row)
		if err != nil {
			return e.inRow(i, err)
		}
		e.count(i, h)
	}
	return e.end(show)
}

func (e *rowRuns) inRow(i int, err error) error {
	return fmt.Errorf("%s, row %d: %w", e.Each, i+1, err)
}

// A preparedRow is what a row gives, and the key of its run, which is made of that without its secrets.
type preparedRow struct {
	key     string
	inputs  map[string]any
	secrets map[string]string
}

// prepare reads all rows. It fails if the workflow would refuse one, before any is begun.
func (e *rowRuns) prepare() (rows []preparedRow, err error) {
	equal := map[string]int{}
	for i, row := range e.table.Rows {
		inputs, secrets, err := e.table.Inputs(row, e.program.Variables, e.columns)
		if err != nil {
			return nil, e.inRow(i, err)
		}
		r := preparedRow{inputs: joined(e.request.Inputs, inputs), secrets: joined(e.request.Secrets, secrets)}
		all := maps.Clone(r.inputs)
		for name, text := range r.secrets {
			all[name] = text
		}
		if _, problems := e.program.CheckInputs(all); len(problems) > 0 {
			return nil, e.inRow(i, steps.Errorf(steps.Invalid, "%s: %s", strings.Join(problems[0].Path, "."), problems[0].Message).WithNext(problems[0].Hint))
		}
		words := []string{e.request.ExecutionID}
		for _, name := range slices.Sorted(maps.Keys(inputs)) {
			words = append(words, fmt.Sprintf("%s=%v", name, inputs[name]))
		}
		same := strings.Join(words, "\x00")
		equal[same]++
		r.key = engine.KeyAt(time.Now(), append(words, fmt.Sprint(equal[same]))...)
		rows = append(rows, r)
	}
	return rows, nil
}

// runRow starts or resumes the run of a row, and returns how it ended. What succeeded, and what failed
// unless that is asked for, is left as it is.
func (e *rowRuns) runRow(ctx context.Context, runs engine.Runs, row preparedRow) (engine.Header, error) {
	r := e.request
	r.Key, r.Inputs, r.Secrets = row.key, row.inputs, row.secrets
	i := slices.IndexFunc(e.before, func(h engine.Header) bool { return engine.SameWords(h.ID, row.key) })
	if i < 0 && e.Failed {
		return engine.Header{}, nil
	}
	if i < 0 {
		h, err := runs.Start(ctx, r)
		if err != nil {
			return h, err
		}
		return waitOrStop(ctx, runs, h.ID)
	}
	h := e.before[i]
	if h.Status == engine.Failed && !e.Failed || h.Status == engine.Succeeded || h.Status == engine.Waiting || h.Status == engine.Running || h.Status == engine.Queued {
		return h, nil
	}
	h, _, err := continueRun(ctx, runs, h.ID, engine.ResumeRequest{
		Inputs: e.request.Inputs, Secrets: r.Secrets, From: r.From, Queue: r.Queue, Environ: r.Environ, By: "command line",
	})
	if err != nil {
		return h, err
	}
	return waitOrStop(ctx, runs, h.ID)
}

// joined returns the values of two maps; those of the second count.
func joined[V any](a, b map[string]V) map[string]V {
	all := map[string]V{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}

// waitOrStop waits for the end of a run, and stops it if the command is interrupted.
func waitOrStop(ctx context.Context, runs engine.Runs, id string) (engine.Header, error) {
	lasting, forget := stopOnInterrupt(ctx, runs, id)
	defer forget()
	return runs.Wait(lasting, id)
}

// count adds a row to the summary, and tells what came of it.
func (e *rowRuns) count(i int, h engine.Header) {
	s := &e.summary
	switch h.Status {
	case engine.Succeeded:
		s.Succeeded++
		return
	case engine.Failed:
		s.Failed++
	case engine.Waiting:
		s.Waiting++
	default:
		s.Left++
	}
	if h.ID == "" {
		return
	}
	problem := rowResult{Row: i + 1, Run: h.ID, Status: h.Status}
	if h.Error != nil {
		problem.Error = h.Error.Message
	}
	s.Problems = append(s.Problems, problem)
	fmt.Fprintf(e.errOut, "row %d of %d: run %s %s: %s\n", i+1, s.Rows, h.ID, h.Status, cleanLines(problem.Error))
}

// end shows the summary, and returns the error that gives the exit status.
func (e *rowRuns) end(show *showFlags) error {
	s := e.summary
	if show.JSON {
		if err := e.document(s); err != nil {
			return err
		}
	}
	fmt.Fprintf(e.errOut, "%s: %d succeeded, %d failed, %d waiting, %d left; to list their runs: understudy runs ls --execution-id %s\n",
		count(s.Rows, "row"), s.Succeeded, s.Failed, s.Waiting, s.Left, s.Group)
	switch {
	case s.Failed > 0:
		e.showLines("to resume the rows that failed: the same command with --failed")
		return &shownError{steps.Unexpected}
	case s.Left > 0:
		return &shownError{steps.Interrupted}
	case s.Waiting > 0:
		return &shownError{waitingCode}
	}
	return nil
}

// confirmColumns shows how columns are matched to inputs, and asks whether that is meant, once: when the
// first row is begun, and unless each column has the name of an input and each input a column.
func (e *rowRuns) confirmColumns() error {
	var lines []string
	for _, v := range e.program.Variables {
		column, ok := e.columns[v.Name]
		_, given := e.request.Inputs[v.Name]
		_, secret := e.request.Secrets[v.Name]
		switch {
		case ok && column != v.Name:
			lines = append(lines, fmt.Sprintf("the input %s is the column %q", v.Name, column))
		case !ok && !given && !secret:
			lines = append(lines, fmt.Sprintf("the input %s has no column: its default is used in each row", v.Name))
		}
	}
	used := slices.Collect(maps.Values(e.columns))
	for _, c := range e.table.Columns {
		if !slices.Contains(used, c) {
			lines = append(lines, fmt.Sprintf("the column %q is not used", c))
		}
	}
	if len(lines) == 0 || len(e.before) > 0 || e.Yes {
		return nil
	}
	e.showLines(lines...)
	if _, typed := terminal(e.in); typed {
		fmt.Fprint(e.errOut, "is that meant? [y/N] ")
		answer, _ := bufio.NewReader(e.in).ReadString('\n')
		if strings.HasPrefix(strings.ToLower(answer), "y") {
			return nil
		}
	}
	return steps.Errorf(steps.Invalid, "the columns of %s are not those of the workflow, so nothing was begun", e.Each).
		WithNext("rename the columns like the inputs, or confirm how they are matched with --yes")
}
