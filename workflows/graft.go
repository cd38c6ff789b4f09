package workflows

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Insertion says where steps go into a document.
type Insertion struct {
	// Step is the id of the step that they belong to, or its path as runs show it.
	Step string
	// Fallback puts them into troubleshooting, where the run goes when that step has
	// failed, and from there back to the step. Otherwise they go before it.
	Fallback bool
	// If is the condition under which a fallback is the right one.
	If string
}

// Graft puts the steps of one document into another, with the variables that they
// use. It is pure, and keeps what the author wrote, with its comments. It does not
// look for names that both documents have; Compile refuses them.
func Graft(onto, from []byte, at Insertion) ([]byte, error) {
	g, err := newGraft(onto)
	if err != nil {
		return nil, err
	}
	donor, err := loadYAML(from)
	if err != nil {
		return nil, fmt.Errorf("the steps to put in: %w", err)
	}
	added := bodyOf(donor)
	list := lookup(added, "steps")
	if list == nil || len(list.Content) == 0 {
		return nil, errors.New("there are no steps to put in")
	}
	if at.Fallback {
		err = g.fallback(list.Content, at)
	} else {
		err = g.before(list.Content, at.Step)
	}
	if err != nil {
		return nil, err
	}
	if err := g.variables(lookup(added, "variables")); err != nil {
		return nil, err
	}
	return g.text(onto)
}

// NamesIn returns the ids and the inputs of a document, or none if it cannot be read.
func NamesIn(text []byte) (ids, inputs []string) {
	root, err := loadYAML(text)
	if err != nil {
		return nil, nil
	}
	body := bodyOf(root)
	ids = idsOf(stepsIn(body))
	for _, key := range []string{"variables", "inputs"} {
		if n := lookup(body, key); n != nil && n.Kind == yaml.MappingNode {
			for p := range slices.Chunk(n.Content, 2) {
				inputs = append(inputs, p[0].Value)
			}
		}
	}
	return ids, inputs
}

// graft is a document into which steps are put.
type graft struct {
	root, body *yaml.Node
	blank      blanks
	tidy       bool // the document was in its canonical form
}

func newGraft(onto []byte) (*graft, error) {
	formatted, err := Format(onto)
	if err != nil {
		return nil, err
	}
	root, err := loadYAML(onto)
	if err != nil {
		return nil, err
	}
	return &graft{root: root, body: bodyOf(root), blank: blanksOf(root, onto), tidy: bytes.Equal(formatted, onto)}, nil
}

// bodyOf returns the object of a document, without the tool call around it.
func bodyOf(root *yaml.Node) *yaml.Node {
	n := root.Content[0]
	if in := lookup(n, "arguments"); in != nil && lookup(n, "tool_name") != nil {
		return in
	}
	return n
}

// stepNode is a step and its place in the document.
type stepNode struct {
	step, list *yaml.Node
	at         int
	path       string
	around     []*yaml.Node // the nodes around the list, the outermost first
}

func (s stepNode) id() string {
	if n := lookup(s.step, "id"); n != nil {
		return n.Value
	}
	return ""
}

// stepsIn returns all steps of a document, including those of groups and loops.
func stepsIn(body *yaml.Node) (all []stepNode) {
	var collect func(list *yaml.Node, base string, around []*yaml.Node)
	collect = func(list *yaml.Node, base string, around []*yaml.Node) {
		if list == nil || list.Kind != yaml.SequenceNode {
			return
		}
		around = append(slices.Clip(around), list)
		for i, step := range list.Content {
			path := base + strconv.Itoa(i)
			all = append(all, stepNode{step, list, i, path, around})
			within := append(slices.Clip(around), step)
			collect(lookup(step, "steps"), path+".", within)
			if again := lookup(step, "retry"); again != nil {
				collect(lookup(again, "before"), path+".before.", append(slices.Clip(within), again))
			}
		}
	}
	top := []*yaml.Node{body}
	collect(lookup(body, "steps"), "", top)
	collect(lookup(body, "troubleshooting"), "troubleshooting.", top)
	collect(lookup(body, "finally"), "finally.", top)
	return all
}

