//go:build unix

package owner

// enforced tells whether the system enforces file permissions.
const enforced = true
