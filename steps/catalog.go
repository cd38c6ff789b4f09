package steps

// All lists every kind.
func All() []Kind {
	return []Kind{
		Delay,
	}
}
