package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const rowsWorkflow = `name: letters
variables:
  who: {type: string}
  amount: {type: number, default: 1}
  strict: {type: boolean, default: true}
steps:
  - {id: write, tool_name: log, arguments: {message: "${{ inputs.who }}: ${{ inputs.amount }}"}}
  - {id: check, tool_name: assert, arguments: {condition: "!inputs.strict || !(inputs.who contains 'bad')"}}
`

// rowsStand is a folder with a workflow, in which the command line is called.
type rowsStand struct {
	*testing.T
	dir string
}

func newRows(t *testing.T, rows ...string) rowsStand {
	s := rowsStand{t, t.TempDir()}
	s.write("letters.yaml", rowsWorkflow)
	s.write("rows.csv", strings.Join(rows, "\n")+"\n")
	return s
}

func (s rowsStand) write(name, text string) {
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// run returns the exit status, the summary and what was said.
func (s rowsStand) run(args ...string) (status int, summary rowSummary, said string) {
	s.Helper()
	var out, errOut bytes.Buffer
	args = append([]string{"--home", filepath.Join(s.dir, "home"), "run", filepath.Join(s.dir, "letters.yaml"), "--json"}, args...)
	if !slices.Contains(args, "--each") {
		args = append(args, "--each", filepath.Join(s.dir, "rows.csv"))
	}
	status = Main(context.Background(), testMachine(""), args, strings.NewReader(""), &out, &errOut)
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &summary); err != nil {
			s.Fatalf("%v: %s", err, out.String())
		}
	}
	return status, summary, errOut.String()
}

// wants fails unless rows came to these numbers.
func (s rowsStand) wants(got rowSummary, succeeded, failed, left int) {
	s.Helper()
	if got.Succeeded != succeeded || got.Failed != failed || got.Left != left {
		s.Errorf("got %+v, want %d succeeded, %d failed, %d left", got, succeeded, failed, left)
	}
}

func TestOfTwoHundredRowsSevenFailAndAreResumed(t *testing.T) {
	rows := []string{"who,amount,strict"}
	for i := range 200 {
		name := "good"
		if i%30 == 7 {
			name = "bad"
		}
		rows = append(rows, fmt.Sprintf("%s %d,%d,true", name, i, i))
	}
	s := newRows(t, rows...)
	status, got, said := s.run()
	s.wants(got, 193, 7, 0)
	if status != statusFailed || len(got.Problems) != 7 || got.Problems[0].Row != 8 || !strings.Contains(said, "--failed") {
		t.Errorf("status %d, %+v, %s", status, got, said)
	}
	first := got.Problems
	_, got, _ = s.run()
	if s.wants(got, 193, 7, 0); got.Problems[0].Run != first[0].Run {
		t.Errorf("a row has another run than before: %+v, %+v", got.Problems[0], first[0])
	}
	status, got, said = s.run("--failed", "--input", "strict=false")
	if s.wants(got, 200, 0, 0); status != statusOK {
		t.Errorf("status %d: %s", status, said)
	}
}

func TestRows(t *testing.T) {
	all := []string{"who,amount,strict", "good 1,1,true", "bad 2,2,true", "bad 3,3,true", "good 4,4,true"}
	for _, c := range []struct {
		say    string
		do     func(s rowsStand) (int, rowSummary, string)
		status int
		want   [3]int // succeeded, failed, left
		said   string
	}{
		{"it ends after so many failures", func(s rowsStand) (int, rowSummary, string) { return s.run("--max-failures", "1") }, statusFailed, [3]int{1, 1, 2}, "row 2 of 4"},
		{"what was left is done by the same command", func(s rowsStand) (int, rowSummary, string) {
			s.run("--max-failures", "1")
			return s.run()
		}, statusFailed, [3]int{2, 2, 0}, ""},
		{"a row that was mended is another row", func(s rowsStand) (int, rowSummary, string) {
			s.run()
			s.write("rows.csv", strings.ReplaceAll(strings.Join(all, "\n"), "bad", "mended"))
			return s.run()
		}, statusOK, [3]int{4, 0, 0}, ""},
		{"equal rows have a run each", func(s rowsStand) (int, rowSummary, string) {
			s.write("rows.csv", "who,amount,strict\nA,1,true\nA,1,true\n")
			return s.run()
		}, statusOK, [3]int{2, 0, 0}, ""},
		{"JSON lines are rows too", func(s rowsStand) (int, rowSummary, string) {
			s.write("rows.jsonl", `{"who":"A","amount":1,"strict":true}`+"\n"+`{"who":"B","amount":2,"strict":false}`)
			return s.run("--each", filepath.Join(s.dir, "rows.jsonl"))
		}, statusOK, [3]int{2, 0, 0}, ""},
		{"columns of other names are confirmed", func(s rowsStand) (int, rowSummary, string) {
			s.write("rows.csv", "Who;Remark\nA;x\n")
			return s.run()
		}, statusInvalid, [3]int{}, `the input who is the column "Who"`},
		{"and confirmed once", func(s rowsStand) (int, rowSummary, string) {
			s.write("rows.csv", "Who;Remark\nA;x\n")
			s.run("--yes")
			return s.run()
		}, statusOK, [3]int{1, 0, 0}, ""},
		{"a value of another type is refused with its row", func(s rowsStand) (int, rowSummary, string) {
			s.write("rows.csv", "who,amount,strict\nA,1,true\nB,many,true\n")
			return s.run()
		}, statusInvalid, [3]int{}, "row 2: "},
	} {
		t.Run(c.say, func(t *testing.T) {
			s := newRows(t, all...)
			status, got, said := c.do(s)
			s.wants(got, c.want[0], c.want[1], c.want[2])
			if status != c.status || !strings.Contains(said, c.said) {
				t.Errorf("status %d, want %d, said %q, want %q", status, c.status, said, c.said)
			}
		})
	}
}
