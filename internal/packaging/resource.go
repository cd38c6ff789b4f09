package main

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"unicode/utf16"
)

//go:embed files/understudy.manifest
var windowsManifest []byte

// withResources calls build while an object file with the version and the manifest of the
// program for Windows lies beside its sources, where the linker of Go finds it.
func (r release) withResources(t target, build func() error) error {
	if t.OS != "windows" {
		return build()
	}
	object := filepath.Join(r.Root, "resources_windows_"+t.Arch+".syso")
	if err := os.WriteFile(object, r.resources(t.Arch), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(object) }()
	return build()
}

// The types of resources, and the language English of the United States, as all are.
const (
	versionType, manifestType = 16, 24
	english                   = 0x409
)

// resources returns an object file in the format COFF with the resources of the program.
func (r release) resources(arch string) []byte {
	machine, relocation := uint16(0x8664), uint16(3) // AMD64, IMAGE_REL_AMD64_ADDR32NB
	if arch == "arm64" {
		machine, relocation = 0xaa64, 2
	}
	section, places := directory([]resource{{versionType, r.versionResource()}, {manifestType, windowsManifest}})
	const header, sectionHeader, relocationSize = 20, 40, 10
	start := uint32(header + sectionHeader)
	relocations := start + uint32(len(section))
	symbols := relocations + uint32(len(places))*relocationSize
	var b bytes.Buffer
	put := func(values ...any) { // into memory, which cannot fail
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	name := [8]byte{'.', 'r', 's', 'r', 'c'}
	put(machine, uint16(1), uint32(0), symbols, uint32(1), uint16(0), uint16(0))
	const initialized, readable = 0x40, 0x4000_0000
	put(name, uint32(0), uint32(0), uint32(len(section)), start, relocations, uint32(0), uint16(len(places)), uint16(0), uint32(initialized|readable))
	put(section)
	for _, place := range places {
		put(place, uint32(0), relocation)
	}
	const static = 3
	put(name, uint32(0), uint16(1), uint16(0), uint8(static), uint8(0)) // the symbol of the section
	put(uint32(4))                                                      // the table of strings is empty
	return b.Bytes()
}

type resource struct {
	kind uint32
	body []byte
}

// directory returns the section of resources, and the places in it that hold addresses. It has
// three levels: types, names, of which each type has one, and languages.
func directory(all []resource) (section []byte, places []uint32) {
	const table, entry, leaf, below = 16, 8, 16, 0x8000_0000
	n := uint32(len(all))
	names := uint32(table) + n*entry
	leaves := names + n*2*(table+entry)
	bodies := leaves + n*leaf
	var b, data bytes.Buffer
	put := func(values ...uint32) {
		_ = binary.Write(&b, binary.LittleEndian, values)
	}
	begin := func(entries uint32) { put(0, 0, 0, entries<<16) }
	begin(n)
	for i, r := range all {
		put(r.kind, below|(names+uint32(i)*2*(table+entry)))
	}
	for i := range n {
		at := names + i*2*(table+entry)
		begin(1)
		put(1, below|(at+table+entry))
		begin(1)
		put(english, leaves+i*leaf)
	}
	for i, r := range all {
		places = append(places, leaves+uint32(i)*leaf)
		put(bodies+uint32(data.Len()), uint32(len(r.body)), 0, 0)
		data.Write(r.body)
		data.Write(make([]byte, -len(r.body)&7))
	}
	return append(b.Bytes(), data.Bytes()...), places
}

// numbered matches the number of a version.
var numbered = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)`)

// versionResource returns what Explorer shows as the details of the program.
func (r release) versionResource() []byte {
	var parts [3]uint16
	for i, text := range numbered.FindStringSubmatch(r.Version.Text)[1:] {
		n, _ := strconv.ParseUint(text, 10, 16)
		parts[i] = uint16(n)
	}
	high, low := uint32(parts[0])<<16|uint32(parts[1]), uint32(parts[2])<<16
	var fixed bytes.Buffer
	const signature, structure, windowsNT, application = 0xfeef_04bd, 0x1_0000, 0x4_0004, 1
	_ = binary.Write(&fixed, binary.LittleEndian, []uint32{signature, structure, high, low, high, low, 0x3f, 0, windowsNT, application, 0, 0, 0})
	var texts []byte
	for _, pair := range [][2]string{
		{"CompanyName", authors},
		{"FileDescription", "Understudy"},
		{"FileVersion", r.Version.Text},
		{"InternalName", "understudy"},
		{"LegalCopyright", "MIT License"},
		{"OriginalFilename", "understudy.exe"},
		{"ProductName", "Understudy"},
		{"ProductVersion", r.Version.Text},
	} {
		texts = append(texts, versionBlock(pair[0], true, wide(pair[1]), nil)...)
	}
	translation := []byte{english & 0xff, english >> 8, 0xb0, 0x04} // and UTF-16
	children := versionBlock("StringFileInfo", true, nil, versionBlock(fmt.Sprintf("%04x04b0", english), true, nil, texts))
	children = append(children, versionBlock("VarFileInfo", true, nil, versionBlock("Translation", false, translation, nil))...)
	return versionBlock("VS_VERSION_INFO", false, fixed.Bytes(), children)
}

// versionBlock returns a block of a version, at a multiple of four bytes, as its parts are.
func versionBlock(key string, text bool, value, children []byte) []byte {
	const head = 6
	body := padded(append(make([]byte, head), wide(key)...))
	body = append(body, value...)
	if children != nil {
		body = append(padded(body), children...)
	}
	size, kind := len(value), uint16(0)
	if text {
		size, kind = size/2, 1 // counted in characters
	}
	binary.LittleEndian.PutUint16(body, uint16(len(body)))
	binary.LittleEndian.PutUint16(body[2:], uint16(size))
	binary.LittleEndian.PutUint16(body[4:], kind)
	return padded(body)
}

func padded(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }

// wide returns a text in UTF-16, with a zero at its end.
func wide(text string) []byte { return utf16le(text + "\x00") }

func utf16le(text string) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, utf16.Encode([]rune(text)))
	return b.Bytes()
}
