// Package rfb shows a desktop to a viewer of VNC and takes its input: the side of
// the server in RFB 3.8 (RFC 6143), for one viewer on one connection. The picture
// goes out when the viewer asks for it and something changed, as ZRLE where the
// viewer reads that. Who may look and act is for its caller to say; it listens
// nowhere and knows nothing of runs.
package rfb
