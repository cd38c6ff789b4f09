//go:build unix

package children

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// watch is the script of the guard. It adds and removes groups until this process has
// ended, and then kills the remaining ones.
const watch = `
groups=
while read -r word group; do
	kept=
	for g in $groups; do [ "$g" = "$group" ] || kept="$kept $g"; done
	groups=$kept
	[ "$word" = keep ] || groups="$groups $group"
done
for g in $groups; do kill -s KILL -- "-$g"; done`

// guard returns the pipe to a shell that outlives this process by a moment, or nil if there
// is no shell. The pipe is closed however this process ends, also by SIGKILL.
var guard = sync.OnceValue(func() *os.File {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	c := exec.Command("/bin/sh", "-c", watch)
	c.Dir, c.Stdin, c.Env = "/", r, []string{}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // so that it does not get our signals
	if err := c.Start(); err != nil {
		w.Close()
		return nil
	}
	return w
})

// StartGuarded starts a program like Start, and ends its whole process group when this
// process ends. The caller calls free when the program has ended; what the program left
// running may then go on.
func StartGuarded(c *exec.Cmd) (free func(), err error) {
	pipe := guard()
	if err := Start(c, syscall.SIGKILL); err != nil {
		return nil, err
	}
	if pipe == nil {
		return func() {}, nil
	}
	pid := c.Process.Pid
	fmt.Fprintf(pipe, "end %d\n", pid)
	return func() { fmt.Fprintf(pipe, "keep %d\n", pid) }, nil
}
