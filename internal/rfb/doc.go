// Package rfb is a VNC server: it implements RFB 3.8 (RFC 6143) for one viewer on one
// connection, and shows it a desktop and performs its input. A picture is sent when
// the viewer has requested one and something has changed, as ZRLE if the viewer
// supports that. The caller decides who may look and act; the package listens nowhere
// and knows nothing of runs.
package rfb
