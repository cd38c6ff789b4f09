package steps

// ActivateElement brings the window of an element to the front and focuses it.
var ActivateElement = Define[ActivateElementArgs, ElementResult](Kind{
	Name:       "activate_element",
	Summary:    "Bring an element's window to the front and give the element the focus.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, ActivateElementArgs{Target: aimed, Around: around}, nil)

// ActivateElementArgs says which element to bring to the front.
type ActivateElementArgs struct {
	Target
	Around
}
