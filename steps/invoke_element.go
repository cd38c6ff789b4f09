package steps

// InvokeElement does an element's own action, without the mouse.
var InvokeElement = Define[InvokeArgs, ElementResult](Kind{
	Name:    "invoke_element",
	Summary: "Do an element's own action (press a button, follow a link, open a menu) without the mouse.",
	Details: "Works also when the element is covered or scrolled away.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, InvokeArgs{Target: aimed, Around: around}, nil)

// InvokeArgs says which element to invoke.
type InvokeArgs struct {
	Target
	Action string `json:"action,omitzero" jsonschema:"the name of the action; without it the element's default"`
	Around
}
