package workflows

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// spreadsheet makes an .xlsx file with one sheet, of the content of its element sheetData.
func spreadsheet(t *testing.T, data string) []byte {
	t.Helper()
	const head, office = `<?xml version="1.0" encoding="UTF-8"?>`, "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	const main, package_ = "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://schemas.openxmlformats.org/package/2006/relationships"
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range [][2]string{
		{"_rels/.rels", `<Relationships xmlns="` + package_ + `"><Relationship Id="r1" Type="` + office + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns="` + main + `" xmlns:r="` + office + `"><sheets><sheet name="Orders" sheetId="1" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + package_ + `"><Relationship Id="r1" Type="` + office + `/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="` + office + `/sharedStrings" Target="sharedStrings.xml"/></Relationships>`},
		{"xl/sharedStrings.xml", `<sst xmlns="` + main + `"><si><t>who</t></si><si><t>amount</t></si><si><t>Grüße, &amp; Co</t></si></sst>`},
		{"xl/styles.xml", `<styleSheet xmlns="` + main + `"></styleSheet>`},
		{"xl/worksheets/sheet1.xml", `<worksheet xmlns="` + main + `"><sheetData>` + data + `</sheetData></worksheet>`},
	} {
		w, err := z.Create(f[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(head + f[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestATableIsReadFromASpreadsheet(t *testing.T) {
	cell := func(place, sort, value string) string {
		return `<c r="` + place + `" t="` + sort + `"><v>` + value + `</v></c>`
	}
	line := func(cells ...string) string { return "<row>" + strings.Join(cells, "") + "</row>" }
	data := line(cell("A2", "s", "0"), cell("C2", "s", "1")) + line() + line(cell("A4", "s", "2"), cell("B4", "str", "not in a column"), cell("C4", "n", "480.5")) + line(cell("C5", "n", "7"))
	got, err := ReadTable(Source{Name: "orders.xlsx", Text: spreadsheet(t, data)})
	if err != nil {
		t.Fatal(err)
	}
	want := Table{Columns: []string{"amount", "who"}, Rows: []map[string]any{{"who": "Grüße, & Co", "amount": "480.5"}, {"who": "", "amount": "7"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for say, text := range map[string][]byte{"it has no rows": spreadsheet(t, line(cell("A1", "s", "0"))), "zip": []byte("who,amount\n")} {
		if _, err := ReadTable(Source{Name: "orders.xlsx", Text: text}); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("wanted %q, found %v", say, err)
		}
	}
}
