package virtual

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"understudy/internal/children"
)

// sharedTmp is where programs of all users leave files, many of them whatever TMPDIR says.
const sharedTmp = "/tmp"

const capSysAdmin = 21

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
		AmbientCaps: []uintptr{capSysAdmin},
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
	var seen []string
	for _, dir := range slices.Concat(share, []string{filepath.Dir(SocketOf("")), d.folder.dir}) {
		if real, err := filepath.EvalSymlinks(dir); err == nil { // else no program can use it
			seen = append(seen, dir, real)
		}
	}
	whole := slices.ContainsFunc(seen, func(dir string) bool { _, is := below(dir, sharedTmp); return is })
	if !whole && children.OnThread(func() error { return mountTmp(own, seen) }) == nil {
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

// below returns the path of a file in a folder, which may be the folder itself.
func below(dir, path string) (in string, is bool) {
	in, err := filepath.Rel(dir, path)
	return in, err == nil && filepath.IsLocal(in)
}

// mountTmp mounts a folder as the /tmp of all children of the thread, and in it those of some
// folders that are below the shared /tmp.
func mountTmp(own string, seen []string) error {
	if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
		return err
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_SLAVE, ""); err != nil {
		return err
	}
	for _, dir := range seen {
		in, is := below(sharedTmp, dir)
		if !is {
			continue
		}
		at := filepath.Join(own, in)
		if err := errors.Join(os.MkdirAll(at, 0o700), syscall.Mount(dir, at, "", syscall.MS_BIND|syscall.MS_REC, "")); err != nil {
			return err
		}
	}
	return syscall.Mount(own, sharedTmp, "", syscall.MS_BIND|syscall.MS_REC, "")
}
