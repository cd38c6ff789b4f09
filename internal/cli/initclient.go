package cli

import (
	"context"
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
	"mvdan.cc/sh/v3/syntax"

	"understudy/internal/clients"
	"understudy/steps"
)

// clientSetup is the command init for an MCP client. Its tagged fields are flags.
type clientSetup struct {
	*app
	Client string `flag:"client" usage:"an MCP client: "`
	Write  bool   `flag:"write" usage:"run the client's command, or write into its file"`
	HTTP   string `flag:"http" usage:"the URL of a server that is running already"`
	Token  string `flag:"token" usage:"with --http: the file with the client's token, or - for the standard input"`

	Through string `flag:"through-proxy" usage:"start this server of the client through understudy proxy, so that its messages are logged"`
	Without string `flag:"without-proxy" usage:"start this server of the client without the proxy again"`

	client clients.Client
	path   string // the client's file
	name   string // of the server in it
}

// refuse fails if a flag was given that needs --client.
func (c *clientSetup) refuse(cmd *cobra.Command) error {
	for _, name := range []string{"write", "http", "token", "through-proxy", "without-proxy"} {
		if cmd.Flags().Changed(name) {
			return usage(cmd, "--%s: wanted --client too, one of %s", name, strings.Join(clients.Names(), ", "))
		}
	}
	return nil
}

func (c *clientSetup) init(cmd *cobra.Command, args []string) error {
	client, ok := clients.Find(c.Client)
	if !ok {
		return unknown(cmd, fmt.Sprintf("there is no client %q here", c.Client), c.Client, clients.Names())
	}
	c.client = client
	system, err := clients.ThisSystem()
	if err != nil {
		return &steps.Error{Code: steps.Unavailable, Err: err, Next: "set HOME"}
	}
	c.path, c.name = client.File(system), clients.Name
	if c.Through != "" || c.Without != "" {
		return c.proxy(cmd, args)
	}
	server, err := c.server(cmd, args)
	if err != nil {
		return err
	}
	words := client.Command(server)
	switch {
	case !c.Write:
		return c.print(words, server)
	case len(words) > 0 && (!client.Edited() || installed(words[0])):
		return c.register(cmd.Context(), words, server)
	case !client.Edited():
		return &steps.Error{
			Code: steps.Invalid, Err: fmt.Errorf("%s has comments, which this program would lose, and %s has no command that adds a server", c.path, client.Title),
			Next: "omit --write, and merge by hand what is printed",
		}
	}
	return c.write(server)
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// register has the client add the server by its own command.
func (c *clientSetup) register(ctx context.Context, words []string, server clients.Server) error {
	if !installed(words[0]) {
		return &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("there is no program %s on PATH", words[0]), Next: "install " + c.client.Title + ", then run this again"}
	}
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return &steps.Error{
			Code: steps.Unavailable, Err: fmt.Errorf("%s: %w: %s", shellWords(words), err, strings.TrimSpace(cleanLines(string(out)))),
			Next: "remove the server that it has already, then run this again",
		}
	}
	if !c.Quiet {
		fmt.Fprintln(c.out, shellWords(words))
		c.next(server)
	}
	return nil
}

// shellWords returns a command as a person types it into a shell.
func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		var err error
		if quoted[i], err = syntax.Quote(w, syntax.LangPOSIX); err != nil {
			quoted[i] = w // a character that no shell takes
		}
	}
	return strings.Join(quoted, " ")
}

// server returns this program as the client starts or calls it.
func (c *clientSetup) server(cmd *cobra.Command, args []string) (clients.Server, error) {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 && len(args) > 0 || dash > 0 {
		return clients.Server{}, usage(cmd, "wanted no file with --client, found %q; put flags of the server after --", args[0])
	}
	if c.HTTP != "" {
		return c.listening(cmd, args)
	}
	if c.Token != "" {
		return clients.Server{}, usage(cmd, "--token: wanted --http too; a server that the client starts needs none")
	}
	return c.started(args)
}

