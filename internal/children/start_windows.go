package children

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// job returns a job that the system ends, with all processes in it, when its last handle is
// closed, which is when this process ends.
var job = sync.OnceValues(func() (windows.Handle, error) {
	j, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("making a job for the programs that are started: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(j, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return j, err
})

// Start starts a program detached from our console and signals. The program ends, with all
// that it started, when this process ends.
func Start(c *exec.Cmd, _ syscall.Signal) error {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	j, err := job()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	return c.Process.WithHandle(func(h uintptr) {
		err = windows.AssignProcessToJobObject(j, windows.Handle(h))
	})
}

// StartGuarded is Start, because what the program starts is in our job too.
func StartGuarded(c *exec.Cmd) (free func(), err error) {
	return func() {}, Start(c, syscall.SIGKILL)
}
