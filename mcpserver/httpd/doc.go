// Package httpd serves MCP clients and operators over HTTP. It holds the guards
// around every request (time limits, allowed hosts and origins, credentials, body
// size), the admission of calls at the concurrency limit, and the addresses for
// operators.
//
// It knows no tools and makes no runs; Options provide what it needs of a call.
package httpd
