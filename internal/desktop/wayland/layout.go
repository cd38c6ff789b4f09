//go:build linux

package wayland

import (
	"context"
	"errors"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
	"understudy/internal/desktop/wayland/wire"
)

// layout is the keyboard of the session as the compositor tells it: how keysyms are typed, for
// each group.
type layout struct {
	mu     sync.Mutex
	groups []map[uint32]stroke // guarded by mu
}

// follow reads the keymap of a seat, now and whenever it changes.
func (l *layout) follow(seat wire.Seat) {
	seat.GetKeyboard(wire.KeyboardEvents{Keymap: func(_ uint32, f *os.File, size uint32) {
		if f == nil {
			return
		}
		defer f.Close()
		text := make([]byte, size)
		if n, err := f.ReadAt(text, 0); n < len(text)-1 && err != nil { // the last byte is none of the text
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.groups = groupsOf(string(text))
	}})
}

// known reports whether a keymap has been read.
func (l *layout) known() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.groups) > 0
}

// agreed returns how a keysym is typed in any group, or false if the groups differ.
func (l *layout) agreed(sym uint32) (found stroke, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, g := range l.groups {
		s, has := g[sym]
		if !has || i > 0 && s != found {
			return stroke{}, false
		}
		found, ok = s, true
	}
	return found, ok
}

// stroke returns how a keysym is typed in a group.
func (l *layout) stroke(group int, sym uint32) (stroke, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if group >= len(l.groups) {
		return stroke{}, false
	}
	s, ok := l.groups[group][sym]
	return s, ok
}

var (
	keycodeLine = regexp.MustCompile(`(?m)^\s*(<[^>]+>)\s*=\s*(\d+);`)
	keyBlock    = regexp.MustCompile(`key\s+(<[^>]+>)\s*\{([^}]*)\}`)
	symbolList  = regexp.MustCompile(`(?:symbols\[(?:[Gg]roup)?\d+\]\s*=\s*|^\s*)\[([^\]]*)\]`)
)

// groupsOf parses a keymap as libxkbcommon writes it: how keysyms are typed by the keys that
// type characters, for each group.
func groupsOf(keymap string) (groups []map[uint32]stroke) {
	const offset, lastPlain, besideShift = 8, 57, 86
	codes := map[string]uint32{}
	for _, m := range keycodeLine.FindAllStringSubmatch(keymap, -1) {
		if n, err := strconv.ParseUint(m[2], 10, 32); err == nil && n > offset {
			codes[m[1]] = uint32(n) - offset
		}
	}
	keys := keyBlock.FindAllStringSubmatch(keymap, -1)
	for _, key := range keys {
		for range len(symbolList.FindAllString(key[2], -1)) - len(groups) {
			groups = append(groups, map[uint32]stroke{input.SymOf('\n'): {code: codeOf("enter")}, input.SymOf('\t'): {code: codeOf("tab")}})
		}
	}
	for _, key := range keys {
		code, lists := codes[key[1]], symbolList.FindAllStringSubmatch(key[2], -1)
		if code < 2 || code > lastPlain && code != besideShift || code == codeOf("numlock") || code == codeOf("nummultiply") || len(lists) == 0 {
			continue
		}
		for i, group := range groups { // a key with fewer groups begins again with its first
			for level, name := range strings.Split(lists[i%len(lists)][1], ",") {
				sym, known := symNamed(strings.TrimSpace(name))
				if _, before := group[sym]; known && !before && level < 4 {
					group[sym] = stroke{code: code, shift: level&1 != 0, altGr: level&2 != 0}
				}
			}
		}
	}
	return groups
}

