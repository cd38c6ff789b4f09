package dialect

import "regexp"

var (
	firstOfResult = regexp.MustCompile(`\b([A-Za-z_][\w-]*)_result(\?\.)?\[0\]`)
	template      = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
)

// WithoutFirst returns an expression without [0] behind the results of the steps with known
// ids: in other programs a result is a list of one.
func WithoutFirst(expression string, known func(id string) bool) string {
	return firstOfResult.ReplaceAllStringFunc(expression, func(s string) string {
		if m := firstOfResult.FindStringSubmatch(s); known(m[1]) {
			return m[1] + "_result"
		}
		return s
	})
}

// WithoutFirstIn is WithoutFirst for the expressions in the templates of a text.
func WithoutFirstIn(text string, known func(id string) bool) string {
	return template.ReplaceAllStringFunc(text, func(s string) string { return WithoutFirst(s, known) })
}

// NodeScript declares, in JavaScript, node(ELEMENT): what other programs make of an element
// of ours in a tree.
const NodeScript = `const node = (() => {
  const roles = { checkbox: 'CheckBox', checkmenuitem: 'MenuItem', columnheader: 'HeaderItem', combobox: 'ComboBox', dialog: 'Window', entry: 'Edit',
    filler: 'Pane', frame: 'Window', heading: 'Text', icon: 'Image', label: 'Text', link: 'Hyperlink', listitem: 'ListItem', menubar: 'MenuBar', menuitem: 'MenuItem',
    pagetab: 'TabItem', pagetablist: 'Tab', panel: 'Pane', paragraph: 'Text', password: 'Edit', progressbar: 'ProgressBar', radiobutton: 'RadioButton',
    radiomenuitem: 'MenuItem', row: 'DataItem', cell: 'DataItem', scrollbar: 'ScrollBar', spinbutton: 'Spinner', statusbar: 'StatusBar', text: 'Edit',
    titlebar: 'TitleBar', togglebutton: 'Button', toolbar: 'ToolBar', tooltip: 'ToolTip', treeitem: 'TreeItem' };
  const node = (e) => {
    const has = (state) => (e.states ?? []).includes(state), b = e.bounds;
    return { id: e.id ?? e.ref, attributes: { role: roles[e.role] ?? e.role[0].toUpperCase() + e.role.slice(1), name: e.name ?? e.label, label: e.label, text: e.text,
      value: e.text, description: e.description, id: e.id ?? e.ref, is_toggled: has('checked') || has('pressed'), is_selected: has('selected'), is_focused: has('focused'), enabled: has('enabled'),
      bounds: b && [b.x, b.y, b.w, b.h] }, children: (e.children ?? []).map(node) };
  };
  return node;
})();
`
