package vision

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"os/exec"
	"strconv"
	"strings"

	"understudy/internal/desktop"
)

// Word is one word that was read.
type Word struct {
	Text       string
	Bounds     desktop.Rect
	Confidence float64 // from 0 to 1
	Line       int     // words of one line have the same number
}

// enlarge is the factor by which a picture is enlarged before it is read: letters on a
// screen are smaller than those on paper, for which tesseract is made.
const enlarge = 2

// Words reads the text on a picture with the tesseract command. The language
// is one of tesseract's, such as "eng" or "eng+deu"; "" is "eng".
func Words(ctx context.Context, img image.Image, language string) ([]Word, error) {
	path, err := exec.LookPath("tesseract")
	if err != nil {
		return nil, &desktop.MissingError{What: "text on the screen cannot be read: the program tesseract is missing", Mend: "apt-get install tesseract-ocr"}
	}
	language = cmp.Or(language, "eng")
	b := img.Bounds()
	if b.Empty() {
		return nil, nil
	}
	var picture, text, complaint bytes.Buffer
	large := Scale(img, desktop.Size{W: enlarge * b.Dx(), H: enlarge * b.Dy()})
	encoder := png.Encoder{CompressionLevel: png.NoCompression}
	if err := encoder.Encode(&picture, large); err != nil {
		return nil, err
	}
	// Sparse text: a screen is no page with paragraphs.
	cmd := exec.CommandContext(ctx, path, "stdin", "stdout", "-l", language, "--psm", "11", "--dpi", "144", "tsv")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &picture, &text, &complaint
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if strings.Contains(complaint.String(), "loading language") {
			return nil, &desktop.MissingError{What: "tesseract cannot read the language " + language, Mend: "apt-get install tesseract-ocr-" + language}
		}
		return nil, fmt.Errorf("reading text: tesseract: %w: %s", err, strings.TrimSpace(complaint.String()))
	}
	return readWords(&text)
}

// readWords reads tesseract's table of words.
func readWords(r io.Reader) ([]Word, error) {
	const level, block, paragraph, line, left, top, width, height, confidence, text = 0, 2, 3, 4, 6, 7, 8, 9, 10, 11
	var words []Word
	lines := map[[3]string]int{}
	rows := bufio.NewScanner(r) // its table quotes nothing
	rows.Buffer(nil, 1<<20)
	for rows.Scan() {
		f := strings.Split(rows.Text(), "\t")
		const word = "5"
		if len(f) <= text || f[level] != word || strings.TrimSpace(f[text]) == "" {
			continue
		}
		key := [3]string{f[block], f[paragraph], f[line]}
		if _, ok := lines[key]; !ok {
			lines[key] = len(lines)
		}
		number := func(i int) int { n, _ := strconv.Atoi(f[i]); return n / enlarge }
		percent, _ := strconv.ParseFloat(f[confidence], 64)
		words = append(words, Word{
			Text:       f[text],
			Bounds:     desktop.Rect{X: number(left), Y: number(top), W: number(width), H: number(height)},
			Confidence: percent / 100,
			Line:       lines[key],
		})
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading tesseract's table: %w", err)
	}
	return words, nil
}
