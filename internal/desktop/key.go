package desktop

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/internal/words"
)

// Key is the name of a key: "enter", "f5", "ctrl", or one character.
type Key string

// Chord is a key pressed while modifiers are held: ctrl+shift+t. With modifiers, a letter
// is in lower case and names its key; Shift is one of the modifiers.
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
var keys = append(numbered(), [][]string{
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
	{"capslock", "caps"},
	{"numlock"},
	{"scrolllock"},
	{"printscreen", "print", "prtsc", "snapshot"},
	{"pause", "break"},
	{"menu", "apps", "contextmenu"},
	{"plus"},
	{"minus"}, // these characters also join keys
	{"numenter", "numpadenter", "kp_enter"},
	{"numadd", "add", "numpadadd", "kp_add"},
	{"numsubtract", "subtract", "numpadsubtract", "kp_subtract"},
	{"nummultiply", "multiply", "numpadmultiply", "kp_multiply"},
	{"numdivide", "divide", "numpaddivide", "kp_divide"},
	{"numdecimal", "decimal", "numpaddecimal", "kp_decimal"},
	{"volumeup", "audiovolup"},
	{"volumedown", "audiovoldown"},
	{"volumemute", "audiomute"},
	{"mediaplay", "audioplay", "playpause"},
	{"mediastop", "audiostop"},
	{"medianext", "audionext", "nexttrack"},
	{"mediaprevious", "audioprev", "prevtrack"},
}...)

// numbered returns the function keys and the digits of the number pad.
func numbered() (keys [][]string) {
	for i := range 24 {
		keys = append(keys, []string{fmt.Sprintf("f%d", i+1)})
	}
	for i := range 10 {
		keys = append(keys, []string{fmt.Sprintf("num%d", i), fmt.Sprintf("numpad%d", i), fmt.Sprintf("kp_%d", i)})
	}
	return keys
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

// KeyNames returns all names of all named keys, in alphabetical order.
func KeyNames() []string { return slices.Sorted(maps.Keys(keyByName)) }

// IsModifier reports whether a key is a modifier.
func (k Key) IsModifier() bool {
	return k == Ctrl || k == Shift || k == Alt || k == AltGr || k == Super
}

// ParseKey returns the key with a name, or the key of one character. In names,
// case, spaces, underscores and hyphens do not matter.
func ParseKey(name string) (Key, error) {
	if name == " " {
		return "space", nil
	}
	t := strings.TrimSpace(name)
	low := strings.ToLower(t)
	if k, ok := keyByName[low]; ok {
		return k, nil
	}
	if utf8.RuneCountInString(t) == 1 && utf8.ValidString(t) {
		if r, _ := utf8.DecodeRuneInString(t); !unicode.IsControl(r) {
			return Key(t), nil
		}
	}
	if k, ok := keyByName[strings.NewReplacer(" ", "", "_", "", "-", "").Replace(low)]; ok {
		return k, nil
	}
	return "", &UnknownKeyError{Name: name, Near: words.Nearest(t, KeyNames())}
}

// An UnknownKeyError reports a key that does not exist, and the most similar one
// that does.
type UnknownKeyError struct{ Name, Near string }

func (e *UnknownKeyError) Error() string {
	if e.Near == "" {
		return fmt.Sprintf("there is no key %q", e.Name)
	}
	return fmt.Sprintf("there is no key %q; did you mean %s?", e.Name, e.Near)
}

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

// EntersText reports whether a chord enters a character, other than a space, into a field.
func (c Chord) EntersText() bool {
	for _, m := range c.Mods {
		if m != Shift && m != AltGr {
			return false
		}
	}
	digit, ok := strings.CutPrefix(string(c.Key), "num")
	return utf8.RuneCountInString(string(c.Key)) == 1 || ok && len(digit) == 1
}

// maxKeys bounds the length of the text of keys.
const maxKeys = 4 << 10

// ParseKeys parses keys to press one after the other: "enter", "ctrl+s",
// "tab tab enter", or, with names in braces and everything else taken as
// characters, "{Ctrl}s", "{Tab}{Tab}", "{Ctrl}{Shift}t", "{Ctrl+A}".
//
// A letter with modifiers is the same in either case.
func ParseKeys(text string) ([]Chord, error) {
	switch {
	case len(text) > maxKeys:
		return nil, fmt.Errorf("keys have at most %d bytes, these have %d: type long texts instead", maxKeys, len(text))
	case !utf8.ValidString(text):
		return nil, &UnknownKeyError{Name: text}
	case text == " ":
		return []Chord{{Key: "space"}}, nil
	case strings.TrimSpace(text) == "":
		return nil, errors.New("no key is named: wanted a key such as enter or ctrl+s")
	case strings.ContainsRune(strings.TrimSuffix(text, "{"), '{'):
		return parseBraces(text)
	}
	var chords []Chord
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		var word strings.Builder
		word.WriteString(words[i])
		for i+2 < len(words) && words[i+1] == "+" { // "ctrl + s"
			word.WriteString("+" + words[i+2])
			i += 2
		}
		c, err := parseChord(word.String())
		if err != nil {
			return nil, err
		}
		chords = append(chords, c)
	}
	return chords, nil
}

