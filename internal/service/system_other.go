//go:build !linux

package service

import "os"

// itself returns the file of this program.
func itself() (string, error) { return os.Executable() }
