package mcpserver

import (
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/operations"
	"understudy/steps"
)

// desktopTools makes a tool, and an address of the server, of each operation on lasting
// desktops. A desktop belongs to the credential that started it, directly or by a run.
type desktopTools struct{ o *Options }

// Limits for clients, which do not apply to the person at the machine: how long a
// desktop is kept if the client states nothing, and how many desktops there may be.
const (
	clientLinger = 8 * time.Hour
	maxDesktops  = 16
)

func (d desktopTools) operations() []operation {
	return operationsOn("desktops", steps.Desktops, operations.OnDesktops(), func(who caller, t access.Tool) (operations.Desktops, operations.DesktopCaller) {
		return d.o.Desktops, d.callerFor(who.Subject, t)
	})
}

// runOnDesktop starts programs by their command lines, which may reach beyond the desktop.
const runOnDesktop = "run_on_desktop"

// callerFor converts a subject that uses a tool to the caller of operations.
func (d desktopTools) callerFor(who access.Subject, t access.Tool) operations.DesktopCaller {
	return operations.DesktopCaller{
		Owner: who.Owner, Commands: who.MayAll(d.o.Kinds, access.HasRisk(steps.RunsShell)).Denied(), Linger: clientLinger, Most: maxDesktops, Dir: d.o.Dir, Environ: d.o.Environ,
		May: func(k virtual.Kept, change bool) error {
			return who.May(t, access.Thing{Name: "the desktop " + k.Name, Owner: k.Owner, Change: change}).Denied()
		},
	}
}

// choice returns the desktop that a call requests for its run by name; "" is any.
func (d desktopTools) choice(c *call, name string) (engine.DesktopChoice, error) {
	if name == "" {
		return engine.DesktopChoice{}, nil
	}
	if d.o.Desktops == nil {
		return engine.DesktopChoice{}, steps.Errorf(steps.Unavailable, "there are no lasting desktops here")
	}
	k, err := operations.FindDesktop(d.o.Desktops, d.callerFor(c.Subject, c.tool.Tool), name, true)
	if err != nil {
		return engine.DesktopChoice{}, err
	}
	if k.IsSeat() {
		return engine.DesktopChoice{Display: desktop.Seat}, nil
	}
	return engine.DesktopChoice{Display: "virtual:" + k.Name}, nil
}
