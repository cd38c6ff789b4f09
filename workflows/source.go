package workflows

// Source is the text of a document and where it came from.
type Source struct {
	Name string // a file's path, a saved workflow's name, or "inline"
	Dir  string // where relative paths in it start
	Text []byte
}

// A Loader finds the document that `workflow` or `url` names, as seen from
// the document that names it.
type Loader func(ref string, from Source) (Source, error)
