//go:build unix

package children

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// watch is what the guard does: it notes groups, and forgets them, until we are
// gone. It then kills what it still knows of.
const watch = `
groups=
while read -r word group; do
	kept=
	for g in $groups; do [ "$g" = "$group" ] || kept="$kept $g"; done
	groups=$kept
	[ "$word" = keep ] || groups="$groups $group"
done
for g in $groups; do kill -s KILL -- "-$g"; done`

// guard is the pipe to a shell that outlives this process by a moment, or nil
// where there is no shell. A pipe tells of every end, SIGKILL included.
var guard = sync.OnceValue(func() *os.File {
	r, w, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer r.Close()
	c := exec.Command("/bin/sh", "-c", watch)
	c.Dir, c.Stdin, c.Env = "/", r, []string{}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal for us is one for it
	if err := c.Start(); err != nil {
		w.Close()
		return nil
	}
	return w
})

// StartGuarded is Start for a program whose whole group ends when this process
// does, with all that the program has started in it. The caller calls free when
// the program has ended: what it left running may run on.
func StartGuarded(c *exec.Cmd, death syscall.Signal) (free func(), err error) {
	pipe := guard()
	if err := Start(c, death); err != nil {
		return nil, err
	}
	if pipe == nil {
		return func() {}, nil
	}
	pid := c.Process.Pid
	fmt.Fprintf(pipe, "end %d\n", pid)
	return func() { fmt.Fprintf(pipe, "keep %d\n", pid) }, nil
}
