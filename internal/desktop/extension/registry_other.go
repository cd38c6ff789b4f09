//go:build !windows

package extension

// Only Windows has a registry.

func hasKey(string) bool { return false }

func setKey(string, string) error { return nil }

func dropKey(string) error { return nil }
