package watch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"

	"understudy/recorder"
)

// journal keeps the events and pictures of a recording, in memory and on the disk.
type journal struct {
	log      *recorder.Log // nil: only in memory
	folder   string        // of the pictures
	events   []recorder.Event
	flushed  int // events that are in the log
	pictures int // pictures that were written
	failed   error
	stop     context.CancelCauseFunc // called when writing fails
}

func (j *journal) fail(err error) {
	if j.failed = err; err != nil {
		j.stop(err)
	}
}

// flush writes and syncs the new events.
func (j *journal) flush() {
	unwritten := j.events[j.flushed:]
	j.flushed = len(j.events)
	if j.failed == nil && j.log != nil {
		j.fail(j.log.Write(unwritten...))
	}
}

func (j *journal) removePictures(pictures []string) error {
	for _, name := range pictures {
		if err := os.Remove(filepath.Join(j.folder, name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// erase returns an event without a value. It removes the event's picture if that shows the value.
func (j *journal) erase(ev recorder.Event, value string) recorder.Event {
	clean, showed := recorder.Without(ev, value)
	if showed && ev.Picture != "" {
		clean.Picture = ""
		if err := j.removePictures([]string{ev.Picture}); err != nil {
			j.fail(err)
		}
	}
	return clean
}

// replace rewrites the events.
func (j *journal) replace(events []recorder.Event) error {
	j.events, j.flushed = events, len(events)
	if j.log == nil {
		return nil
	}
	return j.log.Replace(events)
}

// savePicture writes a picture, and returns the file's name; "" for no picture.
func (j *journal) savePicture(p *image.RGBA) string {
	if p == nil || j.failed != nil {
		return ""
	}
	j.pictures++
	name := fmt.Sprintf("%d.png", j.pictures)
	if err := writePicture(filepath.Join(j.folder, name), p); err != nil {
		j.fail(fmt.Errorf("the pictures of the recording: %w", err))
	}
	return name
}

// writePicture writes a file that only its owner may read.
func writePicture(file string, p image.Image) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(f, p)
	return errors.Join(err, f.Close())
}
