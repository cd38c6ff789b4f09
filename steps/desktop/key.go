package desktop

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Key is the name of a key: "enter", "f5", "ctrl", or one character.
type Key string

// Chord is a key pressed while modifiers are held: ctrl+shift+t.
type Chord struct {
	Mods []Key
	Key  Key
}

// The modifiers.
const (
	Ctrl  Key = "ctrl"
	Shift Key = "shift"
	Alt   Key = "alt"
	AltGr Key = "altgr"
	Super Key = "super"
)

// keys lists the named keys with their other names. The first name is ours.
var keys = [][]string{
	{"ctrl", "control", "lctrl", "leftctrl", "ctl"},
	{"shift", "lshift", "leftshift"},
	{"alt", "lalt", "leftalt", "option", "opt"},
	{"altgr", "ralt", "rightalt", "level3"},
	{"super", "win", "cmd", "meta", "command", "windows", "lwin", "leftsuper"},
	{"enter", "return"},
	{"escape", "esc"},
	{"tab"},
	{"space", "spacebar"},
	{"backspace", "back", "bksp"},
	{"delete", "del"},
	{"insert", "ins"},
	{"home"},
	{"end"},
	{"pageup", "pgup", "page_up", "prior"},
	{"pagedown", "pgdn", "pgdown", "page_down", "next"},
	{"up", "arrowup", "uparrow"},
	{"down", "arrowdown", "downarrow"},
	{"left", "arrowleft", "leftarrow"},
	{"right", "arrowright", "rightarrow"},
	{"f1"}, {"f2"}, {"f3"}, {"f4"}, {"f5"}, {"f6"}, {"f7"}, {"f8"}, {"f9"}, {"f10"}, {"f11"}, {"f12"},
	{"f13"}, {"f14"}, {"f15"}, {"f16"}, {"f17"}, {"f18"}, {"f19"}, {"f20"}, {"f21"}, {"f22"}, {"f23"}, {"f24"},
	{"capslock", "caps"},
	{"numlock"},
	{"scrolllock"},
	{"printscreen", "print", "prtsc", "snapshot"},
	{"pause", "break"},
	{"menu", "apps", "contextmenu"},
	{"plus"}, {"minus"}, // the characters that also join keys
	{"num0", "numpad0", "kp_0"}, {"num1", "numpad1", "kp_1"}, {"num2", "numpad2", "kp_2"}, {"num3", "numpad3", "kp_3"}, {"num4", "numpad4", "kp_4"},
	{"num5", "numpad5", "kp_5"}, {"num6", "numpad6", "kp_6"}, {"num7", "numpad7", "kp_7"}, {"num8", "numpad8", "kp_8"}, {"num9", "numpad9", "kp_9"},
	{"numenter", "numpadenter", "kp_enter"}, {"numadd", "add", "numpadadd", "kp_add"}, {"numsubtract", "subtract", "numpadsubtract", "kp_subtract"},
	{"nummultiply", "multiply", "numpadmultiply", "kp_multiply"}, {"numdivide", "divide", "numpaddivide", "kp_divide"}, {"numdecimal", "decimal", "numpaddecimal", "kp_decimal"},
	{"volumeup", "audiovolup"}, {"volumedown", "audiovoldown"}, {"volumemute", "audiomute"},
	{"mediaplay", "audioplay", "playpause"}, {"mediastop", "audiostop"}, {"medianext", "audionext", "nexttrack"}, {"mediaprevious", "audioprev", "prevtrack"},
}

var keyByName = func() map[string]Key {
	m := map[string]Key{}
	for _, names := range keys {
		for _, n := range names {
			m[n] = Key(names[0])
		}
	}
	m["plus"], m["minus"] = "+", "-"
	return m
}()

// KeyNames are all names of all named keys, in alphabetical order.
func KeyNames() []string {
	var all []string
	for _, names := range keys {
		all = append(all, names...)
	}
	slices.Sort(all)
	return all
}

// IsModifier says whether a key changes what other keys do.
func (k Key) IsModifier() bool {
	return k == Ctrl || k == Shift || k == Alt || k == AltGr || k == Super
}

