// Package shell runs programs and scripts for a step, ends them with all that they
// started, and bounds what is kept of their output. It does not decide whether a
// program may run.
package shell
