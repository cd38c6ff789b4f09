package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"understudy/internal/clients"
	"understudy/internal/words"
	"understudy/steps"
)

type clientFlags struct {
	client string
	write  bool
	http   string
	token  string // the file that holds it
}

func (f *clientFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.client, "client", "", "an MCP client: "+strings.Join(clients.Names(), ", "))
	cmd.Flags().BoolVar(&f.write, "write", false, "write into the client's file")
	cmd.Flags().StringVar(&f.http, "http", "", "call a server that listens already (default http://"+defaultAddress+"/mcp)")
	cmd.Flags().StringVar(&f.token, "token", "", "with --http: the file that holds the client's token, or - for the standard input")
	cmd.Flags().Lookup("http").NoOptDefVal = "http://" + defaultAddress + "/mcp"
}

func (f *clientFlags) refuse(cmd *cobra.Command) error {
	for _, name := range []string{"write", "http", "token"} {
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
	if f.http != "" {
		return a.listening(cmd, client, f, args)
	}
	if f.token != "" {
		return clients.Server{}, usage(cmd, "--token: wanted --http too; a server that the client starts asks for none")
	}
	return a.started(args)
}

// started is this program as a client starts it.
func (a *app) started(args []string) (clients.Server, error) {
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

// listening is a server that somebody else starts, as a client calls it.
func (a *app) listening(cmd *cobra.Command, client clients.Client, f *clientFlags, args []string) (clients.Server, error) {
	if !client.CallsHTTP() {
		return clients.Server{}, usage(cmd, "--http: the file of %s names only servers that it starts itself; leave --http out", client.Title)
	}
	if len(args) > 0 {
		return clients.Server{}, usage(cmd, "--http: %q is for `understudy serve`, which somebody else starts", args[0])
	}
	u, err := url.Parse(f.http)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return clients.Server{}, usage(cmd, "--http=%s: wanted an address such as http://%s/mcp", f.http, defaultAddress)
	}
	server := clients.Server{URL: f.http}
	if f.token == "" {
		return server, nil
	}
	if u.Scheme == "http" && onNetwork(u.Hostname()) {
		return server, usage(cmd, "--http=%s: whoever is on the way could read the token; wanted an https address, or a tunnel to one of this machine", f.http)
	}
	token, err := a.credential(cmd, f.token)
	server.Headers = map[string]string{"Authorization": "Bearer " + token}
	return server, err
}

// longestCredential is more than any token has.
const longestCredential = 16 << 10

// credential reads a token from a file, or from the standard input. No flag takes
// the token itself, for everyone on a machine can read the flags of programs.
func (a *app) credential(cmd *cobra.Command, from string) (string, error) {
	in := a.in
	if from != "-" {
		f, err := os.Open(from)
		if err != nil {
			return "", &steps.Error{Code: steps.Invalid, Err: err, Next: "name the file that holds the token, or - for the standard input"}
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, longestCredential))
	token := strings.TrimSpace(string(text))
	if err == nil && (token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })) {
		return "", usage(cmd, "--token %s: wanted one token and nothing else, as `understudy token add` writes it", from)
	}
	return token, err
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
	backup, err := clients.Replace(path, text, len(server.Headers) > 0)
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
	if u, err := url.Parse(server.URL); err == nil && server.URL != "" && !onNetwork(u.Hostname()) {
		fmt.Fprintln(a.errOut, "next: understudy serve, which must run when it is called")
	}
	fmt.Fprintf(a.errOut, "next: %s\nthen: understudy doctor\n", client.Next)
	return nil
}
