package engine

import (
	"crypto/rand"
	"maps"
	"slices"

	"understudy/steps"
)

// A text that a step types is not stored until it is known that it did not go into a
// password field: the event before the step holds a reference, as for a secret, and
// the event after the step holds the arguments. A text that went into a password
// field remains a secret of the run and is never stored. Nor is the text of a call
// that failed before it reached its target, or that was interrupted by a crash.

// typedPrefix begins the names of these texts.
const typedPrefix = computedPrefix + "typed text "

// holdBack returns args with references in place of the texts that the step types.
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

// asText returns an argument that is a text or a number as a text; else "".
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return formatNumber(v)
	}
	return ""
}

// withoutTyped returns the secrets without the typed texts that may turn out not to
// be secret.
func (v *evaluator) withoutTyped() secrets {
	known := maps.Clone(v.secrets)
	for _, name := range v.typed {
		delete(known, name)
	}
	return known
}

// settleTyped decides, after a step, whether the texts that it typed are secrets. It
// returns the arguments if they may be stored now; nil: they are stored already, or
// may not be.
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
		w.logger(e.path).Warn("text that is not a secret was typed into a password field: it is stored in the document, or in the inputs and results of the run; make it a secret input")
	}
	return nil
}
