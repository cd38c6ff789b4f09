package uia

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"understudy/internal/desktop"
)

// automation is the source that asks UI Automation.
type automation struct {
	threads *threads
	root    *object // IUIAutomation
	request *object // the properties of an element
	subtree *object // of all that is below it too; nil if they cannot be read in one call
	all     *object // the condition that each element meets
	walker  *object

	mu           sync.Mutex
	known, older map[string]*object // the elements that handles may name
	unnamed      int
}

// mostElements is how many elements are known before those are forgotten that were not used
// since as many were known last.
const mostElements = 20000

// The scopes of a tree.
const scopeElement, scopeChildren, scopeSubtree = 1, 2, 7

// startAutomation returns the source of UI Automation, whose client create returns.
func startAutomation(create func() (*object, error)) (*automation, error) {
	a := &automation{threads: newThreads(), known: map[string]*object{}, older: map[string]*object{}}
	_, err := within(context.Background(), a.threads, callTime, func() (_ struct{}, err error) {
		if a.root, err = create(); err != nil {
			return
		}
		if a.all, err = a.root.ask("IUIAutomation.CreateTrueCondition"); err != nil {
			return
		}
		if a.request, err = a.newRequest(scopeElement); err != nil {
			return
		}
		a.subtree, _ = a.newRequest(scopeSubtree)
		a.walker, err = a.root.ask("IUIAutomation.CreateTreeWalker", a.all.address())
		return
	})
	return a, err
}

// newRequest returns a request for all properties of a scope.
func (a *automation) newRequest(scope int) (*object, error) {
	r, err := a.root.ask("IUIAutomation.CreateCacheRequest")
	if err != nil {
		return nil, err
	}
	for _, p := range slices.Sorted(maps.Values(properties)) {
		if err := r.call("IUIAutomationCacheRequest.AddProperty", p); err != nil {
			return nil, err
		}
	}
	if scope != scopeElement {
		if err := r.call("IUIAutomationCacheRequest.put_TreeScope", scope); err != nil {
			return nil, err
		}
	}
	return r, r.call("IUIAutomationCacheRequest.put_TreeFilter", a.all.address())
}

func (a *automation) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.known {
		o.release()
	}
	for _, o := range a.older {
		o.release()
	}
	clear(a.known)
	clear(a.older)
	a.threads.close()
}

// node returns the facts of an element, which it keeps under a key.
func (a *automation) node(o *object) *node {
	n := &node{facts: factsOf(o.property)}
	if hasCaret(n.handle) && styleOf(n.handle)&editMultiLine != 0 {
		n.states |= desktop.MultiLine
	}
	n.key = keyOf(as[[]int32](o.property(propRuntimeID)))
	a.keep(n, o)
	return n
}

// keyOf writes the identity of an element.
func keyOf(id []int32) string {
	words := make([]string, len(id))
	for i, part := range id {
		words[i] = strconv.Itoa(int(part))
	}
	return strings.Join(words, ".")
}

// keep remembers an element, whose reference it takes over.
func (a *automation) keep(n *node, o *object) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n.key == "" {
		a.unnamed++
		n.key = "unnamed" + strconv.Itoa(a.unnamed)
	}
	if before := a.known[n.key]; before != nil {
		before.release()
	}
	a.known[n.key] = o
}

// forget releases the elements that were not used lately, if there are many.
func (a *automation) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) < mostElements {
		return
	}
	for _, o := range a.older {
		o.release()
	}
	a.known, a.older = map[string]*object{}, a.known
}

// element returns an element by its key. The caller releases it.
func (a *automation) element(key string) (*object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.known[key]
	if o == nil {
		if o = a.older[key]; o == nil {
			return nil, fmt.Errorf("%w: it was read too long ago", desktop.ErrNotFound)
		}
		a.known[key] = o
		delete(a.older, key)
	}
	return o.addRef(), nil
}

// objects takes the elements of an array, which may be nil, and releases it.
func objects(list *object) (all []*object, err error) {
	if list == nil {
		return nil, nil
	}
	defer list.release()
	n, err := list.number("IUIAutomationElementArray.get_Length")
	for i := range n {
		o, err := list.ask("IUIAutomationElementArray.GetElement", i)
		if err != nil {
			return all, err
		}
		all = append(all, o)
	}
	return all, err
}

// children reads the elements directly below one.
func (a *automation) children(o *object) ([]*object, error) {
	list, err := o.ask("IUIAutomationElement.FindAllBuildCache", scopeChildren, a.all.address(), a.request.address())
	if err != nil {
		return nil, err
	}
	return objects(list)
}

// window reads the element of a window.
func (a *automation) window(w desktop.WindowID, request *object) (*object, error) {
	o, err := a.root.ask("IUIAutomation.ElementFromHandleBuildCache", uintptr(w), request.address())
	if err == nil && o == nil {
		err = fmt.Errorf("%w: its window is gone", desktop.ErrNotFound)
	}
	return o, err
}

