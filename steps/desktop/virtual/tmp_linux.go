package virtual

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"understudy/internal/children"
)

// sharedTmp is where programs of all users leave files, many of them whatever TMPDIR says.
const sharedTmp = "/tmp"

// mounter returns the attributes of a process that may mount what only its programs see. Root
// may anyway. Others get a namespace in which they are the same user, and no program gains rights.
func mounter() *syscall.SysProcAttr {
	if os.Geteuid() == 0 {
		return &syscall.SysProcAttr{}
	}
	same := func(id int) []syscall.SysProcIDMap {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER, UidMappings: same(os.Getuid()), GidMappings: same(os.Getgid()),
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
	}
}

// OwnTmp fails if this system does not let desktops have a /tmp of their own.
func OwnTmp() error {
	c := exec.Command("true")
	c.SysProcAttr = mounter()
	c.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
	return c.Run()
}

// ownTmp gives programs with a home of their own that are started from now on a folder for temporary files that is
// removed with the display: as their /tmp, or else as TMPDIR. The server must run already,
// because servers find free numbers by files in the shared /tmp.
func (d *Display) ownTmp(share []string) error {
	if d.home == "" {
		return nil
	}
	own := d.folder.path("tmp")
	if err := errors.Join(os.Mkdir(own, 0o700), os.Chmod(own, 0o777|fs.ModeSticky)); err != nil {
		return err
	}
	share = append(share, filepath.Dir(SocketOf("")), d.folder.dir)
	if children.OnThread(func() error { return mountTmp(own, share) }) == nil {
		d.tmp = sharedTmp
		return nil
	}
	// By its own path, the addresses of sockets in it would be too long.
	if _, err := home(""); err != nil {
		return err
	}
	d.tmp = shortPath(d.folder.dir)
	_ = os.Remove(d.tmp) // that of a desktop whose keeper was killed
	return os.Symlink(own, d.tmp)
}

// mountTmp mounts a folder as the /tmp of all children of the thread, with those of the shared
// folders that are below the shared /tmp.
func mountTmp(own string, share []string) error {
	defer func() { _ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) }() // children may not mount
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, ""); err != nil {
		return err
	}
	for _, dir := range share {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			continue // no program can use it
		}
		for _, path := range []string{dir, real} {
			if in, err := filepath.Rel(path, sharedTmp); err == nil && filepath.IsLocal(in) {
				return errors.New("the shared /tmp is one of the folders")
			}
			in, err := filepath.Rel(sharedTmp, path)
			if err != nil || !filepath.IsLocal(in) {
				continue
			}
			at := filepath.Join(own, in)
			if err := errors.Join(os.MkdirAll(at, 0o700), unix.Mount(path, at, "", unix.MS_BIND|unix.MS_REC, "")); err != nil {
				return err
			}
		}
	}
	return unix.Mount(own, sharedTmp, "", unix.MS_BIND|unix.MS_REC, "")
}
