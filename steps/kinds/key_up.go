package kinds

import "understudy/steps/desktop"

// KeyUp lets go of a key.
var KeyUp = keyKind("key_up", "Let go of a key that key_down holds.",
	func(k desktop.Key) desktop.Action { return desktop.KeyUp{Key: k} })
