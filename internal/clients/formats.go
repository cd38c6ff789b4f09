package clients

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"
)

func fromJSON(text []byte) ([]byte, error) {
	plain, err := hujson.Standardize(slices.Clone(text))
	if err != nil {
		return nil, readable(err)
	}
	return plain, nil
}

func fromTOML(text []byte) ([]byte, error) {
	var v map[string]any
	if err := toml.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	return json.Marshal(v)
}

func fromYAML(text []byte) ([]byte, error) {
	var v map[string]any
	if err := yaml.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("it is not YAML: %w", err)
	}
	return json.Marshal(v)
}

func inYAML(key, name string, fields []field) ([]byte, error) {
	entry := map[string]any{}
	for _, f := range fields {
		entry[f.name] = f.value
	}
	return yaml.Marshal(map[string]any{key: map[string]any{name: entry}})
}
