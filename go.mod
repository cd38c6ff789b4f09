module understudy

go 1.26

require github.com/google/jsonschema-go v0.4.3

require github.com/oklog/ulid/v2 v2.1.1
