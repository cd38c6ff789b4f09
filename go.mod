module understudy

go 1.26

require (
	github.com/expr-lang/expr v1.17.8
	github.com/google/jsonschema-go v0.4.3
)

require github.com/google/go-cmp v0.7.0
