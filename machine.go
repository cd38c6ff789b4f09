package main

import (
	"context"

	"understudy/steps/desktop"
)

// machine is a computer without a desktop.
type machine struct{}

var errNoDriver = &desktop.MissingError{What: "no driver for a desktop in this build"}

// Open gives a desktop of which every part answers that it is missing.
func (machine) Open(context.Context, desktop.Options) (*desktop.Desktop, error) {
	return desktop.Missing(errNoDriver), nil
}

// Diagnose says that there is no driver.
func (machine) Diagnose(context.Context, desktop.Options) []desktop.Finding {
	return []desktop.Finding{{Name: "driver", Detail: errNoDriver.What, Needed: true}}
}