// symNames are the names of consecutive characters of ASCII and Latin-1, where these are longer
// than one letter.
var symNames = map[rune]string{
	' ': "space exclam quotedbl numbersign dollar percent ampersand apostrophe parenleft parenright asterisk plus comma minus period slash",
	':': "colon semicolon less equal greater question at", '[': "bracketleft backslash bracketright asciicircum underscore grave",
	'{': "braceleft bar braceright asciitilde", '€': "EuroSign",
	0xa0: "nobreakspace exclamdown cent sterling currency yen brokenbar section diaeresis copyright ordfeminine guillemotleft notsign hyphen registered macron " +
		"degree plusminus twosuperior threesuperior acute mu paragraph periodcentered cedilla onesuperior masculine guillemotright onequarter onehalf threequarters questiondown " +
		"Agrave Aacute Acircumflex Atilde Adiaeresis Aring AE Ccedilla Egrave Eacute Ecircumflex Ediaeresis Igrave Iacute Icircumflex Idiaeresis " +
		"ETH Ntilde Ograve Oacute Ocircumflex Otilde Odiaeresis multiply Oslash Ugrave Uacute Ucircumflex Udiaeresis Yacute THORN ssharp " +
		"agrave aacute acircumflex atilde adiaeresis aring ae ccedilla egrave eacute ecircumflex ediaeresis igrave iacute icircumflex idiaeresis " +
		"eth ntilde ograve oacute ocircumflex otilde odiaeresis division oslash ugrave uacute ucircumflex udiaeresis yacute thorn ydiaeresis",
}

var symsByName = func() map[string]uint32 {
	all := map[string]uint32{}
	for first, names := range symNames {
		for i, name := range strings.Fields(names) {
			all[name] = input.SymOf(first + rune(i))
		}
	}
	return all
}()

// symNamed returns the keysym with a name, or false if it types nothing here.
func symNamed(name string) (uint32, bool) {
	if len(name) == 1 {
		return input.SymOf(rune(name[0])), true
	}
	if hex, ok := strings.CutPrefix(name, "U"); ok {
		if r, err := strconv.ParseUint(hex, 16, 32); err == nil {
			return input.SymOf(rune(r)), true
		}
	}
	sym, ok := symsByName[name]
	return sym, ok
}

// typeOrPaste types keysyms for which find has strokes, without the modifiers that are held. If
// it lacks one, the whole text is pasted.
func (b *keyboard) typeOrPaste(ctx context.Context, text string, syms []uint32, find func(sym uint32) (stroke, bool)) error {
	strokes, ok := strokesFor(syms, find)
	if !ok {
		return b.paste(ctx, text)
	}
	return b.withoutModifiers(func() error { return b.typeStrokes(ctx, strokes) })
}

// strokesFor returns the strokes that type keysyms, or false if find lacks one.
func strokesFor(syms []uint32, find func(sym uint32) (stroke, bool)) ([]stroke, bool) {
	strokes := make([]stroke, len(syms))
	for i, sym := range syms {
		var ok bool
		if strokes[i], ok = find(sym); !ok {
			return nil, false
		}
	}
	return strokes, true
}

// typeStrokes types on a keyboard that tracks modifiers by their keys.
func (b *keyboard) typeStrokes(ctx context.Context, strokes []stroke) (err error) {
	var shift, altGr bool
	hold := func(s stroke) error {
		var err error
		if s.shift != shift {
			shift, err = s.shift, b.keys.key(codeOf(desktop.Shift), s.shift)
		}
		if s.altGr != altGr {
			altGr, err = s.altGr, errors.Join(err, b.keys.key(codeOf(desktop.AltGr), s.altGr))
		}
		return err
	}
	defer func() { err = errors.Join(err, hold(stroke{})) }()
	for i, s := range strokes {
		if err := errors.Join(hold(s), b.keys.key(s.code, true), b.keys.key(s.code, false)); err != nil {
			return err
		}
		if i%keysPerBatch != keysPerBatch-1 {
			continue
		}
		if err := b.sync(ctx); err != nil {
			return err
		}
		if err := desktop.Sleep(ctx, batchRest); err != nil {
			return err
		}
		if err := b.keys.modifiers(b.mods()); err != nil {
			return err
		}
	}
	return nil
}

// withoutModifiers calls f while the modifiers that are held are up.
func (b *keyboard) withoutModifiers(f func() error) (err error) {
	held := maps.Clone(b.down)
	maps.DeleteFunc(held, func(k desktop.Key, _ stroke) bool { return input.ModBits[k] == 0 })
	if len(held) == 0 {
		return f()
	}
	for k, s := range held {
		delete(b.down, k)
		err = errors.Join(err, b.keys.key(s.code, false))
	}
	if err == nil {
		err = f()
	}
	for k, s := range held {
		b.down[k] = s
		err = errors.Join(err, b.keys.key(s.code, true))
	}
	return errors.Join(err, b.modifiers(b.mods()))
}
