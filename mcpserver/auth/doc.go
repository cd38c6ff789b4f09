// Package auth says who calls over HTTP. A credential is a bearer token of a
// file, of which only the hash is kept, or a token that an issuer signed; a Gate
// in front of the server takes no request without one, and tells the handlers
// behind it the Grant: a name, and what it may do at most.
//
// It checks who calls, not what is called: that is the policy of the server. It
// gives no tokens to clients over the network; an issuer does, or the operator by
// hand.
package auth
