//go:build linux

package x11

import (
	"testing"
	"time"
)

// TestALateFirstEventMakesNoOtherLate receives the first event long after it happened.
func TestALateFirstEventMakesNoOtherLate(t *testing.T) {
	v, begin := viewer{}, time.Now()
	v.time(1000, begin.Add(100*time.Millisecond))
	if got := v.time(1020, begin.Add(25*time.Millisecond)); !got.Equal(begin.Add(25 * time.Millisecond)) {
		t.Errorf("an event that is heard of in time is %v late", got.Sub(begin.Add(25*time.Millisecond)))
	}
	if got := v.time(1040, begin.Add(300*time.Millisecond)); !got.Equal(begin.Add(45 * time.Millisecond)) {
		t.Errorf("an event after that is %v off", got.Sub(begin.Add(45*time.Millisecond)))
	}
}
