package aim

import (
	"testing"

	"understudy/internal/desktop"
)

// Swing makes another object of a row for each query.
func TestARowOfAListDoesNotCoverItself(t *testing.T) {
	row := desktop.Element{Role: "label", Name: "b.txt", Window: 1, Bounds: desktop.Rect{X: 10, Y: 20, W: 80, H: 18}, Handle: "1"}
	again := row
	again.Handle = "2"
	if err := notCovered(&row, &again, row.Bounds.Center()); err != nil {
		t.Error(err)
	}
	again.Name = "a.txt"
	if err := notCovered(&row, &again, row.Bounds.Center()); err == nil {
		t.Error("another row covers it")
	}
}
