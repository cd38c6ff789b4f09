module understudy

go 1.26

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/jsonschema-go v0.4.3
	go.etcd.io/bbolt v1.5.0
	golang.org/x/sys v0.45.0
)
