package shell

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
)

// Input writes lines of JSON to a program while it runs.
type Input struct {
	first json.RawMessage
	to    *os.File
}

// connect makes a pipe the standard input of a program that is not started yet, and begins
// to write the first line. The caller calls end when the program has ended. A pipe, unlike
// another reader, needs no goroutine that the end of the program would have to wait for.
func (i *Input) connect(ctx context.Context, c *exec.Cmd) (end func(), err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.Stdin, i.to = from, to
	free := context.AfterFunc(ctx, func() { to.Close() }) // nobody reads it any more
	written := make(chan struct{})
	go func() {
		defer close(written)
		i.Write(i.first)
	}()
	return func() {
		from.Close()
		<-written
		free()
		to.Close()
	}, nil
}

// Write writes a line. A program that does not read it has ended, or is being ended.
func (i *Input) Write(line []byte) { _, _ = i.to.Write(append(line, '\n')) }
