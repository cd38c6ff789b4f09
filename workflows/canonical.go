package workflows

import (
	"understudy/steps"
)

// Canonical returns a document with the one spelling of each thing that Understudy has
// itself, in its canonical form, and notes of what it changed. Comments are kept. What
// cannot be translated stays, for Compile to report. A document that relies on what is
// allowed to other programs alone gets no version, which would forbid that.
func Canonical(src Source, o CompileOptions) (text []byte, notes []Problem, err error) {
	text, notes, err = canonical(src, o.Kinds, true)
	if err != nil {
		return nil, nil, err
	}
	as := src
	as.Text = text
	if _, err := Compile(as, o); err == nil {
		return text, notes, nil
	}
	return canonical(src, o.Kinds, false)
}

func canonical(src Source, kinds []steps.Kind, versioned bool) (text []byte, notes []Problem, err error) {
	t := &translator{report: &report{root: newFile(Source{Name: src.Name}).name}, kinds: map[string]*steps.Kind{}, unversioned: !versioned, gathers: true}
	for i := range kinds {
		t.kinds[kinds[i].Name] = &kinds[i]
	}
	if isJSON(src.Text) {
		text, err = t.canonicalJSON(src)
	} else {
		text, err = t.canonicalYAML(src)
	}
	if err != nil {
		return nil, nil, err
	}
	text, err = Format(text)
	return text, t.report.sortedNotes(), err
}

func (t *translator) canonicalJSON(src Source) ([]byte, error) {
	v := read(src, t.report)
	if err := t.report.err(); err != nil {
		return nil, err
	}
	t.own(v)
	return formatJSON(v), nil
}

func (t *translator) canonicalYAML(src Source) ([]byte, error) {
	if v := read(src, t.report); v == nil || t.report.err() != nil {
		return nil, t.report.err()
	}
	root, err := loadYAML(withoutBOM(src.Text))
	if err != nil {
		return nil, err
	}
	blank := blanksOf(root, src.Text)
	t.own(valueOf(root, newFile(src), t.report))
	text, err := dumpYAML(root)
	if err != nil {
		return nil, err
	}
	if spread, ok := blank.insert(root, text); ok {
		text = spread
	}
	return text, nil
}

// own translates a document and marks it as one of ours.
func (t *translator) own(root *value) {
	t.translate(root)
	if root.get("tool_name") != nil {
		root = root.get("arguments")
	}
	if root != nil && root.sort == sortObject && root.get("version") == nil && !t.unversioned {
		root.insert("version", 1.0, true)
	}
}
