module understudy

go 1.26

require (
	github.com/expr-lang/expr v1.17.8
	github.com/google/go-cmp v0.7.0
	github.com/google/jsonschema-go v0.4.3
	github.com/oklog/ulid/v2 v2.1.1
	go.yaml.in/yaml/v4 v4.0.0
)

require github.com/bmatcuk/doublestar/v4 v4.10.4
