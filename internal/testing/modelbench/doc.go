// Package modelbench measures what a language model pays to work through the MCP
// server: calls, bytes, tokens and time for each of a list of jobs in real
// applications. It holds only tests.
//
// No model takes part. Each job is a text, as a person would give it, and a script
// that does what a reader of the answers would do next. The script may say only
// what stands in that text, in the list of tools or in an earlier answer; the
// player holds it to that, word for word. What came of a job is judged from
// outside: by the file that was saved, by what a page sent.
package modelbench
