package clients

import (
	"fmt"
	"slices"
)

// Proxied returns a server with the proxy of this program before its command, or without
// it. The words of the proxy end with --.
func (s Server) Proxied(program string, proxy []string, through bool) (Server, error) {
	at := slices.Index(s.Args, "--")
	is := len(s.Args) > at+1 && at > 0 && s.Args[0] == "proxy"
	switch {
	case s.Command == "":
		return s, fmt.Errorf("it is called at %s, and only a server that the client starts can be seen through", s.URL)
	case is && through:
		return s, fmt.Errorf("it is started through the proxy already")
	case !is && !through:
		return s, fmt.Errorf("it is not started through the proxy")
	case through:
		s.Command, s.Args = program, slices.Concat(proxy, []string{s.Command}, s.Args)
	default:
		s.Command, s.Args = s.Args[at+1], s.Args[at+2:]
	}
	return s, nil
}
