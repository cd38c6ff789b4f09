package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/pe"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// small returns a release of programs that print a word, with all that installs them.
func small(t *testing.T, site string) (r release, products map[string]file) {
	t.Helper()
	r = release{Version: version{Text: "1.2.3", Time: time.Unix(1e9, 0)}, Site: site}
	var all []file
	for _, target := range allTargets {
		f, err := r.archive(target, []byte("#!/bin/sh\necho here\n"), shared{license: file{"LICENSE", 0o644, nil}, readme: file{"README.md", 0o644, nil}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	more, err := r.managers(all)
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, more...)
	products = map[string]file{}
	for _, f := range append(all, sums(all)) {
		products[f.Name] = f
	}
	return r, products
}

func TestInstallScript(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is a script of a Unix shell")
	}
	needs(t, "curl")
	for _, row := range []struct {
		say     string
		spoil   func(map[string]file, string)
		environ string
		want    string // of the error; empty: it is installed
	}{
		{"the program is installed", func(map[string]file, string) {}, "", ""},
		{"a changed package is refused", func(p map[string]file, name string) {
			p[name] = file{name, 0o644, append(p[name].Body, 0)}
		}, "", "differs from its checksum"},
		{"a package without a checksum is refused", func(p map[string]file, _ string) {
			p["SHA256SUMS"] = file{"SHA256SUMS", 0o644, nil}
		}, "", "has no checksum"},
		{"a package that is not there is named", func(p map[string]file, name string) { delete(p, name) }, "", "could not be fetched"},
		{"without an address it asks for one", func(map[string]file, string) {}, "SITE=", "set SITE"},
	} {
		t.Run(row.say, func(t *testing.T) {
			r, products := small(t, "")
			row.spoil(products, r.name(target{runtime.GOOS, runtime.GOARCH})+".tar.gz")
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				f, ok := products[strings.TrimPrefix(q.URL.Path, "/")]
				if !ok {
					http.NotFound(w, q)
					return
				}
				_, _ = w.Write(f.Body)
			}))
			defer site.Close()
			dir := t.TempDir()
			if err := products["install.sh"].write(dir); err != nil {
				t.Fatal(err)
			}
			environ := []string{"PREFIX=" + dir, "SITE=" + site.URL}
			if row.environ != "" {
				environ = append(environ, row.environ)
			}
			out, err := commandIn(t, dir, environ, "sh", "install.sh")
			program := filepath.Join(dir, "bin", "understudy")
			if row.want != "" {
				if _, there := os.Stat(program); err == nil || there == nil || !strings.Contains(out, row.want) {
					t.Errorf("wanted %q, and no program; found %v: %s", row.want, err, out)
				}
				return
			}
			if err != nil || command(t, dir, program) != "here\n" {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// TestTheContainerInstallsThePackage reads the file as its builder would: it copies packages
// that the release has, and starts the program as its user.
func TestTheContainerInstallsThePackage(t *testing.T) {
	r, products := small(t, "")
	text := string(products["Containerfile"].Body)
	for _, target := range allTargets {
		if target.OS != "linux" {
			continue
		}
		f, err := r.debian(target, []byte("x"), shared{})
		if err != nil {
			t.Fatal(err)
		}
		pattern := "understudy_*_" + target.Arch + ".deb"
		if ok, err := filepath.Match(pattern, f.Name); !ok || err != nil {
			t.Errorf("%s is not copied by %s", f.Name, pattern)
		}
	}
	if label := fmt.Sprintf("LABEL io.modelcontextprotocol.server.name=%q\n", r.registryName()); !strings.Contains(text, label) {
		t.Errorf("%s is missing in:\n%s", label, text)
	}
	if !strings.Contains(text, "COPY understudy_*_${TARGETARCH}.deb") || strings.Index(text, "USER person") > strings.Index(text, "ENTRYPOINT") {
		t.Errorf("the container does not install the package, or runs as root:\n%s", text)
	}
}

func TestManagersNameTheSite(t *testing.T) {
	_, without := small(t, "")
	if len(without) != len(allTargets)+3 {
		t.Errorf("a release without an address has %d files, want its archives, the script, the container and the sums", len(without))
	}
	r, with := small(t, "https://example.com/packages/")
	text := string(with["understudy.rb"].Body)
	for _, target := range allTargets {
		url, sum := r.source([]file{with[r.name(target)+".tar.gz"], with[r.name(target)+".zip"]}, target)
		where := text
		if target.OS == "windows" {
			where = string(with["understudy.json"].Body)
		}
		if !strings.HasPrefix(url, "https://example.com/packages/understudy-1.2.3-") || !strings.Contains(where, url) || !strings.Contains(where, sum) {
			t.Errorf("%s: wanted %s with %s in\n%s", target, url, sum, where)
		}
	}
	if strings.Contains(text, "@") {
		t.Errorf("something was not filled in:\n%s", text)
	}
	if script := string(with["install.sh"].Body); !strings.Contains(script, "site=${SITE:-https://example.com/packages}") {
		t.Error("the script does not know the address")
	}
	var winget struct {
		InstallerType string
		Installers    []struct {
			InstallerSha256      string
			NestedInstallerFiles []struct{ RelativeFilePath string }
		}
	}
	err := json.Unmarshal(with["winget/Understudy.Understudy.installer.yaml"].Body, &winget)
	if err != nil || winget.InstallerType != "zip" || len(winget.Installers) != 2 {
		t.Fatalf("the manifest for winget: %v, %+v", err, winget)
	}
	archive := with[r.name(target{"windows", "amd64"})+".zip"].Body
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	inside := strings.ReplaceAll(winget.Installers[0].NestedInstallerFiles[0].RelativeFilePath, `\`, "/")
	if _, err := z.Open(inside); err != nil || !strings.EqualFold(winget.Installers[0].InstallerSha256, fmt.Sprintf("%x", sha256.Sum256(archive))) {
		t.Errorf("winget would not find %s, or not take the archive: %v", inside, err)
	}
	var manifest struct{ Bin string }
	if err := json.Unmarshal(with["understudy.json"].Body, &manifest); err != nil || manifest.Bin != "understudy.exe" {
		t.Errorf("the manifest for Scoop: %v, %q", err, manifest.Bin)
	}
}

// The resources of the program for Windows are what its loader and Explorer look for.
func TestResourcesAreFound(t *testing.T) {
	r := release{Version: version{Text: "1.2.3-0.20261129"}}
	for _, arch := range []string{"amd64", "arm64"} {
		object, err := pe.NewFile(bytes.NewReader(r.resources(arch)))
		if err != nil {
			t.Fatal(err)
		}
		section := object.Section(".rsrc")
		raw, err := section.Data()
		if err != nil || len(section.Relocs) != 2 || len(object.Symbols) != 1 {
			t.Fatalf("%s: %v, %d relocations and %d symbols, want 2 and 1", arch, err, len(section.Relocs), len(object.Symbols))
		}
		for i, want := range map[int]string{16: "1.2.3-0.20261129", 24: "PerMonitorV2"} {
			body := resourceOf(t, raw, uint32(i))
			if i == 16 {
				body = strings.ReplaceAll(body, "\x00", "")
			}
			if !strings.Contains(body, want) {
				t.Errorf("%s: the resource %d lacks %q", arch, i, want)
			}
		}
	}
}

// resourceOf returns the only resource of a type.
func resourceOf(t *testing.T, section []byte, kind uint32) string {
	t.Helper()
	at, is := uint32(0), kind
	for range 3 {
		number := func(at uint32) uint32 { return binary.LittleEndian.Uint32(section[at:]) }
		entries := binary.LittleEndian.Uint16(section[at+14:])
		found := false
		for i := range uint32(entries) {
			if e := at + 16 + i*8; !found && (is == 0 || number(e) == is) {
				at, found = number(e+4)&^0x8000_0000, true
			}
		}
		if !found {
			t.Fatalf("there is no resource of the type %d", kind)
		}
		is = 0
	}
	start, size := binary.LittleEndian.Uint32(section[at:]), binary.LittleEndian.Uint32(section[at+4:])
	return string(section[start : start+size])
}
