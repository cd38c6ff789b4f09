module understudy

go 1.26

require (
	github.com/gen2brain/shm v0.2.2
	github.com/go-vgo/robotgo v1.1.0
	github.com/google/go-cmp v0.7.0
	github.com/jezek/xgb v1.3.1
	golang.org/x/image v0.43.0
	golang.org/x/text v0.39.0
)

require (
	github.com/dblohm7/wingoes v0.0.0-20260526185140-fb298caac7ca // indirect
	github.com/ebitengine/purego v0.10.1 // indirect
	github.com/jezek/xgbutil v0.0.0-20260124183602-9fd151d6a51a // indirect
	github.com/tailscale/win v0.0.0-20260619195133-2d76c33a64c1 // indirect
	github.com/vcaesar/keycode v0.20.0 // indirect
	golang.org/x/exp v0.0.0-20260611194520-c48552f49976 // indirect
	golang.org/x/sys v0.46.0 // indirect
)
