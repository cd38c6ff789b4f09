package desktop

// Shorten is a text of at most so many characters; one that was longer ends in
// "…".
func Shorten(text string, limit int) string {
	last, n := 0, 0
	for at := range text {
		if n++; n > limit {
			return text[:last] + "…"
		}
		last = at
	}
	return text
}
