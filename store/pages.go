package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// bbolt maps its file and follows the page numbers in it. A wrong number panics,
// and some end the process: a page that is its own child overflows the stack, and
// a page behind the end of the file is a bus error. So the pages are first read
// here, with plain reads, by the same rules.

const (
	metaMagic   = 0xED0CDAED
	metaVersion = 2

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10

	pageHeader   = 16
	elementSize  = 16
	bucketHeader = 16
	bucketFlag   = 1
	noFreelist   = ^uint64(0)
)

var errNoMeta = errors.New("it does not begin like a database")

// A meta is one of the two pages that say where everything else is.
type meta struct {
	pageSize                 int64
	root, freelist, end, txn uint64 // end is the first unused page
}

// decodeMeta reads a meta page, and reports whether it is whole.
func decodeMeta(b []byte) (meta, bool, error) {
	order := binary.NativeEndian
	b = b[pageHeader:]
	if order.Uint32(b) != metaMagic || order.Uint32(b[4:]) != metaVersion {
		return meta{}, false, errNoMeta
	}
	m := meta{
		pageSize: int64(order.Uint32(b[8:])),
		root:     order.Uint64(b[16:]),
		freelist: order.Uint64(b[32:]),
		end:      order.Uint64(b[40:]),
		txn:      order.Uint64(b[48:]),
	}
	h := fnv.New64a()
	h.Write(b[:56])
	sane := m.pageSize >= 1024 && m.pageSize <= 1<<16 && m.pageSize&(m.pageSize-1) == 0
	return m, sane && h.Sum64() == order.Uint64(b[56:]), nil
}

// readMeta returns the meta page that bbolt would use, the newest whole one, and
// how many of the two are whole.
func readMeta(f io.ReaderAt) (best meta, whole int, err error) {
	known := false
	look := func(at int64) {
		var b [pageHeader + 64]byte
		if n, _ := f.ReadAt(b[:], at); n < len(b) {
			return
		}
		m, ok, err := decodeMeta(b[:])
		known = known || err == nil
		if !ok {
			return
		}
		whole++
		if whole == 1 || m.txn > best.txn {
			best = m
		}
	}
	look(0)
	if whole == 1 {
		look(best.pageSize)
	} else { // the first does not tell the size of a page
		for size := int64(1024); size <= 1<<16 && whole == 0; size *= 2 {
			look(size)
		}
	}
	switch {
	case whole > 0:
		return best, whole, nil
	case known:
		return meta{}, 0, errors.New("neither of its first two pages is whole")
	}
	return meta{}, 0, errNoMeta
}

// A pageReader reads the tree of a database below one meta page.
type pageReader struct {
	file io.ReaderAt
	meta meta
	seen []bool // by page number: in the tree, or in the list of free pages
	buf  []byte
}

// checkPages returns an error if pages of a file are damaged. If deep is set, it
// reads the whole tree and not only the root, and counts the pages that are
// neither in use nor free: they are lost space, not lost content.
func checkPages(f io.ReaderAt, size int64, m meta, deep bool) (lost int, err error) {
	if have := uint64(size / m.pageSize); m.end < 4 || m.end > have {
		return 0, fmt.Errorf("it has %d pages and should have %d", have, m.end)
	}
	w := &pageReader{file: f, meta: m, seen: make([]bool, m.end)}
	w.seen[0], w.seen[1] = true, true
	if err := w.freelist(); err != nil {
		return 0, err
	}
	if !deep {
		_, err := w.page(m.root)
		return 0, err
	}
	if err := w.tree(m.root, nil, nil); err != nil {
		return 0, err
	}
	for _, seen := range w.seen {
		if !seen {
			lost++
		}
	}
	return lost, nil
}

func (w *pageReader) page(id uint64) ([]byte, error) {
	if id < 2 || id >= w.meta.end {
		return nil, fmt.Errorf("page %d is named and does not exist", id)
	}
	head := make([]byte, pageHeader)
	if _, err := w.file.ReadAt(head, int64(id)*w.meta.pageSize); err != nil {
		return nil, fmt.Errorf("page %d cannot be read: %w", id, err)
	}
	order := binary.NativeEndian
	overflow := uint64(order.Uint32(head[12:]))
	if own := order.Uint64(head); own != id || id+overflow >= w.meta.end {
		return nil, fmt.Errorf("page %d calls itself page %d and has %d more", id, own, overflow)
	}
	n := int(int64(overflow+1) * w.meta.pageSize)
	if cap(w.buf) < n {
		w.buf = make([]byte, n)
	}
	b := w.buf[:n]
	if _, err := w.file.ReadAt(b, int64(id)*w.meta.pageSize); err != nil {
		return nil, fmt.Errorf("page %d cannot be read: %w", id, err)
	}
	return b, nil
}

// claim marks a page and its overflow as used, and fails if they are already.
func (w *pageReader) claim(id uint64, b []byte) error {
	for i := id; i < id+uint64(int64(len(b))/w.meta.pageSize); i++ {
		if w.seen[i] {
			return fmt.Errorf("page %d is used twice", i)
		}
		w.seen[i] = true
	}
	return nil
}

