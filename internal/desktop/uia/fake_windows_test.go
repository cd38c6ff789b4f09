package uia

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop/winapi"
)

// An automation of the tests: COM objects made in Go, that are called as those of Windows are,
// by their slots.

const (
	ok             = 0
	notImplemented = 0x80004001
)

// fakeBase is how each of the objects begins.
type fakeBase struct {
	table *[100]uintptr
	refs  atomic.Int32
}

func (b *fakeBase) give(out *unsafe.Pointer) uintptr {
	b.refs.Add(1)
	*out = unsafe.Pointer(b)
	return ok
}

var (
	addRef  = syscall.NewCallback(func(b *fakeBase) uintptr { return uintptr(b.refs.Add(1)) })
	release = syscall.NewCallback(func(b *fakeBase) uintptr { return uintptr(b.refs.Add(-1)) })
	lacking = syscall.NewCallback(func(*fakeBase) uintptr { return notImplemented })
)

// tableOf returns the methods of an interface.
func tableOf(iface string, methods map[string]any) *[100]uintptr {
	t := new([100]uintptr)
	for i := range t {
		t[i] = lacking
	}
	t[1], t[2] = addRef, release
	for name, f := range methods {
		slot, there := slots[iface+"."+name]
		if !there {
			panic("no slot of " + iface + "." + name)
		}
		t[slot] = syscall.NewCallback(f)
	}
	return t
}

// kept keeps the objects alive, to which only COM pointers lead.
var kept struct {
	sync.Mutex
	all []any
}

func keep[T any](o T) T {
	kept.Lock()
	defer kept.Unlock()
	kept.all = append(kept.all, o)
	return o
}

// fakeElement is an element of the provider.
type fakeElement struct {
	fakeBase
	props    map[property]any
	children []*fakeElement
	parent   *fakeElement
	hangs    chan struct{} // calls return when it is closed
	gone     atomic.Bool
	mu       sync.Mutex
	did      []string
	text     []rune
	from, to int // of the selection
}

func (e *fakeElement) does(what string) uintptr {
	if e.hangs != nil {
		<-e.hangs
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.did = append(e.did, what)
	return ok
}

// heard returns what the element was asked to do.
func (e *fakeElement) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.did, ", ")
}

// putInto writes a value as a VARIANT.
func putInto(v *variant, value any) {
	array := func(kind uint16, n int, from unsafe.Pointer, size uintptr) {
		a := winapi.Func(oleaut32, "SafeArrayCreateVector", kind, 0, n)
		*(*uintptr)(unsafe.Pointer(&v.value)) = a
		v.kind = kindArray | kind
		copy(unsafe.Slice((*byte)(pointed[safeArray](v).data), uintptr(n)*size), unsafe.Slice((*byte)(from), uintptr(n)*size))
	}
	switch value := value.(type) {
	case int32:
		v.kind = kindI4
		*(*int32)(unsafe.Pointer(&v.value)) = value
	case bool:
		v.kind = kindBool
		if value {
			*(*int16)(unsafe.Pointer(&v.value)) = -1
		}
	case float64:
		v.kind = kindR8
		*(*float64)(unsafe.Pointer(&v.value)) = value
	case string:
		units := windows.StringToUTF16(value)
		v.kind = kindText
		*(*uintptr)(unsafe.Pointer(&v.value)) = winapi.Func(oleaut32, "SysAllocStringLen", winapi.At(&units[0]), len(units)-1)
	case []int32:
		array(kindI4, len(value), unsafe.Pointer(&value[0]), 4)
	case []float64:
		array(kindR8, len(value), unsafe.Pointer(&value[0]), 8)
	}
}

// fakeArray is an array of elements or of ranges.
type fakeArray struct {
	fakeBase
	items []*fakeBase
}

var arrayTable = tableOf("IUIAutomationElementArray", map[string]any{
	"get_Length": func(a *fakeArray, out *int32) uintptr { *out = int32(len(a.items)); return ok },
	"GetElement": func(a *fakeArray, i uintptr, out *unsafe.Pointer) uintptr { return a.items[i].give(out) },
})

func giveArray(items []*fakeBase, out *unsafe.Pointer) uintptr {
	if len(items) == 0 { // as Wine does
		*out = nil
		return ok
	}
	return keep(&fakeArray{fakeBase: fakeBase{table: arrayTable}, items: items}).give(out)
}

func (e *fakeElement) bases() (list []*fakeBase) {
	for _, c := range e.children {
		list = append(list, &c.fakeBase)
	}
	return list
}

// fakePattern is a pattern of an element.
type fakePattern struct {
	fakeBase
	of *fakeElement
}

// textAt returns a BSTR.
func textAt(b uintptr) string { return textOf(*(*bstr)(unsafe.Pointer(&b))) }

