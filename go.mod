module understudy

go 1.26

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/jsonschema-go v0.4.3
)

require github.com/bmatcuk/doublestar/v4 v4.10.4
