package desktop

import "testing"

func TestTheAddressOfACellIsItsColumnAndRow(t *testing.T) {
	for _, row := range []struct {
		address     string
		column, row int
	}{{"A1", 0, 0}, {"B4", 1, 3}, {"Z9", 25, 8}, {"AA10", 26, 9}, {"XFD1048576", 16383, 1048575}} {
		column, at, ok := ParseAddress(row.address)
		if !ok || column != row.column || at != row.row {
			t.Errorf("%s: got column %d, row %d, %v", row.address, column, at, ok)
		}
		if got := ColumnName(row.column); got+row.address[len(got):] != row.address {
			t.Errorf("the column of %s is called %s", row.address, got)
		}
	}
	for _, no := range []string{"", "A", "4", "a1", "A0", "ABCD1", "A1:B2", "Save", "A12345678"} {
		if _, _, ok := ParseAddress(no); ok {
			t.Errorf("%q was taken for an address", no)
		}
	}
}
