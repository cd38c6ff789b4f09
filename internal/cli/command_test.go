package cli

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestFlagsOfFields(t *testing.T) {
	type shared struct {
		Wait time.Duration `flag:"wait" usage:"how long"`
	}
	f := struct {
		shared
		*app          // no flags: they are those of another command
		Name   string `flag:"name,n" usage:"what it is called"`
		Many   []string
		Pairs  repeated `flag:"pair" usage:"a=b"`
		Dry    bool     `json:"dry_run,omitempty" jsonschema:"change nothing"`
		Target string   `json:"target" arg:"RUN"`
	}{shared: shared{Wait: time.Minute}, Name: "x"}
	cmd := withFlags(&cobra.Command{Use: "test"}, &f)
	const want = `      --dry-run            change nothing
  -n, --name string        what it is called (default "x")
      --pair stringArray   a=b
      --wait duration      how long (default 1m0s)
`
	if diff := cmp.Diff(want, cmd.Flags().FlagUsages()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := cmd.ParseFlags([]string{"-n", "y", "--pair", "a=1,2", "--pair", "b=3", "--wait", "1s", "--dry-run"}); err != nil {
		t.Fatal(err)
	}
	if f.Name != "y" || f.Wait != time.Second || !f.Dry || len(f.Pairs) != 2 || f.Pairs[0] != "a=1,2" {
		t.Errorf("parsed %+v", f)
	}
}
