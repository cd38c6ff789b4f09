// Command understudy records what a person does on a desktop, keeps it as a
// workflow and plays it back. It chooses the desktop of this machine; all else
// is in the packages below.
package main

import (
	"context"
	"os"

	"understudy/internal/cli"
	"understudy/internal/desktop/local"
)

func main() {
	os.Exit(cli.Main(context.Background(), local.Machine{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
