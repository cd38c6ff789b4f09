package steps

// OpenURL opens an address with the user's preferred program.
var OpenURL = Define[OpenURLArgs, OpenURLResult](Kind{
	Name:    "open_url",
	Summary: "Open an address in the user's browser, or the program that the address belongs to.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, OpenURLArgs{}, nil)

// OpenURLArgs says which address.
type OpenURLArgs struct {
	URL string `json:"url" jsonschema:"the address, such as https://example.org or mailto:me@example.org"`
}

// OpenURLResult repeats the address that was opened.
type OpenURLResult struct {
	URL string `json:"url" jsonschema:"the address that was opened"`
}
