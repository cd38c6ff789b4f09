package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"understudy/internal/clients"
	"understudy/internal/words"
	"understudy/steps"
)

// clientFlags are what init is told of an MCP client.
type clientFlags struct {
	client string
	write  bool
	http   string
}

func (f *clientFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.client, "client", "", "an MCP client: "+strings.Join(clients.Names(), ", "))
	cmd.Flags().BoolVar(&f.write, "write", false, "write into the client's file")
	cmd.Flags().StringVar(&f.http, "http", "", "call a server that listens already (default http://"+defaultAddress+"/mcp)")
	cmd.Flags().Lookup("http").NoOptDefVal = "http://" + defaultAddress + "/mcp"
}

// refuse refuses the flags that mean nothing without a client.
func (f *clientFlags) refuse(cmd *cobra.Command) error {
	for _, name := range []string{"write", "http"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, "--%s: wanted --client too, one of %s", name, strings.Join(clients.Names(), ", "))
		}
	}
	return nil
}

func (a *app) initClient(cmd *cobra.Command, f *clientFlags, args []string) error {
	client, ok := clients.Find(f.client)
	if !ok {
		return usage(cmd, "there is no client %q here; %s", f.client, words.DidYouMean(f.client, clients.Names()))
	}
	server, err := a.asServer(cmd, client, f, args)
	if err != nil {
		return err
	}
	system, err := clients.ThisSystem()
	if err != nil {
		return &steps.Error{Code: steps.Unavailable, Err: err, Next: "set HOME"}
	}
	path := client.File(system)
	if !f.write {
		return a.printClient(client, server, path)
	}
	return a.writeClient(client, server, path)
}

// asServer is this program as the client starts it, or calls it.
func (a *app) asServer(cmd *cobra.Command, client clients.Client, f *clientFlags, args []string) (clients.Server, error) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 && len(args) > 0 || dash > 0 {
		return clients.Server{}, usage(cmd, "wanted no file with --client, found %q; flags of the server stand after --", args[0])
	}
	if f.http == "" {
		command, err := thisCommand()
		if err != nil {
			return clients.Server{}, err
		}
		args = append([]string{"mcp"}, args...)
		if a.home != "" {
			dir, err := filepath.Abs(a.home)
			if err != nil {
				return clients.Server{}, err
			}
			args = append(args, "--home", dir)
		}
		return clients.Server{Command: command, Args: args}, nil
	}
	if !client.CallsHTTP() {
		return clients.Server{}, usage(cmd, "--http: the file of %s names only servers that it starts itself; leave --http out", client.Title)
	}
	if len(args) > 0 {
		return clients.Server{}, usage(cmd, "--http: %q is for `understudy serve`, which somebody else starts", args[0])
	}
	if !strings.HasPrefix(f.http, "http://") && !strings.HasPrefix(f.http, "https://") {
		return clients.Server{}, usage(cmd, "--http=%s: wanted an address such as http://%s/mcp", f.http, defaultAddress)
	}
	return clients.Server{URL: f.http}, nil
}

// thisCommand is the whole path of this program, for a client may have another
// PATH: the one in PATH if that leads here, since it stays when a newer version
// takes the place of this one.
func thisCommand() (string, error) {
	here, err := os.Executable()
	if err != nil {
		return "", err
	}
	known, err := exec.LookPath(clients.Name)
	if err != nil {
		return here, nil
	}
	a, errA := os.Stat(known)
	b, errB := os.Stat(here)
	if errA != nil || errB != nil || !os.SameFile(a, b) {
		return here, nil
	}
	return filepath.Abs(known)
}

func (a *app) printClient(client clients.Client, server clients.Server, path string) error {
	text, err := client.With(nil, clients.Name, server)
	if err != nil {
		return err
	}
	if _, err := a.out.Write(text); err != nil {
		return err
	}
	if !a.quiet {
		fmt.Fprintf(a.errOut, "next: merge it into %s, or let --write do it\n", path)
	}
	return nil
}

func (a *app) writeClient(client clients.Client, server clients.Server, path string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "make it readable, or do without --write"}
	}
	text, err := client.With(old, clients.Name, server)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s was left as it is: %w", path, err), Next: "mend it, then do this again"}
	}
	backup, err := clients.Replace(path, text)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s was left as it is: %w", path, err), Next: "make its folder writable, or do without --write"}
	}
	if a.quiet {
		return nil
	}
	fmt.Fprintln(a.out, path)
	switch {
	case string(text) == string(old):
		fmt.Fprintln(a.errOut, "it said so already")
	case backup != "":
		fmt.Fprintf(a.errOut, "what was there before is in %s\n", backup)
	}
	if server.URL != "" {
		fmt.Fprintln(a.errOut, "next: understudy serve, which must run when it is called")
	}
	fmt.Fprintf(a.errOut, "next: %s\nthen: understudy doctor\n", client.Next)
	return nil
}
