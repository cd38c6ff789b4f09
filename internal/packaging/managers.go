package main

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	//go:embed files/install.sh
	installScript string
	//go:embed files/understudy.rb
	formula string
	//go:embed files/Containerfile
	containerfile string
)

// managers returns what installs the products: a script and the file of a container, and
// where the address of the packages is known, a formula for Homebrew, and manifests for Scoop
// and winget.
func (r release) managers(products []file) (files []file, err error) {
	files = append(files, file{"install.sh", 0o755, []byte(r.filled(installScript, nil))}, file{"Containerfile", 0o644, []byte(r.filled(containerfile, nil))})
	if r.Site == "" {
		return files, nil
	}
	files = append(files, file{"understudy.rb", 0o644, []byte(r.filled(formula, products))})
	manifest, err := r.scoop(products)
	if err != nil {
		return nil, err
	}
	more, err := r.winget(products)
	return append(append(files, manifest), more...), err
}

// marks are the places of a text that a release fills in.
var marks = regexp.MustCompile(`( *)@([a-z]+/[a-z0-9]+|VERSION|SITE|REGISTRY)@`)

// filled fills in the version, the address, and for a target the lines of a formula.
func (r release) filled(text string, products []file) string {
	return marks.ReplaceAllStringFunc(text, func(mark string) string {
		indent, name := mark[:strings.IndexByte(mark, '@')], strings.Trim(mark, " @")
		switch name {
		case "VERSION":
			return indent + r.Version.Text
		case "SITE":
			return indent + r.site()
		case "REGISTRY":
			return indent + r.registryName()
		}
		system, arch, _ := strings.Cut(name, "/")
		url, sum := r.source(products, target{system, arch})
		return fmt.Sprintf("%surl %q\n%ssha256 %q", indent, url, indent, sum)
	})
}

// source returns the address of the archive for a target, and its checksum; both are
// empty if the release has none.
func (r release) source(products []file, t target) (url, sum string) {
	i := slices.IndexFunc(products, func(f file) bool {
		return f.Name == r.name(t)+".tar.gz" || f.Name == r.name(t)+".zip"
	})
	if i < 0 {
		return "", ""
	}
	return r.address(products[i]), fmt.Sprintf("%x", sha256.Sum256(products[i].Body))
}

// scoop returns the manifest for Scoop, a package manager of Windows.
func (r release) scoop(products []file) (file, error) {
	machines := object{}
	for name, arch := range map[string]string{"64bit": "amd64", "arm64": "arm64"} {
		t := target{"windows", arch}
		if url, sum := r.source(products, t); url != "" {
			machines[name] = object{"url": url, "hash": sum, "extract_dir": r.name(t)}
		}
	}
	return document("understudy.json", object{
		"version": r.Version.Text, "description": summary, "license": "MIT", "homepage": r.site(),
		"architecture": machines, "bin": "understudy.exe",
	})
}

// winget returns the manifests for winget, the package manager of Windows: JSON is YAML, too.
func (r release) winget(products []file) (files []file, err error) {
	const id, format = "Understudy.Understudy", "1.6.0"
	var installers []object
	for _, m := range []struct{ name, arch string }{{"x64", "amd64"}, {"arm64", "arm64"}} {
		t := target{"windows", m.arch}
		if url, sum := r.source(products, t); url != "" {
			installers = append(installers, object{
				"Architecture": m.name, "InstallerUrl": url, "InstallerSha256": strings.ToUpper(sum),
				"NestedInstallerFiles": []object{{"RelativeFilePath": r.name(t) + `\understudy.exe`, "PortableCommandAlias": "understudy"}},
			})
		}
	}
	for _, m := range []struct {
		ending, kind string
		more         object
	}{
		{"", "version", object{"DefaultLocale": "en-US"}},
		{".installer", "installer", object{"InstallerType": "zip", "NestedInstallerType": "portable", "Installers": installers}},
		{".locale.en-US", "defaultLocale", object{
			"PackageLocale": "en-US", "Publisher": authors, "PackageName": "Understudy", "License": "MIT", "ShortDescription": summary, "PackageUrl": r.site(),
		}},
	} {
		maps.Copy(m.more, object{"PackageIdentifier": id, "PackageVersion": r.Version.Text, "ManifestType": m.kind, "ManifestVersion": format})
		f, err := document(id+m.ending+".yaml", m.more)
		if err != nil {
			return nil, err
		}
		files = append(files, f.in("winget"))
	}
	return files, nil
}
