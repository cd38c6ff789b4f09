package extension

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	// maxPart bounds a message to a browser, which accepts 1 MB; escaping doubles most texts.
	maxPart = 400_000
	// maxFrame bounds a message of a browser: a longer one would fill the memory.
	maxFrame = 256 << 20
)

// readFrame reads a message of the extension, without its length.
func readFrame(r io.Reader) ([]byte, error) {
	var n uint32
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	if n > maxFrame {
		return nil, fmt.Errorf("a message of %d bytes: wanted at most %d", n, maxFrame)
	}
	text := make([]byte, n)
	_, err := io.ReadFull(r, text)
	return text, err
}

// frameReader reads the messages of the extension as a broker does: each ends with a zero byte.
type frameReader struct {
	from io.Reader
	rest []byte
}

func (f *frameReader) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		text, err := readFrame(f.from)
		if err != nil {
			return 0, err
		}
		text = append(text, 0)
		f.rest = text
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// frameWriter writes each message of a broker to the extension, in parts that are short enough.
type frameWriter struct{ to io.Writer }

// part is a part of a message.
type part struct {
	Part string `json:"part"`
	More bool   `json:"more"`
}

func (f frameWriter) Write(p []byte) (int, error) {
	for text := p[:len(p)-1]; ; {
		n := min(len(text), maxPart)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		raw, err := json.Marshal(part{string(text[:n]), n < len(text)})
		if err != nil {
			return 0, err
		}
		if _, err := f.to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(raw))), raw...)); err != nil {
			return 0, err
		}
		if text = text[n:]; len(text) == 0 {
			return len(p), nil
		}
	}
}
