package compile

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/steps/observe"
)

// What a field holds is told by two that do not wait for each other: keys, which its program handles some time
// after they were pressed, and reads, which show the effects of some of them. A guess is what a field may hold
// at a time. Keys make other guesses of it, and a read leaves those that look as it did.

// guess is a text with a caret, and what is selected between that and an anchor. Both are offsets.
type guess struct {
	text          string
	caret, anchor int
}

const (
	// readLag is how long a program may take to show the effect of a key.
	readLag = 500 * time.Millisecond
	// longestGuessed is the longest text whose guesses are followed.
	longestGuessed = 2_000
	// placesOfCaret and selectionsOf are the longest texts in which an unknown caret, or selection, may be
	// anywhere; in others it is at an end, or all is selected.
	placesOfCaret, selectionsOf = 300, 40
)

// pasted stands in a text for another that is not known.
const pasted = "\x00"

// anyText is what a field holds of which nothing is known.
var anyText = guess{text: pasted + pasted, caret: len(pasted), anchor: len(pasted)}

// guessesOf returns what a field may be that holds a text: first that with the caret at the end.
func guessesOf(text string) []guess {
	end := len(text)
	if end > longestGuessed*utf8.UTFMax {
		return nil
	}
	all := []guess{{text, end, end}, {text, 0, 0}, {text, end, 0}}
	places := []int{}
	for i := range text {
		places = append(places, i)
	}
	places = append(places, end)
	if len(places) <= placesOfCaret {
		for _, at := range places {
			all = append(all, guess{text, at, at})
		}
	}
	if len(places) <= selectionsOf {
		for _, from := range places {
			for _, to := range places {
				all = append(all, guess{text, to, from})
			}
		}
	}
	return distinct(all)
}

// distinct removes guesses that were there before.
func distinct(all []guess) []guess {
	seen := make(map[guess]bool, len(all))
	return slices.DeleteFunc(all, func(s guess) bool {
		was := seen[s]
		seen[s] = true
		return was
	})
}

// press returns what a key makes of a guess.
func (s guess) press(k keystroke) []guess {
	shift := slices.Contains(k.Mods, desktop.Shift)
	others := slices.DeleteFunc(slices.Clone(k.Mods), func(m desktop.Key) bool { return m == desktop.Shift })
	key := desktop.Chord{Mods: others, Key: k.Key}.String()
	from, to := min(s.caret, s.anchor), max(s.caret, s.anchor)
	switch {
	case k.pointed:
		return guessesOf(s.text)
	case k.browses:
	case k.Text != "":
		return s.replace(from, to, k.Text)
	case key == "enter":
		return s.replace(from, to, "\n")
	case key == "ctrl+v":
		return s.replace(from, to, pasted)
	case key == "ctrl+x" && from < to:
		return s.replace(from, to, "")
	case key == "ctrl+c":
		return []guess{s}
	case key == "ctrl+a":
		return []guess{{s.text, len(s.text), 0}}
	case (key == "backspace" || key == "delete") && from < to:
		return s.replace(from, to, "")
	case key == "backspace":
		return s.replace(s.before(), s.caret, "")
	case key == "delete":
		return s.replace(s.caret, s.after(), "")
	case key == "left" && from < to && !shift:
		return []guess{{s.text, from, from}}
	case key == "right" && from < to && !shift:
		return []guess{{s.text, to, to}}
	case key == "left":
		return s.step(s.before(), shift)
	case key == "right":
		return s.step(s.after(), shift)
	case key == "ctrl+home":
		return s.move(0, shift)
	case key == "ctrl+end":
		return s.move(len(s.text), shift)
	case key == "home":
		return s.step(strings.LastIndex(s.text[:s.caret], "\n")+1, shift)
	case key == "end":
		line, _, _ := strings.Cut(s.text[s.caret:], "\n")
		return s.step(s.caret+len(line), shift)
	case recorder.MovesCaret(k.Key, k.Mods), key == "ctrl+left", key == "ctrl+right":
		return guessesOf(s.text)
	}
	return []guess{anyText}
}

// before and after return the places of the caret one character on. A text that is not known has no end.
func (s guess) before() int {
	_, size := utf8.DecodeLastRuneInString(s.text[:s.caret])
	return s.caret - size
}

func (s guess) after() int {
	_, size := utf8.DecodeRuneInString(s.text[s.caret:])
	return s.caret + size
}

// replace returns the guess with another text in a place, and the caret behind that.
func (s guess) replace(from, to int, text string) []guess {
	if from < to && s.text[from:to] == pasted && s.caret == s.anchor { // one of its characters
		from, to = s.caret, s.caret
	}
	at := from + len(text)
	return []guess{{s.text[:from] + text + s.text[to:], at, at}}
}

// move returns the guess with the caret in another place.
func (s guess) move(to int, selects bool) []guess {
	if selects {
		return []guess{{s.text, to, s.anchor}}
	}
	return []guess{{s.text, to, to}}
}

// step moves the caret by a character, or by what is left of a line. In a text that is not known it is
// somewhere then.
func (s guess) step(to int, selects bool) []guess {
	if strings.Contains(s.text[min(s.caret, to):max(s.caret, to)], pasted) {
		return []guess{anyText}
	}
	return s.move(to, selects)
}

// looks returns the guess as a read shows it, or nothing if it shows another.
func (s guess) looks(value string) (all []guess) {
	if !strings.Contains(s.text, pasted) {
		if sameWithBlanks(s.text, value) {
			return []guess{s}
		}
		return nil
	}
	if s.anchor == 0 && s.caret == len(s.text) && s.caret > 0 {
		if fits(s.text, value) {
			return []guess{{value, len(value), 0}}
		}
		return nil
	}
	if len(value) > longestGuessed {
		return nil
	}
	for at := range len(value) + 1 {
		if (at == len(value) || utf8.RuneStart(value[at])) && fits(s.text[:s.caret], value[:at]) && fits(s.text[s.caret:], value[at:]) {
			all = append(all, guess{value, at, at})
		}
	}
	slices.Reverse(all) // the caret at the end first
	return all
}

