package engine

import (
	"crypto/rand"
	"maps"
	"slices"

	"understudy/steps"
)

// A text that a step types is kept out of what is stored until the step has seen that
// it goes into no password field: the event before the step refers to it as to a
// secret, and the event after the step holds the arguments. What went into a password
// field stays a secret of the run, which no event holds; neither does it hold the text
// of a call that failed before it saw its target, or that a crash cut short.

// typedPrefix begins the names of such texts.
const typedPrefix = computedPrefix + "typed text "

// holdBack puts references in place of the texts that a step of a kind types. Args is
// not changed.
func (v *evaluator) holdBack(k steps.Kind, args any) any {
	given, ok := args.(map[string]any)
	if !ok || len(k.Typed()) == 0 {
		return args
	}
	out := maps.Clone(given)
	for _, name := range k.Typed() {
		text := asText(given[name])
		if text == "" {
			continue
		}
		known, is := v.secrets.nameOf(text)
		if !is {
			known = typedPrefix + rand.Text()[:8]
			v.secrets = maps.Clone(v.secrets)
			v.secrets[known], v.typed = text, append(v.typed, known)
		}
		out[name] = reference(known)
	}
	return out
}

// asText is the text of an argument that is a text or a number; else "".
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return formatNumber(v)
	}
	return ""
}

// withoutTyped are the secrets without the texts of which it is not known yet whether
// they are any.
func (v *evaluator) withoutTyped() secrets {
	known := maps.Clone(v.secrets)
	for _, name := range v.typed {
		delete(known, name)
	}
	return known
}

// settleTyped makes secrets of the texts that a step has typed, or forgets them. It
// returns the arguments if they may be stored now, and nil if they are stored already
// or may not be.
func (w *worker) settleTyped(e start, args any, went steps.Typed) any {
	if len(w.typed) == 0 {
		return nil
	}
	call := w.s.Created.Call != ""
	if went != steps.TypedHidden && (went == steps.TypedOpenly || !call) {
		w.secrets, w.typed = w.withoutTyped(), nil
		return args
	}
	w.near, w.typed = append(slices.Clone(w.near), w.typed...), nil
	if !call {
		w.logger(e.path).Warn("a text that is no secret was typed into a password field: it stands in the document, or in the inputs and results of the run; make it an input that is a secret")
	}
	return nil
}
