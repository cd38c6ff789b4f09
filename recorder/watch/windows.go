package watch

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
)

// pollWindows notes which windows came, went, and got the keyboard.
func (r *recording) pollWindows(ctx context.Context) {
	windows, err := r.desktop.Windows(ctx)
	if err != nil || r.paused {
		return
	}
	before := r.windows
	r.windows = windows
	for _, w := range without(before, windows) {
		r.writeWindow(recorder.Event{Type: recorder.Closed, Window: &w})
		if w.Popup && r.choice != nil && r.choice.listOpen {
			r.rereadChoice()
		}
	}
	for _, w := range without(windows, before) {
		if w.Popup && r.under.seen != nil && r.under.when.After(r.lastEffect) {
			r.write(recorder.Event{Type: recorder.Rested, Time: r.under.when, At: r.under.at, Element: r.under.seen})
		}
		command, origins := "", []int(nil)
		if !w.Popup {
			command, origins = commandLine(w.PID), parentPIDs(w.PID)
		}
		r.writeWindow(recorder.Event{Type: recorder.Opened, Window: &w, Command: command, Origins: origins})
	}
	if was, now := before.Active(), windows.Active(); now != nil && (was == nil || was.ID != now.ID) {
		r.writeWindow(recorder.Event{Type: recorder.Switched, Window: now})
		r.focus.programMoved()
	}
}

// writeWindow writes what happened to a window.
func (r *recording) writeWindow(ev recorder.Event) {
	ev.Time = time.Now()
	r.write(ev)
	r.under = underPointer{}
	r.scheduleLook(restDelay)
}

// without are the windows of a list that another lacks.
func without(list, other desktop.Windows) desktop.Windows {
	return slices.DeleteFunc(slices.Clone(list), func(w desktop.Window) bool { return other.ByID(w.ID) != nil })
}

// commandLine is the command line that started a program, as a shell reads it;
// "" where the system does not say.
func commandLine(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return ""
	}
	words := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// parentPIDs are the processes that started one, the nearest first.
func parentPIDs(pid int) (pids []int) {
	const most = 16
	for range most {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return pids
		}
		// The name stands in parentheses and may hold anything.
		_, rest, _ := strings.Cut(string(text)[strings.LastIndex(string(text), ")"):], " ")
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			return pids
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil || pid <= 1 {
			return pids
		}
		pids = append(pids, pid)
	}
	return pids
}
