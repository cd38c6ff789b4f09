package kinds

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/testing/fake"
	"understudy/internal/testing/scratch"
	"understudy/steps"
)

// samples are arguments that each kind takes, such that it has something to
// wait for.
var samples = map[string]map[string]any{
	"get_applications_and_windows_list": {}, "get_window_tree": {}, "capture_screenshot": {}, "validate_element": args("selector", "name:x"),
	"wait_for_element": args("selector", "name:x", "timeout_ms", 60000.0), "click_element": args("selector", "name:x", "timeout_ms", 60000.0),
	"invoke_element": args("selector", "name:x"), "hover_element": args("selector", "name:x"), "type_into_element": args("selector", "name:x", "text_to_type", "x"),
	"press_key": args("key", "a"), "set_value": args("selector", "name:x", "value", "1"), "set_selected": args("selector", "name:x", "state", true),
	"select_option": args("selector", "name:x", "option_name", "x"), "scroll_element": args("selector", "name:x"), "activate_element": args("selector", "name:x"),
	"highlight_element": args("selector", "name:x"), "stop_highlighting": {}, "press_key_global": args("key", "a"), "type_text": args("text", "x"),
	"hold_key": args("do", "down", "key", "a"), "mouse_move": args("x", 1.0, "y", 1.0), "hold_button": args("do", "down"),
	"mouse_drag": args("start_x", 1.0, "start_y", 1.0, "end_x", 9.0, "end_y", 9.0), "scroll": {}, "open_application": args("app_name", "x"),
	"open_url": args("url", "http://x"), "change_window": args("do", "maximize", "title", "x"), "close_window": args("title", "x"),
	"move_window": args("title", "x", "width", 9.0), "get_clipboard": {}, "set_clipboard": args("text", "x"),
	"find_image": args("image", "x.png"), "wait_for_image": args("image", "x.png"), "wait_for_idle": {}, "get_pixel_color": args("x", 1.0, "y", 1.0),
	"read_text": {}, "delay": args("duration", "1h"), "set_env": args("values", map[string]any{}), "assert": args("condition", true), "log": args("message", "x"),
	"fail": {}, "ask_user": args("question", "x"), "run_command": args("run", "sleep 60"), "read_file": args("path", "x"), "write_file": args("path", "x", "content", "x"),
	"edit_file": args("path", "x", "old_string", "a", "new_string", "b"), "copy_content": args("source_path", "x", "target_path", "y"),
	"navigate_browser": args("url", "http://x"), "execute_browser_script": args("script", "1"), "list_tabs": {}, "activate_tab": {}, "close_tab": {}, "wait_for_page": {}, "read_page": {},
	"glob_files": args("pattern", "**"), "grep_files": args("pattern", "x"),
}

// Every kind ends soon when it is told to, whether the desktop answers slowly
// or never shows what is wanted.
func TestEveryKindEndsWhenCancelled(t *testing.T) {
	for _, k := range All() {
		a, ok := samples[k.Name]
		if !ok {
			t.Errorf("%s: no sample of its arguments", k.Name)
			continue
		}
		for _, slow := range []time.Duration{0, time.Hour} {
			t.Run(fmt.Sprintf("%s/%s", k.Name, slow), func(t *testing.T) {
				if k.Name == "run_command" { // a process needs real time, and on a busy machine more than a step gives it
					endsWhenCancelled(t, k, a, slow, time.Until(scratch.Deadline(t)))
					return
				}
				synctest.Test(t, func(t *testing.T) { endsWhenCancelled(t, k, a, slow, 250*time.Millisecond) })
			})
		}
	}
}

func endsWhenCancelled(t *testing.T, k steps.Kind, a map[string]any, slow, within time.Duration) {
	const after = 300 * time.Millisecond
	d := fake.New(fake.MustParse(notes)...)
	defer d.Close()
	d.Delay("*", slow)
	env := seeing(d)
	env.Dir = t.TempDir()
	env.Roots, env.Environ = []string{env.Dir}, os.Environ()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	time.AfterFunc(after, cancel)
	start := time.Now()
	o := k.Run(ctx, env, a)
	if late := time.Since(start) - after; late > within {
		t.Errorf("it ended %s after it was cancelled", late)
	}
	if ctx.Err() != nil && code(o) != steps.Cancelled {
		t.Errorf("got %v, want cancelled", o.Err)
	}
	if o.Abandoned && within < time.Second {
		t.Error("it had to be abandoned")
	}
}

func TestAStepTimeoutNamesWhatItWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o := ClickElement.Run(ctx, seeing(fake.New(fake.MustParse(notes)...)), args("selector", "name:Delete"))
		if code(o) != steps.Timeout || !strings.Contains(o.Err.Error(), "is disabled") {
			t.Errorf("got %v, want a timeout that says that the button is disabled", o.Err)
		}
	})
}
