package cli

import (
	"github.com/spf13/cobra"

	"understudy/steps/desktop"
)

type displayFlags struct{ display, screen string }

func (f *displayFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.display, "display", "auto", "auto, virtual, or a display such as :0")
	cmd.Flags().StringVar(&f.screen, "screen", "", "the size of a virtual screen (default 1920x1080)")
}

func (f *displayFlags) options(cmd *cobra.Command) (desktop.Options, error) {
	o := desktop.Options{Display: f.display}
	if f.screen == "" {
		return o, nil
	}
	size, err := desktop.ParseSize(f.screen)
	if err != nil {
		return o, usage(cmd, "--screen: %w", err)
	}
	o.Screen = size
	return o, nil
}