var patternTables = map[pattern]*[100]uintptr{
	patInvoke:     tableOf("IUIAutomationInvokePattern", map[string]any{"Invoke": func(p *fakePattern) uintptr { return p.of.does("invoke") }}),
	patToggle:     tableOf("IUIAutomationTogglePattern", map[string]any{"Toggle": func(p *fakePattern) uintptr { return p.of.does("toggle") }}),
	patScrollItem: tableOf("IUIAutomationScrollItemPattern", map[string]any{"ScrollIntoView": func(p *fakePattern) uintptr { return p.of.does("scroll") }}),
	patWindow:     tableOf("IUIAutomationWindowPattern", map[string]any{"Close": func(p *fakePattern) uintptr { return p.of.does("close") }}),
	patValue: tableOf("IUIAutomationValuePattern", map[string]any{"SetValue": func(p *fakePattern, text uintptr) uintptr {
		return p.of.does("set " + textAt(text))
	}}),
	patRange: tableOf("IUIAutomationRangeValuePattern", map[string]any{"SetValue": func(p *fakePattern, bits uintptr) uintptr {
		p.of.mu.Lock()
		p.of.props[propNumber] = *(*float64)(unsafe.Pointer(&bits))
		p.of.mu.Unlock()
		return p.of.does("number")
	}}),
	patExpand: tableOf("IUIAutomationExpandCollapsePattern", map[string]any{
		"Expand":   func(p *fakePattern) uintptr { return p.of.does("expand") },
		"Collapse": func(p *fakePattern) uintptr { return p.of.does("collapse") },
	}),
	patSelect: tableOf("IUIAutomationSelectionItemPattern", map[string]any{
		"Select":              func(p *fakePattern) uintptr { return p.of.does("select") },
		"RemoveFromSelection": func(p *fakePattern) uintptr { return p.of.does("deselect") },
	}),
	patLegacy: tableOf("IUIAutomationLegacyIAccessiblePattern", map[string]any{
		"DoDefaultAction": func(p *fakePattern) uintptr { return p.of.does("default") },
		"SetValue":        func(p *fakePattern, text uintptr) uintptr { return p.of.does("legacy " + textAt(text)) },
	}),
	patText: tableOf("IUIAutomationTextPattern", map[string]any{
		"get_DocumentRange": func(p *fakePattern, out *unsafe.Pointer) uintptr { return newRange(p.of, 0, len(p.of.text)).give(out) },
		"GetSelection": func(p *fakePattern, out *unsafe.Pointer) uintptr {
			return giveArray([]*fakeBase{&newRange(p.of, p.of.from, p.of.to).fakeBase}, out)
		},
	}),
}

// fakeRange is a range of the text of an element.
type fakeRange struct {
	fakeBase
	of   *fakeElement
	ends [2]int
}

func newRange(of *fakeElement, from, to int) *fakeRange {
	return keep(&fakeRange{fakeBase: fakeBase{table: rangeTable}, of: of, ends: [2]int{from, to}})
}

var rangeTable *[100]uintptr

func init() {
	rangeTable = tableOf("IUIAutomationTextRange", map[string]any{
		"Clone": func(r *fakeRange, out *unsafe.Pointer) uintptr { return newRange(r.of, r.ends[0], r.ends[1]).give(out) },
		"GetText": func(r *fakeRange, _ uintptr, out *uintptr) uintptr {
			var v variant
			putInto(&v, string(r.of.text[r.ends[0]:r.ends[1]]))
			*out = *(*uintptr)(unsafe.Pointer(&v.value))
			return ok
		},
		"MoveEndpointByRange": func(r *fakeRange, end uintptr, other *fakeRange, otherEnd uintptr) uintptr {
			r.ends[end] = other.ends[otherEnd]
			return ok
		},
		"MoveEndpointByUnit": func(r *fakeRange, end, _, by uintptr, moved *int32) uintptr {
			r.ends[end] += int(int32(by))
			*moved = int32(by)
			return ok
		},
		"Select": func(r *fakeRange) uintptr {
			r.of.from, r.of.to = r.ends[0], r.ends[1]
			return r.of.does("select text")
		},
	})
}

// has reports whether an element has a pattern.
func (e *fakeElement) has(p pattern) bool {
	for _, known := range patterns {
		if known.pattern == p {
			on, _ := e.props[known.available].(bool)
			return on
		}
	}
	return false
}

var elementTable *[100]uintptr

