package steps

// TreeOptions say how elements are shown.
type TreeOptions struct {
	TreeMaxDepth              Count      `json:"tree_max_depth,omitzero" jsonschema:"how many levels to show; what only holds others counts for none"`
	TreeFromSelector          Selector   `json:"tree_from_selector,omitzero" jsonschema:"show only what is below this element"`
	IncludeDetailedAttributes bool       `json:"include_detailed_attributes,omitzero" jsonschema:"with verbose_json: also show descriptions, actions and attributes"`
	TreeOutputFormat          TreeFormat `json:"tree_output_format,omitzero" jsonschema:"how to write the elements; clustered_yaml is compact_yaml, as all come from one place"`
}

var treeOptions = TreeOptions{TreeMaxDepth: 30, TreeOutputFormat: CompactYAML}

// TreeFormat is how elements are written.
type TreeFormat string

// Words are the words that it may be.
func (TreeFormat) Words() []string {
	return []string{"compact_yaml", "verbose_json", "clustered_yaml"}
}

// The ways to write elements.
const (
	CompactYAML TreeFormat = "compact_yaml"
	VerboseJSON TreeFormat = "verbose_json"
	// ClusteredYAML groups elements by where they are known from elsewhere; here
	// they come from one place, so it is CompactYAML.
	ClusteredYAML TreeFormat = "clustered_yaml"
)
