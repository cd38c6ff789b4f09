package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	System   string `json:"system"`
}

func versionCommand(a *app) *cobra.Command {
	var f jsonFlag
	return withFlags(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			v := thisVersion()
			return a.show(f.JSON, v, func(line func(...any)) {
				line(fmt.Sprintf("understudy %s (%s, %s)", v.Version, v.Go, v.System))
			})
		},
	}, &f)
}

// stamped is the version that the linker sets when packages are built.
var stamped string

func thisVersion() versionInfo {
	v := versionInfo{Version: "unknown", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Version = cmp.Or(b.Main.Version, v.Version)
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	v.Version = cmp.Or(stamped, v.Version)
	return v
}