func idsOf(all []stepNode) (ids []string) {
	for _, s := range all {
		if id := s.id(); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// rounds matches the round of a loop in a path.
var rounds = regexp.MustCompile(`\[[^\]]*\]?`)

// find returns the step with an id, or else the one at a path.
func (g *graft) find(step string) (stepNode, error) {
	all, path := stepsIn(g.body), rounds.ReplaceAllString(step, "")
	var byID, byPath *stepNode
	for _, s := range all {
		switch {
		case s.id() == step:
			byID = &s
		case s.path == path:
			byPath = &s
		}
	}
	if found := cmp.Or(byID, byPath); found != nil {
		return *found, nil
	}
	return stepNode{}, fmt.Errorf("the document has no step %q to put steps at: wanted one of %s", step, strings.Join(idsOf(all), ", "))
}

// before inserts steps before another.
func (g *graft) before(added []*yaml.Node, step string) error {
	s, err := g.find(step)
	if err != nil {
		return err
	}
	inBlock(s.around)
	if slices.ContainsFunc(s.list.Content[min(1, len(s.list.Content)):], func(n *yaml.Node) bool { return g.blank[n] }) {
		for _, n := range append(slices.Clone(added), s.step) { // the author has blank lines between steps
			g.blank[n] = true
		}
	}
	s.list.Content = slices.Insert(s.list.Content, s.at, added...)
	return nil
}

// fallback puts steps into a group, to which a run goes when another step has failed.
func (g *graft) fallback(added []*yaml.Node, at Insertion) error {
	s, err := g.find(at.Step)
	if err != nil {
		return err
	}
	id := s.id()
	if id == "" {
		id = g.unusedID("step_" + strings.NewReplacer(".", "_").Replace(s.path))
		s.step.Content = append(blockObject(Pair{"id", id}).Content, s.step.Content...)
	}
	inBlock(s.around)
	group := blockObject(Pair{"id", g.unusedID("mend_" + id)}, Pair{"group_name", "when " + id + " has failed"})
	condition := fmt.Sprintf("steps.%s.status == 'error'", id)
	if at.If != "" {
		condition += " && (" + at.If + ")"
	}
	put(group, "if", textNode(condition, false))
	put(group, "steps", &yaml.Node{Kind: yaml.SequenceNode, Content: added})
	put(group, "jumps", &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{flowObject([]Pair{{"if", "true"}, {"to_id", id}})}})
	return g.reach(s.step, group)
}

// reach makes a group the fallback of a step. The former fallback follows the group,
// and so is reached when the condition of the group does not hold.
func (g *graft) reach(step, group *yaml.Node) error {
	id := textNode(lookup(group, "id").Value, false)
	next := lookup(step, "fallback_id")
	trouble := lookup(g.body, "troubleshooting")
	if trouble == nil {
		trouble = &yaml.Node{Kind: yaml.SequenceNode}
		behind := indexOf(g.body, "steps")
		if behind >= 0 {
			behind += 2
		}
		insertKey(g.body, behind, "troubleshooting", trouble)
	}
	fillNull(trouble, yaml.SequenceNode)
	inBlock([]*yaml.Node{g.body, trouble})
	if next == nil {
		put(step, "fallback_id", id)
		trouble.Content = append(trouble.Content, group)
		return nil
	}
	i := slices.IndexFunc(trouble.Content, func(n *yaml.Node) bool {
		known := lookup(n, "id")
		return known != nil && known.Value == next.Value
	})
	if i < 0 {
		return fmt.Errorf("when step %s fails it goes to %s, which is not in troubleshooting: put the steps before it instead", lookup(step, "id").Value, next.Value)
	}
	*next = *id
	trouble.Content = slices.Insert(trouble.Content, i, group)
	return nil
}

// unusedID returns an id that no step has.
func (g *graft) unusedID(wanted string) string {
	taken, id := idsOf(stepsIn(g.body)), wanted
	for i := 2; slices.Contains(taken, id); i++ {
		id = fmt.Sprintf("%s_%d", wanted, i)
	}
	return id
}

// variables adds declarations to those of the document. A document that gives inputs and
// declares none gets more inputs: with a declaration, it would have to declare all.
func (g *graft) variables(added *yaml.Node) error {
	if added == nil || len(added.Content) == 0 {
		return nil
	}
	declared, given := lookup(g.body, "variables"), lookup(g.body, "inputs")
	if isNull(declared) && given != nil && given.Kind == yaml.MappingNode && len(given.Content) > 0 {
		return addInputs(given, added)
	}
	if declared == nil {
		declared = &yaml.Node{Kind: yaml.MappingNode}
		insertKey(g.body, indexOf(g.body, "steps"), "variables", declared)
	}
	fillNull(declared, yaml.MappingNode)
	inBlock([]*yaml.Node{g.body, declared})
	declared.Content = append(declared.Content, added.Content...)
	return nil
}

// addInputs adds the defaults of variables to inputs.
func addInputs(given, variables *yaml.Node) error {
	for p := range slices.Chunk(variables.Content, 2) {
		value := lookup(p[1], "default")
		if value == nil {
			return fmt.Errorf("the steps to put in need the secret %s, and the document gives inputs without declaring them: declare them under variables first", p[0].Value)
		}
		given.Content = append(given.Content, p[0], value)
	}
	return nil
}

// isNull reports whether a key is missing, or has no value.
func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// fillNull makes a list or an object of a key without a value.
func fillNull(n *yaml.Node, kind yaml.Kind) {
	if isNull(n) {
		n.Kind, n.Tag, n.Value = kind, "", ""
	}
}

// text returns the document as it is now, in the format that it had.
func (g *graft) text(was []byte) ([]byte, error) {
	if isJSON(was) {
		r := &report{}
		v := valueOf(g.root, newFile(Source{}), r)
		if err := r.err(); err != nil {
			return nil, err
		}
		return formatJSON(v), nil
	}
	out, err := dumpYAML(g.root)
	if err != nil {
		return nil, err
	}
	if spread, ok := g.blank.insert(g.root, out); ok {
		out = spread
	}
	if g.tidy {
		return Format(out)
	}
	return out, nil
}

// inBlock gives each entry of the nodes a line of its own, as a step with a comment
// needs it.
func inBlock(nodes []*yaml.Node) {
	for _, n := range nodes {
		n.Style &^= yaml.FlowStyle
	}
}

// lookup returns the value of a key of an object, or nil if it has none.
func lookup(object *yaml.Node, key string) (found *yaml.Node) {
	if object != nil && object.Kind == yaml.MappingNode {
		for p := range slices.Chunk(object.Content, 2) {
			if p[0].Value == key {
				found = p[1]
			}
		}
	}
	return found
}

// indexOf returns the index of a key among the children of an object, or -1.
func indexOf(object *yaml.Node, key string) int {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// insertKey adds a key before the child with an index; -1 means the end.
func insertKey(object *yaml.Node, i int, key string, value *yaml.Node) *yaml.Node {
	if i < 0 {
		i = len(object.Content)
	}
	k := blockObject(Pair{key, ""}).Content[0]
	object.Content = slices.Insert(object.Content, i, k, value)
	return k
}

// ReplaceSelector returns a document in which a step has another selector, if is holds for
// the one that it has. What else the author wrote stays as it is.
func ReplaceSelector(document []byte, step string, is func(selector string) bool, now string) (text []byte, ok bool) {
	root, err := loadYAML(document)
	if err != nil {
		return document, false
	}
	g := graft{root: root, body: bodyOf(root)}
	s, err := g.find(step)
	if err != nil {
		return document, false
	}
	n := lookup(lookup(s.step, "arguments"), "selector")
	if n == nil || n.Kind != yaml.ScalarNode || !is(n.Value) {
		return document, false
	}
	lines := bytes.SplitAfter(document, []byte("\n"))
	line := lines[n.Line-1]
	before := len(string([]rune(string(line))[:n.Column-1]))
	written := writtenScalar.Find(line[before:])
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
		written = []byte(n.Value)
	}
	if len(written) == 0 || !bytes.HasPrefix(line[before:], written) {
		return document, false
	}
	lines[n.Line-1] = slices.Concat(line[:before], []byte(strconv.Quote(now)), line[before+len(written):])
	return bytes.Join(lines, nil), true
}

// writtenScalar matches a text in quotes.
var writtenScalar = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)
