package workflows

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Format is a document in its canonical form: keys in the order of the
// reference, two blanks of indentation. Comments, blank lines between steps,
// and the author's choice between block and flow style stay. Formatting twice
// is the same as once. A text whose comments or meaning would not survive is
// returned as it is.
func Format(src []byte) ([]byte, error) {
	r := &report{}
	v := read(Source{Name: "inline", Text: src}, r)
	if err := r.err(); err != nil {
		return nil, err
	}
	if isJSON(bytes.TrimPrefix(src, []byte("\ufeff"))) {
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

// formatRounds is how often a text is formatted until it stays the same.
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
	blank := blanks{lines: strings.Split(string(src), "\n")}
	aliased := false
	eachNode(root, func(n *yaml.Node) {
		aliased = aliased || n.Kind == yaml.AliasNode
		blank.note(n)
	})
	if !aliased { // an alias must stay behind its anchor
		order(root.Content[0], rootType(root.Content[0]))
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

func rootType(n *yaml.Node) reflect.Type {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "tool_name" {
			return reflect.TypeFor[call]()
		}
	}
	return reflect.TypeFor[document]()
}

// order puts the keys of an object of a declared type into the order of the
// declaration, and so in all that it holds. Unknown keys come last.
func order(n *yaml.Node, t reflect.Type) {
	switch {
	case t == nil:
	case t.Kind() == reflect.Pointer:
		order(n, t.Elem())
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			order(c, t.Elem())
		}
	case n.Kind == yaml.MappingNode && declared[t] != nil:
		orderKeys(n, t)
	case n.Kind == yaml.MappingNode:
		if d, ok := reflect.New(t).Interface().(interface{ element() reflect.Type }); ok {
			for i := 1; i < len(n.Content); i += 2 {
				order(n.Content[i], d.element())
			}
		}
	}
}

func orderKeys(n *yaml.Node, t reflect.Type) {
	keys := declared[t]
	rank := func(pair [2]*yaml.Node) int {
		i := slices.IndexFunc(keys, func(k *key) bool { return k.name == pair[0].Value })
		if i < 0 {
			return len(keys)
		}
		return i
	}
	var pairs [][2]*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		pair := [2]*yaml.Node{n.Content[i], n.Content[i+1]}
		pairs = append(pairs, pair)
		if k := rank(pair); k < len(keys) {
			order(pair[1], t.Field(keys[k].index).Type)
		}
	}
	slices.SortStableFunc(pairs, func(a, b [2]*yaml.Node) int { return rank(a) - rank(b) })
	n.Content = n.Content[:0]
	for _, p := range pairs {
		n.Content = append(n.Content, p[0], p[1])
	}
}
