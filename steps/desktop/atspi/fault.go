//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// goneErrors are the bus's replies for an owner or object that no longer
// exists.
var goneErrors = []string{
	"org.freedesktop.DBus.Error.ServiceUnknown",
	"org.freedesktop.DBus.Error.NameHasNoOwner",
	"org.freedesktop.DBus.Error.NoReply", // it went away while we waited
	"org.freedesktop.DBus.Error.Disconnected",
	"org.freedesktop.DBus.Error.UnknownObject",
}

// translateError maps an error of the bus to the desktop's errors.
func translateError(err error) error {
	var answer dbus.Error
	var network net.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return desktop.ErrUnresponsive
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, dbus.ErrClosed), errors.Is(err, io.EOF), errors.As(err, &network):
		return fmt.Errorf("%w: the accessibility bus went away", desktop.ErrUnavailable)
	case errors.As(err, &answer) && slices.Contains(goneErrors, answer.Name):
		return desktop.ErrNotFound
	case errors.As(err, &answer):
		return fmt.Errorf("%w: %s", desktop.ErrRefused, answer.Error())
	}
	return err
}
