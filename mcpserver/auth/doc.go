// Package auth authenticates requests over HTTP. A credential is a bearer token
// from a file that holds only hashes, or a token signed by an issuer. An
// Authenticator in front of the server refuses requests without one, and passes a
// Grant to the handlers behind it: a name, and the rights that it has at most.
//
// It identifies the caller, and does not decide what may be called: the policy of the
// server does. It issues no tokens over the network; an issuer does, or the operator
// by hand.
package auth
