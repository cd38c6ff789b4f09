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
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
	case n.Kind == yaml.SequenceNode && t.Kind() == reflect.Slice:
		for _, c := range n.Content {
			order(c, t.Elem())
		}
	case n.Kind == yaml.MappingNode && t.Kind() == reflect.Struct:
		ranks := map[*yaml.Node]int{}
		pairs := slices.Collect(slices.Chunk(n.Content, 2))
		for _, p := range pairs {
			rank, of := fieldOf(t, p[0].Value)
			ranks[p[0]] = rank
			order(p[1], of)
		}
		slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return ranks[a[0]] - ranks[b[0]] })
		n.Content = slices.Concat(pairs...)
	}
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
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
	case v.sort == sortList && t.Kind() == reflect.Slice:
		for _, x := range v.list {
			arrange(x, t.Elem())
		}
	case v.sort == sortObject && t.Kind() == reflect.Struct:
		ranks := map[*value]int{}
		for _, e := range v.entries {
			rank, of := fieldOf(t, e.key.text)
			ranks[e.key] = rank
			arrange(e.value, of)
		}
		slices.SortStableFunc(v.entries, func(a, b entry) int { return ranks[a.key] - ranks[b.key] })
	}
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
