package hub

import (
	"context"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// forgetfulDisk is a disk in memory that forgets what was not synced when the power
// fails. Names, and what became of them, are kept: it is the friendliest disk that
// forgets at all.
type forgetfulDisk struct {
	mu    sync.Mutex
	off   bool
	files []*forgetfulFile
}

// mountForgetful mounts one, where that can be done.
func mountForgetful(t *testing.T) (d *forgetfulDisk, dir string) {
	t.Helper()
	d, dir = &forgetfulDisk{}, t.TempDir()
	s, err := fs.Mount(dir, &forgetfulDir{disk: d}, &fs.Options{MountOptions: fuse.MountOptions{DirectMount: true, FsName: "forgetful"}})
	if err != nil {
		t.Skipf("there is no disk here that forgets: FUSE: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return d, dir
}

// cut cuts the power: nothing gets to the disk any more.
func (d *forgetfulDisk) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
}

// restore gives the power back, and the disk as it was synced.
func (d *forgetfulDisk) restore() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = false
	for _, f := range d.files {
		for _, c := range slices.Backward(f.unsynced) {
			f.content = append(f.content[:min(c.at, len(f.content))], c.tail...)
		}
		f.unsynced = nil
	}
}

type forgetfulDir struct {
	fs.Inode
	disk *forgetfulDisk
}

var (
	_ fs.NodeCreater   = (*forgetfulDir)(nil)
	_ fs.NodeMkdirer   = (*forgetfulDir)(nil)
	_ fs.NodeRenamer   = (*forgetfulDir)(nil)
	_ fs.NodeSetattrer = (*forgetfulDir)(nil)
	_ fs.NodeFsyncer   = (*forgetfulDir)(nil)
	_ fs.NodeStatfser  = (*forgetfulDir)(nil)
	_ fs.NodeUnlinker  = (*forgetfulDir)(nil)
	_ fs.NodeRmdirer   = (*forgetfulDir)(nil)
	_ fs.NodeOpener    = (*forgetfulFile)(nil)
	_ fs.NodeReader    = (*forgetfulFile)(nil)
	_ fs.NodeWriter    = (*forgetfulFile)(nil)
	_ fs.NodeFsyncer   = (*forgetfulFile)(nil)
	_ fs.NodeGetattrer = (*forgetfulFile)(nil)
	_ fs.NodeSetattrer = (*forgetfulFile)(nil)
)

// Statfs says that there is room, which the server asks first.
func (*forgetfulDir) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	out.Bsize, out.Blocks, out.Bfree, out.Bavail = 4096, 1<<24, 1<<24, 1<<24
	return 0
}

func (d *forgetfulDir) power() syscall.Errno {
	d.disk.mu.Lock()
	defer d.disk.mu.Unlock()
	if d.disk.off {
		return syscall.EIO
	}
	return 0
}

func (d *forgetfulDir) Create(ctx context.Context, _ string, flags, _ uint32, _ *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	if errno := d.power(); errno != 0 {
		return nil, nil, 0, errno
	}
	f := &forgetfulFile{disk: d.disk}
	d.disk.mu.Lock()
	d.disk.files = append(d.disk.files, f)
	d.disk.mu.Unlock()
	return d.NewPersistentInode(ctx, f, fs.StableAttr{Mode: fuse.S_IFREG}), opened(flags), 0, 0
}

func (d *forgetfulDir) Mkdir(ctx context.Context, _ string, _ uint32, _ *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if errno := d.power(); errno != 0 {
		return nil, errno
	}
	return d.NewPersistentInode(ctx, &forgetfulDir{disk: d.disk}, fs.StableAttr{Mode: fuse.S_IFDIR}), 0
}

func (d *forgetfulDir) Unlink(context.Context, string) syscall.Errno { return d.power() }

func (d *forgetfulDir) Rmdir(_ context.Context, name string) syscall.Errno {
	if child := d.GetChild(name); child != nil && len(child.Children()) > 0 {
		return syscall.ENOTEMPTY
	}
	return d.power()
}

func (d *forgetfulDir) Rename(context.Context, string, fs.InodeEmbedder, string, uint32) syscall.Errno {
	return d.power()
}

func (d *forgetfulDir) Setattr(context.Context, fs.FileHandle, *fuse.SetAttrIn, *fuse.AttrOut) syscall.Errno {
	return d.power()
}

func (d *forgetfulDir) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno { return d.power() }

// opened says whether what is written is synced at once.
type opened uint32

func (o opened) syncs() bool { return uint32(o)&(syscall.O_SYNC|syscall.O_DSYNC) != 0 }

type forgetfulFile struct {
	fs.Inode
	disk     *forgetfulDisk
	content  []byte
	unsynced []change
}

// A change took the place of what there was from a byte on.
type change struct {
	at   int
	tail []byte
}

// change changes a file from a byte on.
func (f *forgetfulFile) change(at int, tail []byte, synced bool) syscall.Errno {
	if f.disk.off {
		return syscall.EIO
	}
	if at > len(f.content) {
		tail, at = append(make([]byte, at-len(f.content)), tail...), len(f.content)
	}
	if synced {
		f.unsynced = nil
	} else {
		f.unsynced = append(f.unsynced, change{at, slices.Clone(f.content[at:])})
	}
	f.content = append(f.content[:at], tail...)
	return 0
}

func (f *forgetfulFile) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return opened(flags), 0, 0
}

func (f *forgetfulFile) Read(_ context.Context, _ fs.FileHandle, into []byte, at int64) (fuse.ReadResult, syscall.Errno) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	n := copy(into, f.content[min(int(at), len(f.content)):])
	return fuse.ReadResultData(into[:n]), 0
}

func (f *forgetfulFile) Write(_ context.Context, h fs.FileHandle, data []byte, at int64) (uint32, syscall.Errno) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	tail := slices.Clone(data)
	if end := int(at) + len(data); end < len(f.content) {
		tail = append(tail, f.content[end:]...)
	}
	o, _ := h.(opened)
	return uint32(len(data)), f.change(int(at), tail, o.syncs())
}

func (f *forgetfulFile) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if f.disk.off {
		return syscall.EIO
	}
	f.unsynced = nil
	return 0
}

func (f *forgetfulFile) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	out.Mode, out.Size = 0o600, uint64(len(f.content))
	return 0
}

func (f *forgetfulFile) Setattr(ctx context.Context, h fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if size, ok := in.GetSize(); ok {
		f.disk.mu.Lock()
		var tail []byte
		if int(size) > len(f.content) {
			tail = make([]byte, int(size)-len(f.content))
		}
		errno := f.change(min(int(size), len(f.content)), tail, false)
		f.disk.mu.Unlock()
		if errno != 0 {
			return errno
		}
	}
	return f.Getattr(ctx, h, out)
}
