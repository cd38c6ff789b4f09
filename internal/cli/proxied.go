package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"understudy/internal/clients"
	"understudy/steps"
)

// proxy has the client start one of its servers through the proxy, or without it again.
func (c *clientSetup) proxy(cmd *cobra.Command, args []string) error {
	through := c.Through != ""
	c.name = cmp.Or(c.Through, c.Without)
	switch {
	case len(args) > 0 || c.HTTP != "" || through && c.Without != "":
		return usage(cmd, "--through-proxy and --without-proxy: wanted one of them, and no more than --write with it")
	case !c.client.Edited():
		return usage(cmd, "%s is not edited by this program; put `understudy proxy --log FILE --` before the command of %s there", c.path, c.name)
	}
	server, err := c.named()
	if err != nil {
		return err
	}
	program, err := thisCommand()
	if err != nil {
		return err
	}
	dir, err := c.folder()
	if err != nil {
		return err
	}
	log := filepath.Join(dir, "proxy-"+filepath.Base(c.name)+".log")
	if server, err = server.Proxied(program, []string{"proxy", "--log", log, "--"}, through); err != nil {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s in %s: %w", clean(c.name), c.path, err)}
	}
	if through {
		defer c.tell("the messages will be in %s", log)
	}
	if c.Write {
		return c.write(server)
	}
	return c.printSnippet(server)
}

// named returns the server of the client with the name.
func (c *clientSetup) named() (clients.Server, error) {
	text, err := os.ReadFile(c.path)
	var all []clients.Entry
	if err == nil {
		all, err = c.client.Servers(text, "")
	}
	if err != nil {
		return clients.Server{}, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s: %w", c.path, err)}
	}
	i := slices.IndexFunc(all, func(e clients.Entry) bool { return e.Name == c.name })
	if i < 0 {
		return clients.Server{}, &steps.Error{
			Code: steps.NotFound, Err: fmt.Errorf("%s has no server %q", c.path, c.name), Next: "`understudy doctor --all-servers` names them",
		}
	}
	return all[i].Server, nil
}
