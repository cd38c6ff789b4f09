package compile

// The kinds of the steps that are written.
const (
	assert          = "assert"
	changeWindow    = "change_window"
	clickElement    = "click_element"
	closeWindow     = "close_window"
	getClipboard    = "get_clipboard"
	hoverElement    = "hover_element"
	invokeElement   = "invoke_element"
	mouseDrag       = "mouse_drag"
	navigateBrowser = "navigate_browser"
	openApplication = "open_application"
	pressKey        = "press_key"
	pressKeyGlobal  = "press_key_global"
	scroll          = "scroll"
	scrollElement   = "scroll_element"
	selectOption    = "select_option"
	setSelected     = "set_selected"
	setValue        = "set_value"
	typeIntoElement = "type_into_element"
	typeText        = "type_text"
	validateElement = "validate_element"
	waitForElement  = "wait_for_element"
)
