package service

import "syscall"

// detachedProcess is DETACHED_PROCESS of Windows.
const detachedProcess = 0x8

// detached has the service outlive the console of its starter.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// enforced tells whether the system enforces file permissions. On Windows, access to
// the user's own folder is controlled in another way.
const enforced = false
