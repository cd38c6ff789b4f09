module understudy

go 1.26

require github.com/google/jsonschema-go v0.4.3

require go.yaml.in/yaml/v4 v4.0.0 // indirect
