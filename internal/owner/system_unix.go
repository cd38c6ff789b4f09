//go:build unix

package owner

// enforced says that the system heeds the permissions of files.
const enforced = true
