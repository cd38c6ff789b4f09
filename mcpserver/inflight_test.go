package mcpserver

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestManyWaitForTheEnd closes twice at once, as the end of the input and a signal do:
// both return when the last call has ended.
func TestManyWaitForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newInflight()
		var u outstanding
		leave := a.enter(&call{}, func(error) {})
		u.begin()
		ended := make(chan error, 2)
		for range 2 {
			go func() {
				err := a.close(t.Context(), errStopping)
				u.wait(t.Context())
				ended <- err
			}()
		}
		synctest.Wait()
		leave()
		synctest.Wait()
		u.done()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if err := a.close(context.Background(), errStopping); err != nil {
			t.Errorf("closed again: %v", err)
		}
	})
}
