package confined

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"understudy/steps"
	"understudy/steps/desktop"
)

// Application returns an error if starting a program amounts to running commands. It
// allows only what is installed for all users: in the roots and in the home folder
// applications could have saved anything.
func Application(env *steps.Env, t desktop.LaunchTarget) error {
	named := t.Entry == ""
	switch {
	case named && len(t.Args) > 1:
		return fmt.Errorf("%q has arguments", t.Args[0])
	case named && strings.ContainsAny(t.Args[0], `/\`):
		return fmt.Errorf("%s is a path", t.Args[0])
	case t.Terminal:
		return fmt.Errorf("%s opens a terminal", t.Entry)
	}
	for _, arg := range append(slices.Clone(t.Args), t.File, realPath(t.File)) {
		switch name := programName(arg); {
		case slices.Contains(consoles, name):
			return fmt.Errorf("%s runs the commands that are typed into it", name)
		case named && slices.Contains(runners, name):
			return fmt.Errorf("%s runs commands and other programs", name)
		}
	}
	for _, file := range []string{t.File, t.Entry} {
		if folder := changeable(env, file); folder != "" {
			return fmt.Errorf("%s is in %s, where steps and applications may have put it", file, folder)
		}
	}
	return nil
}

// PlainName reports whether a name is certainly no command line, no shell and no
// terminal, before it is resolved.
func PlainName(name string) bool {
	listed := slices.Concat(consoles, runners)
	return name != "" && !strings.ContainsAny(name, " \t\n\"'\\/") && !slices.Contains(listed, programName(strings.TrimSuffix(name, ".desktop")))
}

// Document returns an error if opening a file with its default program may amount to
// running commands, or if the file may not be read.
func Document(env *steps.Env, path steps.Path) error {
	if !filepath.IsAbs(string(path)) {
		return steps.Errorf(steps.Invalid, "%s: wanted the whole path of a file", path)
	}
	f, err := Find(env, path, "")
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Root.Stat(f.Rel)
	if err != nil {
		return f.Error(err)
	}
	for _, name := range []string{f.Path, realPath(f.Path)} {
		if runtime.GOOS == "windows" || strings.EqualFold(filepath.Ext(name), ".desktop") || info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return steps.Errorf(steps.Denied, "%s is no document, and might be run", f.Path).
				WithNext("ask the operator to start the server with --toolsets core,shell")
		}
	}
	return nil
}

// changeable returns the folder that holds a file and that steps or the applications of
// the user can change, or "".
func changeable(env *steps.Env, file string) string {
	folders := slices.Clone(env.Roots)
	if home, err := os.UserHomeDir(); err == nil && home != filepath.Dir(home) {
		folders = append(folders, home)
	}
	for _, folder := range folders {
		for _, at := range []string{file, realPath(file)} {
			for _, in := range []string{folder, realPath(folder)} {
				if rel, err := filepath.Rel(in, at); err == nil && file != "" && filepath.IsLocal(rel) {
					return folder
				}
			}
		}
	}
	return ""
}

// programName returns the name of a program without its folder and version: python3.12
// is python, and gnome-terminal.wrapper is gnome-terminal.
func programName(file string) string {
	name := strings.TrimSuffix(desktop.ProgramName(filepath.Base(file)), ".wrapper")
	return strings.TrimRight(name, "0123456789.-")
}

// consoles are programs into which commands can be typed: terminals and launchers.
var consoles = strings.Fields(`
	alacritty aterm cool-retro-term deepin-terminal eterm foot footclient ghostty gnome-console gnome-terminal guake hyper kgx kitty
	konsole lxterm lxterminal mate-terminal mlterm mrxvt ptyxis qterminal roxterm rxvt rxvt-unicode sakura st stterm tabby terminal
	terminator terminology termite tilda tilix urxvt urxvtc urxvtcd uxterm wezterm wezterm-gui windowsterminal wt x-terminal-emulator
	xfce-terminal xfce4-terminal xterm yakuake zutty
	albert bemenu-run dmenu_run fuzzel gmrun krunner rofi synapse tofi-run ulauncher wofi xfce4-appfinder xfrun
`)

// runners are programs that run given commands, code or programs: shells, interpreters,
// editors with a command line, and programs that start or end others.
var runners = strings.Fields(`
	ash bash busybox cmd csh dash elvish fish ksh mksh nu powershell pwsh rbash sash sh tcsh toybox xonsh yash zsh
	awk bc bun clisp cscript dc deno ed elixir emacs emacsclient erl expect gawk gdb ghci gjs gnuplot groovy guile gvim ipython irb java
	jdb jshell julia lldb lua luajit m mawk mshta nano nawk nim node nodejs nvim nvim-qt ocaml octave original-awk osascript perl php pry
	pypy python pythonw racket raku rscript ruby sbcl scala sed sqlite swift tclsh ts-node tsx vi view vim vimdiff wish wscript
	at batch bwrap chroot chrt crontab dbus-launch dbus-run-session dex distrobox doas docker env exo-open fakeroot find firejail flatpak
	flock gapplication gio gksu gtk-launch gtk4-launch init ionice kde-open kdesu kioclient kstart kubectl less linux ltrace make man
	more msiexec ncat nc nice ninja nohup nsenter open parallel pkexec podman prlimit proot regsvr run run-parts rundll runuser runcon
	screen script sem setarch setpriv setsid sg snap socat ssh start start-stop-daemon startx stdbuf strace su sudo systemctl
	systemd-run taskset telnet time timeout tmux toolbox unshare uv valgrind watch watchexec wine wmic wsl xargs xdg-open
	xdg-terminal-exec xdotool xinit xvfb-run ydotool
	halt poweroff reboot shutdown telinit
`)