// started returns this program as a client starts it.
func (c *clientSetup) started(args []string) (clients.Server, error) {
	command, err := thisCommand()
	if err != nil {
		return clients.Server{}, err
	}
	args = append([]string{"mcp"}, args...)
	if c.Home != "" {
		dir, err := filepath.Abs(c.Home)
		if err != nil {
			return clients.Server{}, err
		}
		args = append(args, "--home", dir)
	}
	return clients.Server{Command: command, Args: args}, nil
}

// listening returns a server that is started by others, as a client calls it.
func (c *clientSetup) listening(cmd *cobra.Command, args []string) (clients.Server, error) {
	if !c.client.CallsHTTP() {
		return clients.Server{}, usage(cmd, "--http: the file of %s names only servers that it starts itself; omit --http", c.client.Title)
	}
	if len(args) > 0 {
		return clients.Server{}, usage(cmd, "--http: %q is an argument of `understudy serve`, which is started separately", args[0])
	}
	u, err := url.Parse(c.HTTP)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return clients.Server{}, usage(cmd, "--http=%s: wanted an address such as http://%s/mcp", c.HTTP, defaultAddress)
	}
	server := clients.Server{URL: c.HTTP}
	if c.Token == "" {
		return server, nil
	}
	if u.Scheme == "http" && onNetwork(u.Hostname()) {
		return server, usage(cmd, "--http=%s: anyone on the network path could read the token; wanted an https address, or a tunnel that ends on this machine", c.HTTP)
	}
	token, err := c.credential(cmd, c.Token)
	server.Headers = map[string]string{"Authorization": "Bearer " + token}
	return server, err
}

// longestCredential exceeds the length of any token.
const longestCredential = 16 << 10

// credential reads a token from a file, or from the standard input. No flag takes
// the token itself, because every user of a machine can read the flags of programs.
func (c *clientSetup) credential(cmd *cobra.Command, from string) (string, error) {
	in := c.in
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

// thisCommand returns the absolute path of this program, because a client may have
// another PATH. If PATH leads to this program, its entry is used, which stays valid
// when a newer version is installed.
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

func (c *clientSetup) print(words []string, server clients.Server) error {
	if len(words) > 0 {
		fmt.Fprintln(c.out, shellWords(words))
		c.tell("next: run this, or let --write do it")
		return nil
	}
	return c.printSnippet(server)
}

func (c *clientSetup) printSnippet(server clients.Server) error {
	text, err := c.client.Snippet(c.name, server)
	if err != nil {
		return err
	}
	if _, err := c.out.Write(text); err != nil {
		return err
	}
	if c.client.Edited() {
		c.tell("next: merge it into %s, or let --write do it", c.path)
	} else {
		c.tell("next: merge it into %s", c.path)
	}
	return nil
}

func (c *clientSetup) write(server clients.Server) error {
	old, err := os.ReadFile(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "make it readable, or omit --write"}
	}
	text, err := c.client.With(old, c.name, server)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s was left as it is: %w", c.path, err), Next: "correct it, then run this again"}
	}
	backup, err := clients.Replace(c.path, text, len(server.Headers) > 0)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s was left as it is: %w", c.path, err), Next: "make its folder writable, or omit --write"}
	}
	if c.Quiet {
		return nil
	}
	fmt.Fprintln(c.out, c.path)
	switch {
	case string(text) == string(old):
		fmt.Fprintln(c.errOut, "no change: it is set up already")
	case backup != "":
		fmt.Fprintf(c.errOut, "the previous file is kept as %s\n", backup)
	}
	c.next(server)
	return nil
}

// next says what a person does after the server was added.
func (c *clientSetup) next(server clients.Server) {
	if u, err := url.Parse(server.URL); err == nil && server.URL != "" && !onNetwork(u.Hostname()) {
		fmt.Fprintln(c.errOut, "next: understudy serve, which must be running when the client connects")
	}
	if c.client.Name == "codex" && len(server.Headers) > 0 {
		fmt.Fprintln(c.errOut, "next: export UNDERSTUDY_TOKEN with the token, which Codex reads from there")
	}
	fmt.Fprintf(c.errOut, "next: %s\nthen: understudy doctor\n", c.client.Next)
}
