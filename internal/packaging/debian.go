package main

import (
	"bytes"
	"crypto/md5" //nolint:gosec // what dpkg wants
	"fmt"
	"strings"
)

// depends is what a virtual display needs; recommends is what only some kinds of steps,
// the first workflow and shell completion need.
var (
	depends    = []string{"at-spi2-core", "dbus-daemon | dbus", "openbox", "x11-xkb-utils", "xclip", "xvfb"}
	recommends = []string{"bash-completion", "fonts-dejavu-core", "mousepad", "tesseract-ocr", "xdg-utils"}
)

// debian returns the package for Debian and Ubuntu; other systems have none.
func (r release) debian(t target, program []byte, s shared) (file, error) {
	if t.OS != "linux" {
		return file{}, nil
	}
	files := []file{
		{"usr/bin/understudy", 0o755, program},
		service("/usr/bin/understudy").in("usr/lib/systemd/user"),
		s.license.at("usr/share/doc/understudy/copyright"),
		s.completions["bash"].in("usr/share/bash-completion/completions"),
		s.completions["zsh"].in("usr/share/zsh/vendor-completions"),
		s.completions["fish"].in("usr/share/fish/vendor_completions.d"),
	}
	data, err := tarball("./", r.Version.Time, files)
	if err != nil {
		return file{}, err
	}
	control, err := tarball("./", r.Version.Time, []file{r.control(t, files), checksums(files)})
	if err != nil {
		return file{}, err
	}
	body := r.ar([]file{
		{"debian-binary", 0o644, []byte("2.0\n")},
		{"control.tar.gz", 0o644, control},
		{"data.tar.gz", 0o644, data},
	})
	return file{fmt.Sprintf("understudy_%s_%s.deb", r.Version.debian(), t.Arch), 0o644, body}, nil
}

func (r release) control(t target, files []file) file {
	size := 0
	for _, f := range files {
		size += len(f.Body)
	}
	var b strings.Builder
	for _, field := range [][2]string{
		{"Package", "understudy"},
		{"Version", r.Version.debian()},
		{"Architecture", t.Arch}, // Go and Debian use the same names for these two
		{"Maintainer", authors},
		{"Installed-Size", fmt.Sprint((size + 1023) / 1024)},
		{"Depends", strings.Join(depends, ", ")},
		{"Recommends", strings.Join(recommends, ", ")},
		{"Section", "utils"},
		{"Priority", "optional"},
		{"Description", "record, keep and replay what a person does on a desktop\n " + summary + "\n It is also a server for clients of the Model Context Protocol."},
	} {
		fmt.Fprintf(&b, "%s: %s\n", field[0], field[1])
	}
	return file{"control", 0o644, []byte(b.String())}
}

// checksums returns the checksums that `dpkg --verify` compares with.
func checksums(files []file) file {
	var b bytes.Buffer
	for _, f := range sorted(files) {
		fmt.Fprintf(&b, "%x  %s\n", md5.Sum(f.Body), f.Name) //nolint:gosec // what dpkg wants
	}
	return file{"md5sums", 0o644, b.Bytes()}
}

// ar returns the archive format of Debian packages: a header of 60 characters before
// each member, and members padded to an even length.
func (r release) ar(members []file) []byte {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, m := range members {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.Name, r.Version.Time.Unix(), 0, 0, fmt.Sprintf("%o", 0o100000|m.Mode), len(m.Body))
		b.Write(m.Body)
		if len(m.Body)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
