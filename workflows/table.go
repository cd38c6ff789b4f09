package workflows

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/thedatashed/xlsxreader"

	"understudy/steps"
)

// A Table is rows of inputs, each for a run of its own.
type Table struct {
	Columns []string
	Rows    []map[string]any // by column; of CSV all are texts
}

// ReadTable reads the first sheet of a spreadsheet, a file of JSON lines, each an object, or else a CSV file. The
// first line of a sheet and of a CSV file names the columns.
func ReadTable(src Source) (t Table, err error) {
	text := bytes.TrimPrefix(src.Text, []byte("\ufeff"))
	switch filepath.Ext(src.Name) {
	case ".jsonl", ".ndjson":
		t, err = readObjects(text)
	case ".xlsx":
		t, err = readSheet(src.Text)
	default:
		t, err = readCSV(text)
	}
	if err == nil && len(t.Rows) == 0 {
		err = errors.New("it has no rows")
	}
	if err != nil {
		return t, steps.Errorf(steps.Invalid, "%s: %w", src.Name, err).WithNext("give a CSV file or an .xlsx spreadsheet whose first line names the columns, or a .jsonl file with an object on each line")
	}
	return t, nil
}

func readObjects(text []byte) (t Table, err error) {
	columns := map[string]bool{}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var row map[string]any
		if err := d.Decode(&row); errors.Is(err, io.EOF) {
			t.Columns = slices.Sorted(maps.Keys(columns))
			return t, nil
		} else if err != nil {
			return t, err
		}
		for name := range row {
			columns[name] = true
		}
		t.Rows = append(t.Rows, row)
	}
}

func readCSV(text []byte) (t Table, err error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = separator(text)
	lines, err := r.ReadAll()
	if err != nil || len(lines) == 0 {
		return t, err
	}
	t.Columns = lines[0]
	for _, line := range lines[1:] {
		row := map[string]any{}
		for i, cell := range line {
			row[t.Columns[i]] = cell
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// readSheet reads the first sheet of a spreadsheet, as the texts that its cells hold. Lines without any are left out.
func readSheet(content []byte) (t Table, err error) {
	book, err := xlsxreader.NewReader(content)
	if err != nil || len(book.Sheets) == 0 {
		return t, cmp.Or(err, errors.New("it has no sheets"))
	}
	columns := map[int]string{}
	for line := range book.ReadRows(book.Sheets[0]) { // to the end, as it is read beside this
		err = cmp.Or(err, line.Error)
		row := map[string]any{}
		for _, c := range line.Cells {
			switch name, ok := columns[c.ColumnIndex()]; {
			case t.Columns == nil:
				row[c.Value] = c.Value
				columns[c.ColumnIndex()] = c.Value
			case ok && c.Value != "":
				row[name] = c.Value
			}
		}
		switch {
		case len(row) == 0:
		case t.Columns == nil:
			t.Columns = slices.Sorted(maps.Keys(row))
		default:
			for _, name := range t.Columns {
				if row[name] == nil {
					row[name] = ""
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t, err
}

// separator returns what separates the columns: spreadsheets in some languages write semicolons.
func separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	best, most := ',', bytes.Count(first, []byte(","))
	for _, r := range ";\t" {
		if n := bytes.Count(first, []byte(string(r))); n > most {
			best, most = r, n
		}
	}
	return best
}

// Match returns the column of each variable that has one of the same name, but for case and what is no
// letter or digit.
func (t Table) Match(variables []Variable) map[string]string {
	matched := map[string]string{}
	for _, v := range variables {
		i := slices.IndexFunc(t.Columns, func(c string) bool {
			name := bareName(c)
			return name != "" && (name == bareName(v.Name) || name == bareName(v.Label))
		})
		if i >= 0 {
			matched[v.Name] = t.Columns[i]
		}
	}
	return matched
}

// bareName returns the letters and digits of a name, in lower case.
func bareName(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// Inputs returns the inputs of a row and, apart from them, the secrets. An empty cell is an empty text; for
// another type it is not given.
func (t Table) Inputs(row map[string]any, variables []Variable, columns map[string]string) (inputs map[string]any, secrets map[string]string, err error) {
	inputs, secrets = map[string]any{}, map[string]string{}
	for _, v := range variables {
		value, ok := row[columns[v.Name]]
		text, isText := value.(string)
		switch {
		case !ok, isText && text == "" && v.Type != "string" && !v.Secret:
		case v.Secret && !isText:
			return nil, nil, steps.Errorf(steps.Invalid, "the secret %s must be a string", v.Name).WithNext("write it in quotes")
		case v.Secret:
			secrets[v.Name] = text
		case isText:
			if inputs[v.Name], err = ParseInput(v, text); err != nil {
				return nil, nil, &steps.Error{Code: steps.Invalid, Err: err}
			}
		default:
			inputs[v.Name] = value
		}
	}
	return inputs, secrets, nil
}
