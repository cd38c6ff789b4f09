package service

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"understudy/steps"
)

// Variable is the environment variable that, with the value off, has every command do its
// work in its own process.
const Variable = "UNDERSTUDY_SERVICE"

// Command is the command of this program that is the service. Start starts it.
const Command = "keep-folder"

// Off reports whether commands work without a service.
func Off() bool { return os.Getenv(Variable) == "off" }

// startResult is how a start went: one line on the standard output of the service.
type startResult struct {
	Code  steps.Code `json:"code,omitempty"`
	Error string     `json:"error,omitempty"`
	Next  string     `json:"next,omitempty"`
}

// Start starts this program with arguments that make it the service of a data folder, and
// returns when it serves the folder or could not.
func Start(ctx context.Context, dir string, args ...string) error {
	cmd, from, err := command(dir, args)
	if err != nil {
		return failed(err)
	}
	defer from.Close()
	go func() { _ = cmd.Wait() }() // it may outlive us
	stop := context.AfterFunc(ctx, func() { _ = from.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReader(from).ReadBytes('\n')
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var r startResult
	if err != nil || json.Unmarshal(line, &r) != nil {
		return failed(fmt.Errorf("it ended before it answered; see its log %s", logName(dir)))
	}
	if r.Error != "" {
		return steps.Errorf(r.Code, "%s", r.Error).WithNext(r.Next)
	}
	return nil
}

func failed(err error) error {
	return steps.Errorf(steps.Unavailable, "starting the service of the data folder: %w", err).
		WithNext("work without it: " + Variable + "=off")
}

// command starts the service, and returns what it reports.
func command(dir string, args []string) (*exec.Cmd, *os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	log, err := openLog(dir)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer to.Close()
	self, err := itself()
	if err == nil {
		// The arguments begin with the name of this process, by which tests know what it is.
		cmd := &exec.Cmd{Path: self, Args: append([]string{os.Args[0]}, args...), Dir: dir, Stdout: to, Stderr: log, SysProcAttr: detached()}
		if err = cmd.Start(); err == nil {
			return cmd, from, nil
		}
	}
	_ = from.Close()
	return nil, nil, err
}

// Report tells who started the service how the start went.
func Report(to io.Writer, err error) error {
	var r startResult
	if err != nil {
		e := steps.AsError(err)
		r = startResult{e.Code, err.Error(), e.Next}
	}
	raw, err := json.Marshal(r)
	if err == nil {
		_, err = to.Write(append(raw, '\n'))
	}
	return err
}
