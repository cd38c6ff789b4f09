// Package clients knows the programs that call MCP servers: in which file each
// keeps its servers, and in which words. It reads these files, and puts a
// server into one in such a way that all else in it, comments and order too,
// stays as it is.
//
// It starts nothing and asks no server; package mcpserver/probe does.
package clients
