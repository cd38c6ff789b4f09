package local_test

import (
	"regexp"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

// The words that an application shows have refs, and a click on one presses what it stands
// on; one that does not stand there any more is refused.
func TestWordsOfATreeArePressed(t *testing.T) {
	s := look(t, "zenity", "tesseract")
	s.launch("zenity --question --title=Quest --text=Elephants", "Quest")
	s.resting("window:Quest >> button|Yes")
	tree := s.run(kinds.GetWindowTree, "process", "zenity", "include_ocr", true)
	text, _ := tree.Result["ui_tree"].(string)
	found := regexp.MustCompile(`label "Yes" \[ref=(e\d+)\]`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no word Yes in\n%s", text)
	}
	s.well(kinds.ClickElement, "ref", found[1], "vision_type", "ocr")
	s.well(kinds.WaitForElement, "selector", "window:Quest", "condition", "gone", "timeout_ms", 10_000.0)
	if o := s.run(kinds.ClickElement, "ref", found[1]); steps.CodeOf(o.Err) != steps.NotFound {
		t.Errorf("a word that is gone: %v", o.Err)
	}
}
