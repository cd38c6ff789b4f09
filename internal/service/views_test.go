package service

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/engine"
	"understudy/steps"
)

// TestAPersonsLastActionEndsBeforeTheHandBack hands a desktop back, by the service and by
// another process, while its person is in the middle of an action.
func TestAPersonsLastActionEndsBeforeTheHandBack(t *testing.T) {
	dir := t.TempDir()
	served, client := pair(t, dir)
	for say, m := range map[string]engine.Runs{"by the service": served.Engine, "by another process": client} {
		t.Run(say, func(t *testing.T) {
			ctx := t.Context()
			h, err := m.Start(ctx, marking(t.TempDir(), 1))
			if err == nil {
				_, err = m.Wait(ctx, h.ID)
			}
			if err == nil {
				_, err = m.TakeOver(ctx, h.ID, engine.Takeover{By: "ann"})
			}
			if err != nil {
				t.Fatal(err)
			}
			began := make(chan bool)
			var over atomic.Bool
			var acts sync.WaitGroup
			acts.Go(func() {
				_ = served.Engine.WhileHeld(ctx, h.ID, "ann", func(ctx context.Context) {
					close(began)
					<-ctx.Done()
					if h, err := m.Get(context.WithoutCancel(ctx), h.ID); err != nil || h.TakenBy != "ann" {
						t.Errorf("in the middle of an action %q has the desktop, %v", h.TakenBy, err)
					}
					over.Store(true)
				})
			})
			<-began
			if _, err := m.HandBack(ctx, h.ID, "ann"); err != nil || !over.Load() {
				t.Errorf("handed back after the action: %t, %v", over.Load(), err)
			}
			acts.Wait()
			err = served.Engine.WhileHeld(ctx, h.ID, "ann", func(context.Context) { t.Error("she acts afterwards") })
			if code := steps.CodeOf(err); code != steps.Denied && code != steps.Invalid {
				t.Errorf("she acts afterwards: %v", err)
			}
		})
	}
}
