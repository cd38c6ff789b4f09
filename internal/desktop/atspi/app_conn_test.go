//go:build linux

package atspi

import (
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	"understudy/internal/desktop"
)

// An application that is too busy to be connected to keeps its address: through the
// bus, a dialog that an action opens would block it.
func TestABusyApplicationIsConnectedToLater(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "socket")
	silent, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	bus := &busConn{}
	c := &appConn{address: "unix:path=" + socket}
	if _, err := c.get(t.Context(), bus, 50*time.Millisecond); !errors.Is(err, desktop.ErrUnresponsive) || c.address == "" {
		t.Errorf("while it is busy: %v, and its address is %q; want %v", err, c.address, desktop.ErrUnresponsive)
	}
	silent.Close()
	if conn, err := c.get(t.Context(), bus, time.Minute); err != nil || conn != bus.dbusConn || c.address != "" {
		t.Errorf("when it listens no longer: %v, and its address is %q; want the bus", err, c.address)
	}
}
