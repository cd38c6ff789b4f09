//go:build linux

package wire

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write protocol.go again")

// used lists the parts of the protocols that are used: an interface and the version that is
// requested, its requests, and after a bar its events. A star marks interfaces that are announced,
// and "made" those whose objects the compositor creates. Everything else is omitted, so that no
// generated code is unused.
const used = `
wl_display 1: sync get_registry | error delete_id
wl_registry 1: | global global_remove
wl_callback 1: | done
*wl_compositor 4: create_surface create_region |
wl_surface 4: destroy attach damage_buffer commit set_input_region |
wl_region 1: destroy |
*wl_shm 1: create_pool |
wl_shm_pool 1: create_buffer destroy |
wl_buffer 1: destroy |
*wl_output 4: release | geometry mode name
*wl_seat 5: get_pointer get_keyboard | capabilities
wl_pointer 5: release | enter
wl_keyboard 5: | keymap
*zwlr_virtual_pointer_manager_v1 2: create_virtual_pointer |
zwlr_virtual_pointer_v1 2: motion motion_absolute button frame axis_source axis_discrete |
*zwp_virtual_keyboard_manager_v1 1: create_virtual_keyboard |
zwp_virtual_keyboard_v1 1: keymap key modifiers |
*zwlr_screencopy_manager_v1 3: capture_output |
zwlr_screencopy_frame_v1 3: copy destroy | buffer flags ready failed buffer_done
*zwlr_data_control_manager_v1 1: create_data_source get_data_device |
zwlr_data_control_device_v1 1: set_selection | data_offer selection
zwlr_data_control_source_v1 1: offer destroy | send cancelled
zwlr_data_control_offer_v1 1 made: receive destroy | offer
*zxdg_output_manager_v1 2: get_xdg_output |
zxdg_output_v1 2: destroy | logical_position logical_size
*org_kde_kwin_fake_input 4: authenticate pointer_motion_absolute button axis keyboard_key |
*zwlr_layer_shell_v1 1: get_layer_surface |
zwlr_layer_surface_v1 1: set_size set_anchor set_exclusive_zone set_margin ack_configure destroy | configure
`

type protocolFile struct {
	Interfaces []struct {
		Name     string    `xml:"name,attr"`
		Requests []message `xml:"request"`
		Events   []message `xml:"event"`
	} `xml:"interface"`
}

type message struct {
	Name string `xml:"name,attr"`
	Args []arg  `xml:"arg"`
}

type arg struct {
	Name      string `xml:"name,attr"`
	Type      string `xml:"type,attr"`
	Interface string `xml:"interface,attr"`
}

// use is a line of used.
type use struct {
	announced, made  bool
	name, version    string
	requests, events []string
	protocol         struct{ requests, events []message }
}