func init() {
	elementTable = tableOf("IUIAutomationElement", map[string]any{
		"GetCachedPropertyValueEx": func(e *fakeElement, p, _ uintptr, v *variant) uintptr {
			e.mu.Lock()
			defer e.mu.Unlock()
			putInto(v, e.props[property(p)])
			return ok
		},
		"GetCachedChildren": func(e *fakeElement, out *unsafe.Pointer) uintptr {
			if _, shy := e.props[propFramework].(string); shy && e.parent == nil { // as Chromium is
				*out = nil
				return ok
			}
			return giveArray(e.bases(), out)
		},
		"FindAllBuildCache": func(e *fakeElement, scope, _, _ uintptr, out *unsafe.Pointer) uintptr {
			if scope != scopeChildren {
				return notImplemented
			}
			e.does("children")
			return giveArray(e.bases(), out)
		},
		"BuildUpdatedCache": func(e *fakeElement, _ uintptr, out *unsafe.Pointer) uintptr {
			if e.gone.Load() {
				return elementNotAvailable
			}
			return e.give(out)
		},
		"GetCurrentPatternAs": func(e *fakeElement, id uintptr, iid *windows.GUID, out *unsafe.Pointer) uintptr {
			for name, p := range patterns {
				if p.pattern == pattern(id) && e.has(p.pattern) && *iid == *guid(interfaces["IUIAutomation"+name+"Pattern"]) {
					return keep(&fakePattern{fakeBase: fakeBase{table: patternTables[p.pattern]}, of: e}).give(out)
				}
			}
			*out = nil
			return ok
		},
		"SetFocus": func(e *fakeElement) uintptr { return e.does("focus") },
	})
}

// fakeRoot is the client of the tests.
type fakeRoot struct {
	fakeBase
	windows map[uintptr]*fakeElement
	focus   *fakeElement
	poor    bool // it reads no trees in one call, and knows no points
	reads   atomic.Int32
}

// fakePart is an object of which only some methods are needed.
type fakePart struct {
	fakeBase
	root *fakeRoot
}

func (r *fakeRoot) part(t *[100]uintptr, out *unsafe.Pointer) uintptr {
	return keep(&fakePart{fakeBase: fakeBase{table: t}, root: r}).give(out)
}

var requestTable = tableOf("IUIAutomationCacheRequest", map[string]any{
	"AddProperty":    func(*fakePart, uintptr) uintptr { return ok },
	"put_TreeScope":  func(r *fakePart, _ uintptr) uintptr { return map[bool]uintptr{true: notImplemented}[r.root.poor] },
	"put_TreeFilter": func(*fakePart, uintptr) uintptr { return ok },
})

var walkerTable = tableOf("IUIAutomationTreeWalker", map[string]any{
	"GetParentElementBuildCache": func(_ *fakePart, e *fakeElement, _ uintptr, out *unsafe.Pointer) uintptr {
		if *out = nil; e.parent != nil {
			return e.parent.give(out)
		}
		return ok
	},
})

// under returns the innermost element at a point.
func (e *fakeElement) under(x, y float64) *fakeElement {
	for _, c := range e.children {
		if b, _ := c.props[propBox].([]float64); len(b) == 4 && x >= b[0] && x < b[0]+b[2] && y >= b[1] && y < b[1]+b[3] {
			return c.under(x, y)
		}
	}
	return e
}

var rootTable = tableOf("IUIAutomation", map[string]any{
	"CreateTrueCondition": func(r *fakeRoot, out *unsafe.Pointer) uintptr { return r.part(new([100]uintptr), out) },
	"CreateCacheRequest":  func(r *fakeRoot, out *unsafe.Pointer) uintptr { return r.part(requestTable, out) },
	"CreateTreeWalker":    func(r *fakeRoot, _ uintptr, out *unsafe.Pointer) uintptr { return r.part(walkerTable, out) },
	"ElementFromHandleBuildCache": func(r *fakeRoot, h, _ uintptr, out *unsafe.Pointer) uintptr {
		e := r.windows[h]
		if e == nil {
			return elementNotAvailable
		}
		if r.reads.Add(1); e.hangs != nil {
			<-e.hangs
		}
		return e.give(out)
	},
	"ElementFromPointBuildCache": func(r *fakeRoot, packed, _ uintptr, out *unsafe.Pointer) uintptr {
		if r.poor {
			return notImplemented
		}
		for _, w := range r.windows {
			return w.under(float64(int32(packed)), float64(int32(packed>>32))).give(out)
		}
		return elementNotAvailable
	},
	"GetFocusedElementBuildCache": func(r *fakeRoot, _ uintptr, out *unsafe.Pointer) uintptr { return r.focus.give(out) },
})

// family is the elements of a provider by name.
type family map[string]*fakeElement

var identities atomic.Int32

// add makes an element of the provider.
func (f family) add(parent *fakeElement, name, control string, props map[property]any) *fakeElement {
	e := keep(&fakeElement{fakeBase: fakeBase{table: elementTable}, parent: parent, props: map[property]any{
		propName: name, propControlType: controlType(control), propEnabled: true, propRuntimeID: []int32{42, identities.Add(1)},
	}})
	maps.Copy(e.props, props)
	if f[name] = e; parent != nil {
		parent.children = append(parent.children, e)
	}
	return e
}

// balanced fails if an element of the provider is still referred to.
func (f family) balanced(t *testing.T) {
	t.Helper()
	for name, e := range f {
		if n := e.refs.Load(); n != 0 {
			t.Errorf("%s has %d references that nobody released", name, n)
		}
	}
}

// pointerTo returns the client as the driver calls it.
func pointerTo(r *fakeRoot) *object { return (*object)(unsafe.Pointer(r)) }