// parseChord parses "ctrl+shift+t"; the last key may be the "+" itself.
func parseChord(word string) (Chord, error) {
	var c Chord
	for rest, more := word, true; more; {
		name := rest
		i := -1
		if rest != "" {
			i = strings.IndexByte(rest[1:], '+') // a "+" in front is a key
		}
		if more = i >= 0; more {
			name, rest = rest[:i+1], rest[i+2:]
		}
		if name == "" {
			return Chord{}, fmt.Errorf("no key follows the + in %q", word)
		}
		k, err := ParseKey(name)
		if err != nil {
			return Chord{}, err
		}
		if more && !k.IsModifier() {
			return Chord{}, fmt.Errorf("%q in %q is not a modifier: only ctrl, shift, alt, altgr and super are held while another key is pressed", name, word)
		}
		if more {
			c.Mods = append(c.Mods, k)
		}
		c.Key = k
	}
	return c.normal(), nil
}

// normal returns the chord with each modifier once, and with its letter in lower
// case if it has modifiers.
func (c Chord) normal() Chord {
	var mods []Key
	for _, m := range c.Mods {
		if !slices.Contains(mods, m) && m != c.Key {
			mods = append(mods, m)
		}
	}
	c.Mods = mods
	if r, n := utf8.DecodeRuneInString(string(c.Key)); len(mods) > 0 && n == len(c.Key) {
		c.Key = Key(unicode.ToLower(r))
	}
	return c
}

// parseBraces parses "{Ctrl}{Shift}t{Enter}": a modifier in braces is held for the
// next key.
func parseBraces(text string) ([]Chord, error) {
	if chord := bareChord(text); chord != "" {
		return nil, fmt.Errorf("%q in %q would be typed one character after the other: write {%s}", chord, text, chord)
	}
	var chords []Chord
	var held []Key
	for text != "" {
		c, rest, err := nextInBraces(text)
		if err != nil {
			return nil, err
		}
		joins := text[0] == '+' && len(held) > 0 && rest != "" // "{Ctrl}+s"
		holds := text[0] == '{' && c.Key.IsModifier() && rest != ""
		text = rest
		switch {
		case joins:
		case holds:
			held = append(append(held, c.Mods...), c.Key)
		default:
			c.Mods = append(held, c.Mods...)
			chords, held = append(chords, c.normal()), nil
		}
	}
	return chords, nil
}

// bareChord returns the first word outside of the braces that reads as a chord, such as
// ctrl+a in "ctrl+a{Delete}", or "".
func bareChord(text string) string {
	for part := range strings.SplitSeq(text, "{") {
		_, outside, closed := strings.Cut(part, "}")
		if !closed {
			outside = part
		}
		for word := range strings.FieldsSeq(outside) {
			first, _, joined := strings.Cut(word, "+")
			if k, err := ParseKey(first); !joined || err != nil || !k.IsModifier() {
				continue
			}
			if _, err := parseChord(word); err == nil {
				return word
			}
		}
	}
	return ""
}

// nextInBraces parses one character, or the content of one pair of braces.
func nextInBraces(text string) (c Chord, rest string, err error) {
	if text[0] != '{' {
		r, n := utf8.DecodeRuneInString(text)
		c.Key, err = typed(r)
		return c, text[n:], err
	}
	end := strings.IndexByte(text[1:], '}') + 1
	if strings.HasPrefix(text, "{}}") { // the key "}"
		end = 2
	}
	if end == 0 {
		return c, "", fmt.Errorf("%q: a brace is opened and not closed", text)
	}
	if strings.TrimSpace(text[1:end]) == "" {
		return c, "", fmt.Errorf("%q: no key is named in the braces", text)
	}
	c, err = parseChord(text[1:end])
	return c, text[end+1:], err
}

// typed returns the key that types a character.
func typed(r rune) (Key, error) {
	switch r {
	case '\n':
		return "enter", nil
	case '\t':
		return "tab", nil
	}
	return ParseKey(string(r))
}