func (w *pageReader) freelist() error {
	id := w.meta.freelist
	if id == noFreelist {
		return nil
	}
	b, err := w.page(id)
	if err != nil {
		return err
	}
	order := binary.NativeEndian
	if order.Uint16(b[8:]) != freelistPage {
		return fmt.Errorf("page %d is not the list of free pages", id)
	}
	if err := w.claim(id, b); err != nil {
		return err
	}
	count, ids := uint64(order.Uint16(b[10:])), b[pageHeader:]
	if count == 0xFFFF {
		count, ids = order.Uint64(ids), ids[8:]
	}
	if count > uint64(len(ids)/8) {
		return fmt.Errorf("page %d names %d free pages and has room for %d", id, count, len(ids)/8)
	}
	for i := range count {
		free := order.Uint64(ids[8*i:])
		if free < 2 || free >= w.meta.end || w.seen[free] {
			return fmt.Errorf("page %d names the free page %d, which is used or does not exist", id, free)
		}
		w.seen[free] = true
	}
	return nil
}

// A pageEntry is an entry of a branch, or a bucket in a leaf.
type pageEntry struct {
	key, value []byte
	child      uint64
}

// tree reads a page and everything below it. The keys must be at least low, and
// below high unless that is nil. A page is claimed before its children are read,
// so a cycle is found.
func (w *pageReader) tree(id uint64, low, high []byte) error {
	b, err := w.page(id)
	if err != nil {
		return err
	}
	if err := w.claim(id, b); err != nil {
		return err
	}
	kind := binary.NativeEndian.Uint16(b[8:])
	if kind != branchPage && kind != leafPage {
		return fmt.Errorf("page %d is of the unknown sort %#x", id, kind)
	}
	elements, err := readElements(id, b, kind, low, high)
	if err != nil {
		return err
	}
	if kind == leafPage {
		return w.buckets(id, elements)
	}
	if len(elements) == 0 {
		return fmt.Errorf("page %d is a branch and has no children", id)
	}
	for i, e := range elements {
		end := high
		if i+1 < len(elements) {
			end = elements[i+1].key
		}
		if err := w.tree(e.child, e.key, end); err != nil {
			return err
		}
	}
	return nil
}

// readElements checks the entries of a page, and returns copies of those of a
// branch and of the buckets in a leaf, which are needed after the buffer has been
// reused.
func readElements(id uint64, b []byte, kind uint16, low, high []byte) ([]pageEntry, error) {
	order := binary.NativeEndian
	count := int(order.Uint16(b[10:]))
	if pageHeader+count*elementSize > len(b) {
		return nil, fmt.Errorf("page %d has no room for its %d entries", id, count)
	}
	var kept []pageEntry
	last := low
	for i := range count {
		at := pageHeader + i*elementSize
		head := b[at : at+elementSize]
		var pos, ksize, vsize uint64
		e, keep := pageEntry{}, true
		if kind == branchPage {
			pos, ksize, e.child = uint64(order.Uint32(head)), uint64(order.Uint32(head[4:])), order.Uint64(head[8:])
		} else {
			flags := order.Uint32(head)
			if flags > bucketFlag {
				return nil, fmt.Errorf("page %d: entry %d is of the unknown sort %#x", id, i, flags)
			}
			keep = flags == bucketFlag
			pos, ksize, vsize = uint64(order.Uint32(head[4:])), uint64(order.Uint32(head[8:])), uint64(order.Uint32(head[12:]))
		}
		from := uint64(at) + pos
		if pos < elementSize || from+ksize+vsize > uint64(len(b)) {
			return nil, fmt.Errorf("page %d: entry %d is outside of it", id, i)
		}
		key := b[from : from+ksize]
		if c := bytes.Compare(key, last); (last != nil && (c < 0 || c == 0 && i > 0)) || high != nil && bytes.Compare(key, high) >= 0 {
			return nil, fmt.Errorf("page %d: the key of entry %d is out of order", id, i)
		}
		last = key
		if keep {
			e.key, e.value = bytes.Clone(key), bytes.Clone(b[from+ksize:from+ksize+vsize])
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// buckets reads the buckets of a leaf: their own pages, or the small page that
// is their value.
func (w *pageReader) buckets(id uint64, elements []pageEntry) error {
	for _, e := range elements {
		if len(e.value) < bucketHeader {
			return fmt.Errorf("page %d: the bucket %q is cut short", id, e.key)
		}
		root := binary.NativeEndian.Uint64(e.value)
		if root != 0 {
			if err := w.tree(root, nil, nil); err != nil {
				return err
			}
			continue
		}
		small := e.value[bucketHeader:]
		if len(small) < pageHeader || binary.NativeEndian.Uint16(small[8:]) != leafPage {
			return fmt.Errorf("page %d: the bucket %q is cut short", id, e.key)
		}
		inner, err := readElements(id, small, leafPage, nil, nil)
		if err != nil {
			return fmt.Errorf("bucket %q: %w", e.key, err)
		}
		if len(inner) > 0 {
			return fmt.Errorf("page %d: the small bucket %q holds a bucket", id, e.key)
		}
	}
	return nil
}