func (a *automation) tells(ctx context.Context, w desktop.WindowID) (bool, error) {
	return within(ctx, a.threads, callTime, func() (bool, error) {
		o, err := a.window(w, a.request)
		if err != nil {
			return false, unlessSlow(err)
		}
		defer o.release()
		list, err := a.children(o)
		for _, c := range list {
			c.release()
		}
		return len(list) > 0, unlessSlow(err)
	})
}

// unlessSlow drops an error that means that UI Automation does not tell of a window.
func unlessSlow(err error) error {
	if errors.Is(err, desktop.ErrUnresponsive) {
		return err
	}
	return nil
}

func (a *automation) read(ctx context.Context, w desktop.WindowID, key string, alone bool) (*node, error) {
	a.forget()
	if alone {
		return within(ctx, a.threads, callTime, func() (*node, error) {
			o, err := a.again(w, key, a.request)
			if err != nil {
				return nil, err
			}
			return a.node(o), nil
		})
	}
	return within(ctx, a.threads, treeTime, func() (*node, error) { return a.tree(ctx, w, key) })
}

// again reads an element again: that of a window if the key is empty.
func (a *automation) again(w desktop.WindowID, key string, request *object) (*object, error) {
	if key == "" {
		return a.window(w, request)
	}
	before, err := a.element(key)
	if err != nil {
		return nil, err
	}
	defer before.release()
	return before.ask("IUIAutomationElement.BuildUpdatedCache", request.address())
}

// tree reads an element with all that is below it: in one call, or level by level where that
// gives nothing, as in Chromium before it was asked once.
func (a *automation) tree(ctx context.Context, w desktop.WindowID, key string) (*node, error) {
	if a.subtree != nil {
		if o, err := a.again(w, key, a.subtree); err == nil {
			n, err := a.cached(o)
			if err == nil && len(n.children) > 0 {
				return n, nil
			}
		}
	}
	o, err := a.again(w, key, a.request)
	if err != nil {
		return nil, err
	}
	return a.byLevels(ctx, o, 1)
}

// cached makes nodes of what one call has read.
func (a *automation) cached(o *object) (*node, error) {
	n := a.node(o)
	list, err := o.ask("IUIAutomationElement.GetCachedChildren")
	if err != nil {
		return n, err
	}
	all, err := objects(list)
	return n, errors.Join(err, n.fill(all, a.cached))
}

// byLevels reads an element and those below it with a call for each.
func (a *automation) byLevels(ctx context.Context, o *object, level int) (*node, error) {
	n := a.node(o)
	if err := context.Cause(ctx); err != nil || level == deepest {
		return n, err
	}
	all, err := a.children(o)
	return n, errors.Join(err, n.fill(all, func(o *object) (*node, error) { return a.byLevels(ctx, o, level+1) }))
}

// fill makes the children of a node of objects.
func (n *node) fill(all []*object, read func(*object) (*node, error)) (err error) {
	var list []*node
	for _, o := range all {
		c, failed := read(o)
		list, err = append(list, c), errors.Join(err, failed)
	}
	n.adopt(list)
	return err
}

func (a *automation) at(ctx context.Context, w desktop.WindowID, at desktop.Point) ([]*node, error) {
	chain, err := within(ctx, a.threads, callTime, func() ([]*node, error) {
		packed := uintptr(uint32(int32(at.X))) | uintptr(uint32(int32(at.Y)))<<32
		o, err := a.root.ask("IUIAutomation.ElementFromPointBuildCache", packed, a.request.address())
		if err != nil || o == nil {
			return nil, err
		}
		return a.upTo(w, o), nil
	})
	if errors.Is(err, desktop.ErrUnresponsive) || err == nil && len(chain) > 0 {
		return chain, err
	}
	n, err := a.read(ctx, w, "", false)
	if err != nil {
		return nil, err
	}
	return n.under(at), nil
}

// upTo returns an element and those around it, up to a window; nil if it is in another one.
func (a *automation) upTo(w desktop.WindowID, o *object) (chain []*node) {
	for o != nil && len(chain) < deepest {
		n := a.node(o)
		if chain = append(chain, n); n.handle == uintptr(w) {
			return chain
		}
		up, err := a.walker.ask("IUIAutomationTreeWalker.GetParentElementBuildCache", o.address(), a.request.address())
		if err != nil {
			return nil
		}
		o = up
	}
	return nil
}

func (a *automation) focused(ctx context.Context, w desktop.WindowID) (*node, error) {
	return within(ctx, a.threads, callTime, func() (*node, error) {
		o, err := a.root.ask("IUIAutomation.GetFocusedElementBuildCache", a.request.address())
		if err != nil || o == nil {
			return nil, err
		}
		if chain := a.upTo(w, o); chain != nil {
			return chain[0], nil
		}
		return nil, nil
	})
}
