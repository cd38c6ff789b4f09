package words

import "testing"

func TestDidYouMean(t *testing.T) {
	if got := DidYouMean("slector", []string{"selector"}); got != "did you mean selector?" {
		t.Error(got)
	}
	if got := DidYouMean("zzz", []string{"b", "a"}); got != "known are a, b" {
		t.Error(got)
	}
}
