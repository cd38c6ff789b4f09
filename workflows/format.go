package workflows

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"understudy/internal/words"
)

// Format returns a document in its canonical form: keys in the order of the
// reference, indented by two spaces. Comments, blank lines between steps, and the
// author's choice between block and flow style are kept. Format is idempotent. A
// text whose comments or meaning would not survive is returned unchanged.
func Format(src []byte) ([]byte, error) {
	r := &report{}
	v := read(Source{Name: "inline", Text: src}, r)
	if err := r.err(); err != nil {
		return nil, err
	}
	if isJSON(src) {
		return formatJSON(v), nil
	}
	out := src
	for range formatRounds {
		next, ok := formatYAML(out)
		if !ok || !sameDocument(v, src, next) {
			return src, nil
		}
		if bytes.Equal(next, out) {
			return out, nil
		}
		out = next
	}
	return src, nil
}

// formatRounds bounds how often a text is formatted until it stays the same.
const formatRounds = 4

// sameDocument reports whether a formatted text means what the original does, and
// still has its comments.
func sameDocument(v *value, src, out []byte) bool {
	r := &report{}
	w := read(Source{Text: out}, r)
	return w != nil && len(r.problems) == 0 && reflect.DeepEqual(v.plain(), w.plain()) && slices.Equal(comments(src), comments(out))
}

func comments(text []byte) (all []string) {
	root, err := loadYAML(text)
	if err != nil {
		return nil
	}
	eachNode(root, func(n *yaml.Node) {
		for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			for line := range strings.Lines(c) {
				if line = strings.TrimSpace(line); line != "" {
					all = append(all, line)
				}
			}
		}
	})
	slices.Sort(all)
	return all
}

func eachNode(n *yaml.Node, f func(*yaml.Node)) {
	f(n)
	for _, c := range n.Content {
		eachNode(c, f)
	}
}

func formatYAML(src []byte) (out []byte, ok bool) {
	defer func() {
		if recover() != nil { // the library could not write what it read
			out, ok = nil, false
		}
	}()
	root, err := loadYAML(src)
	if err != nil {
		return nil, false
	}
	blank := blanksOf(root, src)
	aliased := false
	eachNode(root, func(n *yaml.Node) { aliased = aliased || n.Kind == yaml.AliasNode })
	if !aliased { // an alias must stay behind its anchor
		top := root.Content[0]
		order(top, rootType(lookup(top, "tool_name") != nil))
	}
	text, err := dumpYAML(root)
	if err != nil {
		return nil, false
	}
	return blank.insert(root, text)
}

func dumpYAML(root *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	d, err := yaml.NewDumper(&b, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, err
	}
	if err := d.Dump(root); err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// rootType returns the declared type of a text, which may be a tool call around its
// document.
func rootType(isCall bool) reflect.Type {
	if isCall {
		return reflect.TypeFor[call]()
	}
	return reflect.TypeFor[document]()
}

// order sorts the keys of a node of a declared type, and of all the nodes in it,
// into the order of the declaration. Unknown keys come last.
func order(n *yaml.Node, t reflect.Type) {
	switch n.Kind {
	case yaml.SequenceNode:
		for _, c := range n.Content {
			order(c, elementOf(t))
		}
	case yaml.MappingNode:
		pairs := slices.Collect(slices.Chunk(n.Content, 2))
		orderPairs(pairs, t, func(p []*yaml.Node) string { return p[0].Value }, func(p []*yaml.Node, t reflect.Type) { order(p[1], t) })
		n.Content = slices.Concat(pairs...)
	}
}

// elementOf returns the type of the elements of a list, or nil.
func elementOf(list reflect.Type) reflect.Type {
	if list == nil || list.Kind() != reflect.Slice {
		return nil
	}
	return list.Elem()
}

// orderPairs sorts the keys of an object with their values, and what is inside those.
func orderPairs[P any](pairs []P, t reflect.Type, key func(P) string, inside func(P, reflect.Type)) {
	rank := func(p P) int { n, _ := fieldOf(t, key(p)); return n }
	for _, p := range pairs {
		_, of := fieldOf(t, key(p))
		inside(p, of)
	}
	slices.SortStableFunc(pairs, func(a, b P) int { return rank(a) - rank(b) })
}

func formatJSON(v *value) []byte {
	arrange(v, rootType(v.get("tool_name") != nil))
	var raw, b bytes.Buffer
	writeJSON(&raw, v)
	if err := json.Indent(&b, raw.Bytes(), "", "  "); err != nil {
		panic(err) // writeJSON is at fault
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// arrange is order for values.
func arrange(v *value, t reflect.Type) {
	for _, x := range v.list {
		arrange(x, elementOf(t))
	}
	orderPairs(v.entries, t, func(e entry) string { return e.key.text }, func(e entry, t reflect.Type) { arrange(e.value, t) })
}

func writeJSON(b *bytes.Buffer, v *value) {
	list := func(open, end byte, n int, item func(int)) {
		b.WriteByte(open)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			item(i)
		}
		b.WriteByte(end)
	}
	switch v.sort {
	case sortList:
		list('[', ']', len(v.list), func(i int) { writeJSON(b, v.list[i]) })
	case sortObject:
		list('{', '}', len(v.entries), func(i int) {
			writeJSON(b, v.entries[i].key)
			b.WriteByte(':')
			writeJSON(b, v.entries[i].value)
		})
	case sortNumber:
		b.WriteString(v.text)
	default:
		text, _ := words.JSON(v.plain(), "") // texts and booleans can always be written
		b.WriteString(text)
	}
}
