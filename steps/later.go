package steps

// Later are kinds that users of other sequencers know and that do not exist
// here, each with what to do instead. A document that names one is refused
// with that advice, not with "unknown".
var Later = map[string]string{
	"navigate_browser":       "not yet: use open_url, or type the address into the browser's address bar",
	"execute_browser_script": "not yet: use the elements of the page, which browsers show like those of any window",
	"gemini_computer_use":    "not offered: it needs a vendor's service; send the steps as a workflow",
	"hide_inspect_overlay":   "not needed: use stop_highlighting",
	"typecheck_workflow":     "not needed: use validate_workflow, which also checks the types of expressions",
}