// The protocol in Go is what the generator writes for the protocol files.
func TestProtocol(t *testing.T) {
	want := generate(t)
	if *update {
		if err := os.WriteFile("protocol.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("protocol.go")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("protocol.go is not what `go generate` writes (-want +got):\n%s", diff)
	}
}

// A generator writes the protocol in Go.
type generator struct {
	bytes.Buffer
	listens map[string]bool // the interfaces with events that are used, by their names in Go
}

func (g *generator) put(format string, args ...any) { fmt.Fprintf(g, format, args...) }

func generate(t *testing.T) []byte {
	t.Helper()
	g := &generator{listens: map[string]bool{}}
	g.put("//go:build linux\n\n// Code generated from the protocol files by `go generate`. DO NOT EDIT.\n\npackage wire\n\nimport \"os\"\n")
	list := uses(t)
	for _, u := range list {
		g.listens[typeOf(u.name)] = len(u.events) > 0
	}
	for _, u := range list {
		g.writeInterface(u)
	}
	text, err := format.Source(g.Bytes())
	if err != nil {
		t.Fatalf("%v in:\n%s", err, g.Bytes())
	}
	return text
}

// uses reads the table, and the protocol files for each line.
func uses(t *testing.T) (list []*use) {
	t.Helper()
	byName := map[string]*use{}
	for line := range strings.Lines(strings.TrimSpace(used)) {
		head, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		requests, events, _ := strings.Cut(rest, "|")
		words := strings.Fields(head)
		u := &use{
			announced: words[0][0] == '*', made: len(words) > 2, name: strings.TrimPrefix(words[0], "*"), version: words[1],
			requests: strings.Fields(requests), events: strings.Fields(events),
		}
		list = append(list, u)
		byName[u.name] = u
	}
	files, err := filepath.Glob("protocols/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatalf("the protocol files are not here: %v", err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var p protocolFile
		if err := xml.Unmarshal(text, &p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, i := range p.Interfaces {
			if u := byName[i.Name]; u != nil {
				u.protocol.requests, u.protocol.events = i.Requests, i.Events
			}
		}
	}
	return list
}

// typeOf returns the name of an interface in Go: ScreencopyFrame for zwlr_screencopy_frame_v1.
func typeOf(iface string) string {
	family, name, _ := strings.Cut(strings.TrimPrefix(iface, "org_kde_"), "_")
	if family == "zxdg" { // there are interfaces with the same name and without it
		name = "xdg_" + name
	}
	return exported(strings.TrimSuffix(name, "_v1"))
}

func exported(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func unexported(name string) string {
	name = exported(name)
	name = strings.ToLower(name[:1]) + name[1:]
	if name == "interface" {
		return "iface"
	}
	return name
}

func (a arg) goType() string {
	switch a.Type {
	case "int":
		return "int32"
	case "fixed":
		return "float64"
	case "string":
		return "string"
	case "fd":
		return "*os.File"
	case "object", "new_id":
		if a.Interface != "" { // otherwise only the ID is known
			return typeOf(a.Interface)
		}
	}
	return "uint32"
}

func (g *generator) writeInterface(u *use) {
	name, param, events := typeOf(u.name), "", "nil"
	g.put("\n// %s is the interface %s.\ntype %s struct{ Object }\n", name, u.name, name)
	if g.listens[name] {
		g.writeEvents(u, name)
		param, events = ", events "+name+"Events", "events"
	}
	if u.announced {
		g.put("\nfunc Bind%s(c *Conn, n int%s) (%s, error) {\n", name, param, name)
		g.put("o, err := c.bind(%q, n, %s, %s)\nreturn %s{o}, err\n}\n", u.name, u.version, events, name)
	}
	if u.made {
		g.put("\nfunc (o %s) Listen(events %sEvents) { o.conn.listen(o.id, events) }\n", name, name)
	}
	for op, m := range u.protocol.requests {
		if slices.Contains(u.requests, m.Name) {
			g.writeRequest(m, name, op)
		}
	}
}

// writeEvents writes the type with the functions for events, each with the number of its event.
func (g *generator) writeEvents(u *use, name string) {
	g.put("\ntype %sEvents struct {\n", name)
	for op, m := range u.protocol.events {
		if !slices.Contains(u.events, m.Name) {
			continue
		}
		var params []string
		for _, a := range m.Args {
			params = append(params, unexported(a.Name)+" "+a.goType())
		}
		g.put("%s func(%s) `event:\"%d\"`\n", exported(m.Name), strings.Join(params, ", "), op)
	}
	g.put("}\n")
}

func (g *generator) writeRequest(m message, of string, op int) {
	args := []string{fmt.Sprint(op)}
	var params []string
	made := ""
	for _, a := range m.Args {
		if a.Type == "new_id" {
			made = typeOf(a.Interface)
			args = append(args, "newID{}")
			continue
		}
		params = append(params, unexported(a.Name)+" "+a.goType())
		suffix := ""
		if a.Type == "object" {
			suffix = ".Object"
		}
		args = append(args, unexported(a.Name)+suffix)
	}
	if made == "" {
		g.put("\nfunc (o %s) %s(%s) { o.conn.send(o.id, %s) }\n", of, exported(m.Name), strings.Join(params, ", "), strings.Join(args, ", "))
		return
	}
	events := "nil"
	if g.listens[made] {
		params, events = append(params, "events "+made+"Events"), "events"
	}
	args = slices.Insert(args, 1, events)
	g.put("\nfunc (o %s) %s(%s) %s {\nreturn %s{o.conn.create(o.id, %s)}\n}\n", of, exported(m.Name), strings.Join(params, ", "), made, made, strings.Join(args, ", "))
}
