package aim

import (
	"fmt"
	"strings"

	"understudy/internal/words"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// maxDialogText bounds how much of a dialog's text a hint quotes.
const maxDialogText = 80

// DialogIsOpen begins the description of a dialog.
const DialogIsOpen = "a dialog is open"

// DialogHint describes the dialog that shows among roots, with its text and its
// buttons, or returns "". An unexpected dialog is the usual reason why an element is
// not found.
func DialogHint(roots []*desktop.Element) string {
	var dialog *desktop.Element
	for _, r := range roots {
		r.Walk(func(e *desktop.Element) bool {
			if isDialog(e) && (dialog == nil || e.States.Has(desktop.Active)) {
				dialog = e
			}
			return true
		})
	}
	if dialog == nil {
		return ""
	}
	said, buttons := "", []string{}
	dialog.Walk(func(e *desktop.Element) bool {
		switch name := selector.NameOf(e); {
		case name == "" || !e.States.Has(desktop.Showing):
		case e.Role == "label" && said == "":
			said = name
		case e.Role == "button":
			buttons = append(buttons, fmt.Sprintf("%q", name))
		}
		return true
	})
	text := DialogIsOpen + ": " + Describe(dialog)
	if said != "" {
		text += fmt.Sprintf(" (%q)", words.Shorten(strings.Join(strings.Fields(said), " "), maxDialogText))
	}
	if len(buttons) > 0 {
		text += " with the buttons " + strings.Join(buttons, ", ")
	}
	return text
}

func isDialog(e *desktop.Element) bool {
	return e.States.Has(desktop.Showing) && (e.Role == "dialog" || e.Role == "alert" && e.Window != 0 || e.States.Has(desktop.IsModal))
}
