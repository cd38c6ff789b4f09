// Command packaging makes what a release is made of: archives, Debian packages,
// npm packages, bundles for MCP clients, the file for the registry of MCP servers,
// and what package managers read. `make package` runs it.
//
// The same commit gives the same bytes: every timestamp is that of the commit. It
// publishes nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

// A release says what is packed, and under which names.
type release struct {
	Version   version
	Root      string // the folder of the module
	Out       string
	Targets   []target
	Scope     string // of the npm packages, such as @me; may be empty
	Namespace string // in the registry of MCP servers, such as io.github.me
	Site      string // the address of the folder from which packages will be fetched; may be empty
	Image     string // the name of the container image, with its tag; may be empty
}

func run(ctx context.Context, args []string) error {
	r := release{Targets: allTargets}
	flags := flag.NewFlagSet("packaging", flag.ContinueOnError)
	flags.StringVar(&r.Root, "root", ".", "the folder of the module")
	flags.StringVar(&r.Out, "out", filepath.Join("dist", "package"), "where the packages go; its content is removed first")
	flags.StringVar(&r.Scope, "npm-scope", "", "the scope of the npm packages, such as @me")
	flags.StringVar(&r.Namespace, "namespace", "localhost", "the namespace in the registry of MCP servers, such as io.github.me")
	flags.StringVar(&r.Site, "site", "", "the https address from which the packages will be fetched")
	flags.StringVar(&r.Image, "image", "", "the name of the container image that was pushed, such as ghcr.io/me/understudy:1.2.3")
	flags.Func("targets", "such as linux/amd64,darwin/arm64 (default all)", func(text string) (err error) {
		r.Targets, err = parseTargets(text)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if r.Version, err = gitVersion(ctx, r.Root); err != nil {
		return err
	}
	products, err := r.make(ctx)
	for _, f := range products {
		fmt.Printf("%-60s %6d KiB\n", filepath.Join(r.Out, f.Name), (len(f.Body)+1023)/1024)
	}
	return err
}

// make builds the program for each target, packs it, and writes the packages.
func (r release) make(ctx context.Context) (products []file, err error) {
	if err := os.RemoveAll(r.Out); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "packaging")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	common, err := r.sharedFiles(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, t := range r.Targets {
		packed, err := r.pack(ctx, dir, t, common)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		products = append(products, packed...)
	}
	wrapper, err := r.npmWrapper(common)
	if err != nil {
		return nil, err
	}
	registry, err := r.registry(products)
	if err != nil {
		return nil, err
	}
	products = append(products, wrapper, registry)
	managers, err := r.managers(products)
	if err != nil {
		return nil, err
	}
	products = append(products, managers...)
	products = append(products, sums(products))
	for _, f := range products {
		if err := f.write(r.Out); err != nil {
			return nil, err
		}
	}
	return products, nil
}

// pack builds the program for one target, and makes all packages of the target.
func (r release) pack(ctx context.Context, dir string, t target, common shared) (packed []file, err error) {
	path, err := r.build(ctx, dir, t)
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, way := range []func(target, []byte, shared) (file, error){r.archive, r.debian, r.npmPlatform, r.bundle} {
		f, err := way(t, program, common)
		if err != nil {
			return nil, err
		}
		if f.Name != "" { // there is no .deb for Windows
			packed = append(packed, f)
		}
	}
	return packed, nil
}

// site returns the address of the folder of the packages, without a slash at its end.
func (r release) site() string { return strings.TrimSuffix(r.Site, "/") }

// address returns from where a package will be fetched.
func (r release) address(f file) string { return r.site() + "/" + f.Name }

// name returns the base name of a package, such as understudy-1.2.3-linux-amd64.
func (r release) name(t target) string {
	return strings.Join([]string{"understudy", r.Version.Text, t.OS, t.Arch}, "-")
}
