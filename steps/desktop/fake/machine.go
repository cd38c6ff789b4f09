package fake

import (
	"context"

	"understudy/steps/desktop"
)

// Machine is a computer whose desktop is a fake. The zero Machine opens an
// empty one.
type Machine struct {
	Fake     *Desktop          // what Open opens
	Err      error             // what Open fails with instead
	Findings []desktop.Finding // what Diagnose finds; without any, that all is well
}

func (m *Machine) Open(ctx context.Context, o desktop.Options) (*desktop.Desktop, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if m.Err != nil {
		return nil, m.Err
	}
	d := m.Fake
	if d == nil {
		d = New()
	}
	if o.Screen != (desktop.Size{}) {
		d.Resize(o.Screen)
	}
	return d.Desktop(), nil
}

func (m *Machine) Diagnose(context.Context, desktop.Options) []desktop.Finding {
	if m.Findings == nil {
		return []desktop.Finding{{Name: "display", OK: true, Detail: "a desktop in memory", Needed: true}}
	}
	return m.Findings
}

var _ desktop.Machine = (*Machine)(nil)
