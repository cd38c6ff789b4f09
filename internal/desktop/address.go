package desktop

import (
	"regexp"
	"strconv"
)

// address matches a cell's address in a spreadsheet.
var address = regexp.MustCompile(`^([A-Z]{1,3})([1-9][0-9]{0,6})$`)

// ParseAddress returns the column and the row of a cell's address such as B4, both
// counted from 0.
func ParseAddress(text string) (column, row int, ok bool) {
	m := address.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	for _, letter := range m[1] {
		column = 26*column + int(letter-'A') + 1
	}
	row, err := strconv.Atoi(m[2])
	return column - 1, row - 1, err == nil
}

// ColumnName returns a column's part of an address: A for 0, AA for 26.
func ColumnName(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
