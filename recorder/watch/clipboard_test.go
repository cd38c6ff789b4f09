package watch

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// copies is a program that puts a text on the clipboard.
func (s *stand) copies(text string) {
	_ = s.Do(context.Background(), desktop.WriteClipboard{Text: text})
	s.emit(desktop.InputEvent{Type: desktop.ClipboardTaken})
	time.Sleep(time.Second)
}

func TestCopiedTextIsComparedAndNotWritten(t *testing.T) {
	for _, c := range []struct {
		say  string
		do   func(s *stand)
		want []int
	}{
		{"equal texts have one number", func(s *stand) {
			s.copies("hQ7#kZ9!x")
			s.copies("other")
			s.copies("hQ7#kZ9!x")
		}, []int{1, 2, 1}},
		{"what is copied during a pause is known when it ends", func(s *stand) {
			s.copies("hQ7#kZ9!x")
			s.press("ctrl+shift+f11")
			time.Sleep(time.Second)
			s.copies("other")
			s.copies("hQ7#kZ9!x")
			s.copies("third")
			s.press("ctrl+shift+f11")
		}, []int{1, 2}},
	} {
		t.Run(c.say, func(t *testing.T) {
			seen, text, _ := record(t, c.do)
			var got []int
			for _, ev := range seen {
				if ev.Type == recorder.Copied || ev.Type == recorder.Begun && ev.Clip > 0 {
					got = append(got, ev.Clip)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the numbers (-want +got):\n%s", diff)
			}
			if strings.Contains(text, "hQ7#kZ9!x") || strings.Contains(text, "other") {
				t.Errorf("the log holds what was copied:\n%s", text)
			}
		})
	}
}
