package workflows

// ReadInputs reads a file of inputs: an object of names and values.
func ReadInputs(src Source) (map[string]any, error) {
	r := &report{root: newFile(Source{Name: src.Name}).name}
	v := read(src, r)
	if err := r.err(); err != nil {
		return nil, err
	}
	m, ok := v.plain().(map[string]any)
	if !ok {
		r.add(v.place, "write name: value", "a file of inputs is an object of names and values, found %s", v)
		return nil, r.err()
	}
	return m, nil
}
