module understudy

go 1.26

require (
	github.com/godbus/dbus/v5 v5.2.2
	github.com/google/go-cmp v0.7.0
)

require golang.org/x/sys v0.27.0 // indirect
