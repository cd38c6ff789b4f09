package main

import (
	_ "embed"
	"strings"
)

// summary describes the program in one line, short enough for every catalogue.
const summary = "Records what a person does on a desktop, keeps it as a workflow, and plays it back durably."

// authors is the author that every package names.
const authors = "The Understudy authors"

var (
	//go:embed files/understudy.service
	serviceText string
	//go:embed files/understudy-task.xml
	taskText string
)

// task returns the task of Windows that serves while a person is logged on, in the encoding
// that schtasks reads.
func task() file {
	return file{"understudy-task.xml", 0o644, append([]byte{0xff, 0xfe}, utf16le(taskText)...)}
}

// service returns the systemd unit for a program at a path.
func service(program string) file {
	return file{"understudy.service", 0o644, []byte(strings.ReplaceAll(serviceText, "@PROGRAM@", program))}
}

// archive returns the archive that people unpack by hand.
func (r release) archive(t target, program []byte, s shared) (file, error) {
	files := []file{{t.program(), 0o755, program}, s.license, s.readme}
	for _, c := range s.completions {
		files = append(files, c.in("completions"))
	}
	if t.OS == "linux" {
		files = append(files, service("/usr/local/bin/understudy"))
	}
	if t.OS == "windows" {
		files = append(files, task())
	}
	for i, f := range files {
		files[i] = f.in(r.name(t))
	}
	if t.OS == "windows" {
		body, err := zipped(r.Version.Time, files)
		return file{r.name(t) + ".zip", 0o644, body}, err
	}
	body, err := tarball("", r.Version.Time, files)
	return file{r.name(t) + ".tar.gz", 0o644, body}, err
}
