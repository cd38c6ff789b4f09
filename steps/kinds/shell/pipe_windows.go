package shell

import "os/exec"

// readAll connects the output of a program to its writers. A pipe of Windows cannot be
// read without waiting, so output after outputGrace is lost.
func (p Process) readAll(c *exec.Cmd) (started, ended func(), err error) {
	c.Stdout, c.Stderr = p.Stdout, p.Stderr
	return func() {}, func() {}, nil
}
