package workflows

import (
	"strings"
	"testing"

	"understudy/steps/kinds"
)

// TestNoSecretIsWrittenIntoACommandLine writes a secret input into each argument that
// becomes a command line.
func TestNoSecretIsWrittenIntoACommandLine(t *testing.T) {
	found := 0
	for _, k := range kinds.All() {
		if k.Beyond == nil {
			continue
		}
		found++
		for text, refused := range map[string]bool{
			"${{ inputs.pw }}": true, "${{ pw }}": true, "https://x/${{ pw }}": true, "https://x/${{ toBase64('u:' + inputs.pw) }}": true, "${{ inputs['pw'] }}": true,
			"${{ inputs.page }}": false, "https://x/${{ page }}": false, "https://x/pw": false,
		} {
			p := problems(t, "variables: {pw: {type: string, secret: true}, page: {type: string}}\nsteps: [{tool_name: "+k.Name+", arguments: {"+k.Beyond.Argument+": \""+text+"\"}}]", nil)
			if refused != (len(p) == 1 && strings.Contains(p[0], "command line") && strings.Contains(p[0], "type_into_element")) || !refused && len(p) > 0 {
				t.Errorf("%s with %s: %q", k.Name, text, p)
			}
		}
	}
	if found < 2 {
		t.Errorf("%d kinds make a command line of an argument", found)
	}
}
