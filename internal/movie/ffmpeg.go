package movie

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"iter"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/steps"
)

// ErrEmpty is the error of a film of scenes without any picture.
var ErrEmpty = steps.Errorf(steps.Invalid, "there are no pictures to show").WithNext("runs keep pictures unless they say captures: off")

// perSecond is the number of pictures per second that ffmpeg is given.
const perSecond = 10

// WriteVideo has ffmpeg write scenes as a video into a new file, in the format that its
// name says.
func WriteVideo(ctx context.Context, file string, scenes iter.Seq2[Scene, error]) error {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("a video needs ffmpeg: %w", err), Next: "install ffmpeg, or name a file ending in .png"}
	}
	var said bytes.Buffer
	args := []string{"-loglevel", "error", "-n", "-f", "image2pipe", "-framerate", strconv.Itoa(perSecond), "-i", "pipe:0", "-pix_fmt", "yuv420p"}
	if repeats := []string{".webp", ".gif"}; slices.Contains(repeats, strings.ToLower(filepath.Ext(file))) {
		args = append(args, "-loop", "0")
	}
	cmd := exec.CommandContext(ctx, program, append(args, "file:"+file)...)
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = errors.Join(feed(in, scenes), in.Close())
	if ended := cmd.Wait(); ended != nil {
		return fmt.Errorf("ffmpeg: %w: %s", ended, bytes.TrimSpace(said.Bytes()))
	}
	return err
}

// feed writes each frame as often as it takes to last as long as it should.
func feed(in io.Writer, scenes iter.Seq2[Scene, error]) error {
	some := false
	for f, err := range frames(scenes) {
		if err != nil {
			return err
		}
		some = true
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, f); err != nil {
			return err
		}
		for range max(1, int(f.lasts*perSecond/time.Second)) {
			if _, err := in.Write(b.Bytes()); err != nil {
				return err
			}
		}
	}
	if !some {
		return ErrEmpty
	}
	return nil
}