// fits reports whether a text may be another of which parts are not known.
func fits(known, text string) bool {
	parts := strings.Split(known, pasted)
	last := parts[len(parts)-1]
	if len(parts) == 1 {
		return known == text
	}
	text, ok := strings.CutPrefix(text, parts[0])
	for _, p := range parts[1 : len(parts)-1] {
		_, rest, found := strings.Cut(text, p)
		text, ok = rest, ok && found
	}
	return ok && strings.HasSuffix(text, last)
}

// becomes reports whether a program may have made another text of what was typed: a completion, or a
// number as it writes it.
func (s guess) becomes(value string) bool {
	return s.text != "" && s.caret == len(s.text) && (strings.HasPrefix(value, s.text) && strings.Count(s.text, "\n") == strings.Count(value, "\n") || rewritten(s.text, value))
}

// rewritten reports whether a text is another, but for how a program writes it. One with fewer characters may
// be read before the last of them arrived.
func rewritten(typed, value string) bool {
	return typed != value && utf8.RuneCountInString(value) >= utf8.RuneCountInString(typed) && strings.Count(typed, "\n") == strings.Count(value, "\n") && observe.Reformatted(typed, value) && observe.Reformatted(value, typed)
}

// holds reports whether all of a value was typed into what was not known, and is written in another way. Other
// blanks may have been there.
func (s guess) holds(value string) bool {
	typed := strings.ReplaceAll(s.text, pasted, "")
	dense := func(text string) string { return strings.Join(strings.Fields(text), "") }
	return len(typed) < len(s.text) && dense(typed) != dense(value) && rewritten(typed, value)
}

// keystroke is a key in a field, or a press of the pointer there.
type keystroke struct {
	recorder.Event
	browses bool // for a list of completions or a number: only the field shows its effect
	pointed bool
}

// read is what a field was seen to hold.
type read struct {
	at    time.Time
	value string
}

// settled is what is known of a field after keys.
type settled struct {
	guesses []guess
	value   string
	sure    bool // they hold no other text
	shown   bool // it was read with the effect of all keys
	odd     bool // a read shows a text that the keys do not make
	less    bool // the last read shows the effect of some keys only, though the others were long ago
}

// settle presses keys in guesses, and keeps those that reads show.
func settle(from []guess, keys []keystroke, reads []read) settled {
	after := make([][]guess, len(keys)+1) // by the number of keys that were handled
	after[0] = from
	var last settled
	doubt := false
	for _, r := range reads {
		first, most := 0, 0
		for _, k := range keys {
			if !k.Time.After(r.at) {
				most++
			}
			if k.Time.Add(readLag).Before(r.at) {
				first++
			}
		}
		handle(after, keys[:most])
		var found [][]guess
		found, doubt = shown(after, keys, r.value, first, most)
		last.less = doubt
		last.odd = last.odd || doubt || found == nil
		if found == nil { // the program did something by itself
			found, doubt = make([][]guess, len(keys)+1), first < most
			found[most] = guessesOf(r.value)
		}
		after, last.value = found, r.value
		last.shown = most == len(keys) && !slices.ContainsFunc(after[:most], func(s []guess) bool { return s != nil })
	}
	handle(after, keys)
	last.guesses = after[len(keys)]
	if len(last.guesses) == 0 {
		last.sure = last.shown && !doubt
		return last
	}
	if text := last.guesses[0].text; !strings.Contains(text, pasted) {
		last.value = text
		last.sure = !doubt && !slices.ContainsFunc(last.guesses, func(s guess) bool { return s.text != text })
	}
	return last
}

// handle adds to the guesses after some keys what the next make of them.
func handle(after [][]guess, keys []keystroke) {
	for i, k := range keys {
		for _, s := range after[i] {
			after[i+1] = append(after[i+1], s.press(k)...)
		}
		after[i+1] = distinct(after[i+1])
	}
}

// shown returns the guesses that look as a value, after as many keys as their program may have handled; nil if
// there are none. Those after fewer keys, or of which the program made the value, are taken where no others are.
// A program that handled fewer is slow, or does not take the others: that is a doubt.
func shown(after [][]guess, keys []keystroke, value string, first, most int) (found [][]guess, doubt bool) {
	keep := func(first, most int, looks func(guess) []guess) bool {
		any, free := false, false
		found = make([][]guess, len(after))
		for i := most; i >= first; i-- {
			now := slices.Contains(after[i], anyText)
			for _, s := range after[i] {
				if s != anyText || !free {
					found[i] = append(found[i], looks(s)...)
				}
			}
			any, free = any || found[i] != nil, free || now && i > 0 && keys[i-1].browses
		}
		return any
	}
	if slices.ContainsFunc(after[most], func(s guess) bool { return s.holds(value) }) {
		found = make([][]guess, len(after))
		found[most] = guessesOf(value)
		return found, false
	}
	exactly := func(s guess) []guess { return s.looks(value) }
	if keep(first, most, exactly) {
		return found, false
	}
	if keep(most, most, func(s guess) []guess {
		if s.becomes(value) {
			return guessesOf(value)
		}
		return nil
	}) {
		return found, false
	}
	if keep(0, first-1, func(s guess) []guess {
		if strings.Contains(s.text, pasted) { // it may look as anything
			return nil
		}
		return s.looks(value)
	}) {
		return found, true
	}
	return nil, false
}