// ParseKey is the key with a name, or the key of one character.
func ParseKey(name string) (Key, error) {
	low := strings.ToLower(strings.TrimSpace(name))
	if k, ok := keyByName[low]; ok {
		return k, nil
	}
	if name == " " {
		return "space", nil
	}
	if t := strings.TrimSpace(name); utf8.RuneCountInString(t) == 1 {
		return Key(t), nil
	}
	return "", &UnknownKeyError{Name: name}
}

// An UnknownKeyError names a key that does not exist.
type UnknownKeyError struct{ Name string }

func (e *UnknownKeyError) Error() string { return fmt.Sprintf("there is no key %q", e.Name) }

func (c Chord) String() string {
	parts := make([]string, 0, len(c.Mods)+1)
	for _, m := range c.Mods {
		parts = append(parts, string(m))
	}
	k := string(c.Key)
	if k == "+" {
		k = "plus"
	}
	return strings.Join(append(parts, k), "+")
}

// ParseKeys reads keys to press one after the other: "enter", "ctrl+s", or
// "{Ctrl}s", "{Tab}{Tab}", "{Ctrl}{Shift}t", "{Ctrl+A}".
func ParseKeys(text string) ([]Chord, error) {
	if strings.TrimSpace(text) == "" {
		if text == " " {
			return []Chord{{Key: "space"}}, nil
		}
		return nil, fmt.Errorf("no key is named: wanted a key such as enter or ctrl+s")
	}
	if strings.ContainsRune(text, '{') && text != "{" {
		return parseBraces(text)
	}
	var chords []Chord
	for _, word := range strings.Fields(text) {
		c, err := parseChord(word)
		if err != nil {
			return nil, err
		}
		chords = append(chords, c)
	}
	return chords, nil
}

// parseChord reads "ctrl+shift+t"; the last key may be the "+" itself.
func parseChord(word string) (Chord, error) {
	parts := strings.Split(word, "+")
	if strings.HasSuffix(word, "+") { // "+" alone, or "ctrl++"
		parts = append(strings.Split(strings.TrimSuffix(strings.TrimSuffix(word, "+"), "+"), "+"), "+")
		parts = slices.DeleteFunc(parts, func(p string) bool { return p == "" })
	}
	var c Chord
	for i, p := range parts {
		k, err := ParseKey(p)
		if err != nil {
			return Chord{}, err
		}
		if i == len(parts)-1 {
			c.Key = k
			break
		}
		if !k.IsModifier() {
			return Chord{}, fmt.Errorf("%q in %q is not a modifier: only ctrl, shift, alt, altgr and super are held while another key is pressed", p, word)
		}
		c.Mods = append(c.Mods, k)
	}
	return c, nil
}

// parseBraces reads "{Ctrl}{Shift}t{Enter}": a modifier in braces holds for
// the next key.
func parseBraces(text string) ([]Chord, error) {
	var chords []Chord
	var held []Key
	add := func(c Chord) {
		c.Mods = append(held, c.Mods...)
		held = nil
		chords = append(chords, c)
	}
	for text != "" {
		if text[0] != '{' {
			r, n := utf8.DecodeRuneInString(text)
			text = text[n:]
			if r == '+' && len(held) > 0 { // "{Ctrl}+s"
				continue
			}
			if r == ' ' {
				add(Chord{Key: "space"})
				continue
			}
			add(Chord{Key: Key(r)})
			continue
		}
		end := strings.IndexByte(text[1:], '}')
		if end < 0 {
			return nil, fmt.Errorf("%q: a brace is opened and not closed", text)
		}
		if end == 0 && strings.HasPrefix(text[2:], "}") { // "{}}" is the key }
			end++
		}
		name := text[1 : 1+end]
		text = text[2+end:]
		c, err := parseChord(name)
		if err != nil {
			return nil, err
		}
		if c.Key.IsModifier() && text != "" {
			held = append(append(held, c.Mods...), c.Key)
			continue
		}
		add(c)
	}
	if len(held) > 0 {
		return nil, fmt.Errorf("no key follows the modifier %s", held[len(held)-1])
	}
	return chords, nil
}
