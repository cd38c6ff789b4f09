package shell

import "os/exec"

// readAll connects a program to the writers of what it prints. A pipe of Windows cannot be
// read without waiting, so what comes after outputGrace is lost.
func (p Process) readAll(c *exec.Cmd) (started, ended func(), err error) {
	c.Stdout, c.Stderr = p.Stdout, p.Stderr
	return func() {}, func() {}, nil
}
