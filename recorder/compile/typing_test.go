package compile

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"understudy/recorder"
)

// A slow machine tells of keys long after the field was read that shows their text, several
// times in a row.
func TestKeysThatAreToldOfAfterTheirTextWasRead(t *testing.T) {
	const typed = "abba canna"
	letters := strings.Split(typed, "")
	for seed := range uint64(500) {
		chance := rand.New(rand.NewPCG(seed, 0))
		tape := newTape(editor).focus(name, "")
		begun := tape.now
		at := func(n int) time.Time { return begun.Add(time.Duration(n) * 10 * time.Millisecond) }
		told, read := 0, 0
		var order []string
		for told < len(letters) || read < len(letters) {
			if told < len(letters) && (chance.IntN(3) > 0 || read == len(letters)) {
				tape.events = append(tape.events, recorder.Event{Type: recorder.Typed, Time: at(told), Text: letters[told], Field: tape.field})
				order = append(order, letters[told])
				told++
				continue
			}
			read = min(max(told, read)+chance.IntN(4), len(letters)) // as much as the keys told of, or more
			value := strings.Join(letters[:read], "")
			tape.events = append(tape.events, recorder.Event{Type: recorder.Held, Time: at(read).Add(-time.Millisecond), Field: tape.field, Value: &value})
			order = append(order, "["+value+"]")
		}
		tape.now = at(len(letters))
		text, _, err := Events(tape.events, Options{Name: "typed"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), ", default: "+typed+"}") {
			t.Fatalf("%s\nmade\n%s", strings.Join(order, " "), text)
		}
	}
}
